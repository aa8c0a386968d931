#include "schema/schema.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "base/limit_counters.h"
#include "text/ascii.h"
#include "text/visible.h"

namespace kauri::schema {

namespace {

// Longest option; longer ones are malformed, so that names in diagnostics and the dictionary stay
// short.
constexpr std::size_t kOptionSizeMax = 128;
constexpr std::size_t kOptionsMax = 32;

bool is_option(std::string_view option) {
  return !option.empty() && option.size() <= kOptionSizeMax &&
         std::all_of(option.begin(), option.end(),
                     [](char c) { return text::is_alpha(c) || text::is_digit(c) || c == '-'; });
}

// RFC 4522 section 3 and RFC 4523: types whose values have a BER encoding.
bool may_be_binary(const AttributeType& type) {
  constexpr std::string_view kSyntaxes[] = {
      "1.3.6.1.4.1.1466.115.121.1.4",  "1.3.6.1.4.1.1466.115.121.1.5",
      "1.3.6.1.4.1.1466.115.121.1.8",  "1.3.6.1.4.1.1466.115.121.1.9",
      "1.3.6.1.4.1.1466.115.121.1.10", "1.3.6.1.4.1.1466.115.121.1.49",
      "1.3.6.1.4.1.4203.666.11.10.2.1"};
  return type.syntax != nullptr && std::find(std::begin(kSyntaxes), std::end(kSyntaxes),
                                             type.syntax->oid()) != std::end(kSyntaxes);
}

// The description, or a sentence why there is none.
std::optional<AttributeDescription> parse_description(const Schema& schema, std::string_view text,
                                                      std::string* why) {
  const auto refuse = [why](std::string sentence) {
    if (why != nullptr) *why = std::move(sentence);
    return std::nullopt;
  };
  const std::size_t semicolon = text.find(';');
  const std::string_view name = text.substr(0, semicolon);
  AttributeDescription description;
  description.type = schema.attribute_type(name);
  if (description.type == nullptr) {
    return refuse("attribute type " + text::quoted(name) + " is not defined");
  }
  if (semicolon == std::string_view::npos) return description;
  std::string_view rest = text.substr(semicolon + 1);
  while (true) {
    const std::size_t end = rest.find(';');
    const std::string_view option = rest.substr(0, end);
    if (!is_option(option)) {
      if (option.size() > kOptionSizeMax) limits::count(limits::Counter::kOptions);
      return refuse(text::quoted(option) +
                    " is no attribute option: letters, digits and hyphens, 1 to " +
                    std::to_string(kOptionSizeMax) + " of them");
    }
    if (description.options.size() == kOptionsMax) {
      limits::count(limits::Counter::kOptions);
      return refuse("more than " + std::to_string(kOptionsMax) + " attribute options");
    }
    description.options.push_back(text::to_lower(option));
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  auto& options = description.options;
  std::sort(options.begin(), options.end());
  options.erase(std::unique(options.begin(), options.end()), options.end());
  if (std::binary_search(options.begin(), options.end(), "binary") &&
      !may_be_binary(*description.type)) {
    return refuse("attribute type " + text::quoted(name) + " may not have the option ';binary'");
  }
  return description;
}

}  // namespace

bool AttributeType::is_subtype_of(const AttributeType& other) const {
  for (const AttributeType* type = this; type != nullptr; type = type->superior) {
    if (type == &other) return true;
  }
  return false;
}

bool ObjectClass::is_subclass_of(const ObjectClass& other) const {
  return this == &other ||
         std::binary_search(ancestors.begin(), ancestors.end(), &other, std::less<>());
}

std::string AttributeDescription::to_string() const {
  std::string out(type->name());
  for (const std::string& option : options) {
    out += ';';
    out += option;
  }
  return out;
}

bool AttributeDescription::is_subtype_of(const AttributeDescription& asserted) const {
  return type->is_subtype_of(*asserted.type) &&
         std::includes(options.begin(), options.end(), asserted.options.begin(),
                       asserted.options.end());
}

std::optional<AttributeDescription> Schema::attribute_description(std::string_view text) const {
  return parse_description(*this, text, nullptr);
}

std::string explain_bad_description(const Schema& schema, std::string_view text) {
  std::string why;
  if (parse_description(schema, text, &why)) return {};
  return why;
}

}  // namespace kauri::schema
