#include "index/index_keys.h"

#include <algorithm>
#include <array>

#include "base/digest.h"
#include "base/endian.h"
#include "base/limits.h"

namespace kauri::index {
namespace {

// A zero octet of a value becomes 00 FF; 00 00 ends a whole value, 00 01 stands before the digest
// of one that was cut.
constexpr std::string_view kEnd("\0\0", 2);
constexpr std::string_view kCut("\0\1", 2);
constexpr std::string_view kBehindCut("\0\2", 2);

void start_key(std::string& out, AttributeNumber number, KeyKind kind) {
  out.clear();
  append_big_endian<std::uint32_t>(out, number.value());
  out += static_cast<char>(kind);
}

std::string start_key(AttributeNumber number, KeyKind kind) {
  std::string out;
  start_key(out, number, kind);
  return out;
}

std::size_t escaped_size(std::string_view value) {
  return value.size() + static_cast<std::size_t>(std::count(value.begin(), value.end(), '\0'));
}

// Appends as much of the escaped value as fits, whole octets of the value only. RETURNS: whether
// all of it did.
bool append_escaped(std::string& out, std::string_view value) {
  if (value.size() <= limits::kKeyValueMax && value.find('\0') == std::string_view::npos) {
    out.append(value);
    return true;
  }
  std::size_t room = limits::kKeyValueMax;
  for (const char octet : value) {
    const std::size_t size = octet == '\0' ? 2 : 1;
    if (size > room) return false;
    room -= size;
    out += octet;
    if (octet == '\0') out += '\xff';
  }
  return true;
}

// The first key behind all keys that begin with `prefix`. REQUIRES: not only FF octets.
std::string successor(std::string prefix) {
  while (prefix.back() == '\xff') prefix.pop_back();
  prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  return prefix;
}

KeyRange all_with_prefix(std::string prefix) {
  std::string last = successor(prefix);
  return {std::move(prefix), std::move(last)};
}

void add_superclasses(const schema::ObjectClass& object_class,
                      std::vector<const schema::ObjectClass*>& out) {
  for (const schema::ObjectClass* superior : object_class.superiors) {
    if (std::find(out.begin(), out.end(), superior) != out.end()) continue;
    out.push_back(superior);
    add_superclasses(*superior, out);
  }
}

// Collects the keys of one attribute's values.
class KeyMaker {
 public:
  KeyMaker(const IndexDefinition& definition, const schema::Schema& schema,
           std::vector<std::string>& out)
      : definition_(definition), schema_(schema), out_(out) {}

  void add(std::string_view value) {
    if (definition_.kinds.equality) add_equality(value);
    if (definition_.kinds.substring) add_grams(value);
  }
  void add_presence() {
    if (definition_.kinds.presence) out_.push_back(presence_key(definition_.number));
  }

 private:
  void add_equality(std::string_view value) {
    const bool is_class = definition_.type == schema_.well_known().object_class;
    normal_.clear();
    const bool done = is_class ? normal_object_class(schema_, value, normal_)
                               : definition_.type->equality->normalize(schema_, value, normal_);
    if (!done) {
      out_.push_back(unnormalized_key(definition_.number));
      return;
    }
    out_.push_back(equality_key(definition_.number, normal_));
    if (is_class) add_superclass_keys(value);
  }

  void add_superclass_keys(std::string_view value) {
    const schema::ObjectClass* object_class = schema_.object_class(value);
    if (object_class == nullptr) return;
    std::vector<const schema::ObjectClass*> superiors;
    add_superclasses(*object_class, superiors);
    for (const schema::ObjectClass* superior : superiors) {
      normal_.clear();
      if (normal_object_class(schema_, superior->oid, normal_))
        out_.push_back(equality_key(definition_.number, normal_));
    }
  }

  void add_grams(std::string_view value) {
    normal_.clear();
    if (!definition_.type->substrings->normalize(schema_, value, normal_)) return;
    if (normal_.size() > kGramValueMax) {
      out_.push_back(gramless_key(definition_.number));
      return;
    }
    for (const std::string& gram : grams_of(normal_))
      out_.push_back(gram_key(definition_.number, gram));
  }

  const IndexDefinition& definition_;
  const schema::Schema& schema_;
  std::vector<std::string>& out_;
  std::string normal_;
};

void sort_unique(std::vector<std::string>& keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

void add_keys(const schema::AttributeDescription& description,
              const std::vector<std::string>& values, const IndexCatalog& catalog,
              const schema::Schema& schema, std::vector<std::string>& out) {
  const IndexDefinition* definition = catalog.find(*description.type);
  if (definition == nullptr || values.empty()) return;
  KeyMaker maker(*definition, schema, out);
  maker.add_presence();
  for (const std::string& value : values) maker.add(value);
}

}  // namespace

std::string presence_key(AttributeNumber number) {
  return start_key(number, KeyKind::kPresence);
}
std::string gramless_key(AttributeNumber number) {
  return start_key(number, KeyKind::kGramless);
}
std::string unnormalized_key(AttributeNumber number) {
  return start_key(number, KeyKind::kUnnormalized);
}

bool is_truncated(std::string_view normal_value) {
  return escaped_size(normal_value) > limits::kKeyValueMax;
}

void equality_key(AttributeNumber number, std::string_view normal_value, std::string& out) {
  start_key(out, number, KeyKind::kEquality);
  if (append_escaped(out, normal_value)) {
    out.append(kEnd);
    return;
  }
  out.append(kCut);
  const std::array<char, 16> digest = digest128(normal_value);
  out.append(digest.data(), digest.size());
}

std::string equality_key(AttributeNumber number, std::string_view normal_value) {
  std::string out;
  equality_key(number, normal_value, out);
  return out;
}

std::string gram_key(AttributeNumber number, std::string_view gram) {
  std::string out = start_key(number, KeyKind::kGram);
  append_escaped(out, gram);
  out.append(kEnd);
  return out;
}

KeyRange all_equality_keys(AttributeNumber number) {
  return all_with_prefix(start_key(number, KeyKind::kEquality));
}

KeyRange equality_keys_from(AttributeNumber number, std::string_view low_normal) {
  KeyRange range = all_equality_keys(number);
  if (low_normal.empty()) return range;
  range.first.append(append_escaped(range.first, low_normal) ? kEnd : kCut);
  return range;
}

KeyRange equality_keys_through(AttributeNumber number, std::string_view high_normal) {
  KeyRange range = all_equality_keys(number);
  range.last = range.first;
  // Block records of the last list are behind its key, but a range is of lists.
  if (append_escaped(range.last, high_normal))
    range.last.append(kEnd).push_back('\0');
  else
    range.last.append(kBehindCut);
  return range;
}

KeyRange equality_keys_with_prefix(AttributeNumber number, std::string_view normal_prefix) {
  std::string prefix = start_key(number, KeyKind::kEquality);
  append_escaped(prefix, normal_prefix);
  return all_with_prefix(std::move(prefix));
}

KeyRange gram_keys_with_prefix(AttributeNumber number, std::string_view head) {
  std::string prefix = start_key(number, KeyKind::kGram);
  append_escaped(prefix, head);
  return all_with_prefix(std::move(prefix));
}

std::vector<std::string> grams_of(std::string_view normal_value) {
  std::string marked(1, '\2');
  marked.append(normal_value).append("\3\3");
  std::vector<std::string> grams;
  grams.reserve(marked.size() - 2);
  for (std::size_t i = 0; i + 3 <= marked.size(); ++i) grams.push_back(marked.substr(i, 3));
  sort_unique(grams);
  return grams;
}

bool normal_object_class(const schema::Schema& schema, std::string_view value, std::string& out) {
  const schema::ObjectClass* object_class = schema.object_class(value);
  const std::string_view name = object_class == nullptr ? value : object_class->oid;
  return schema.well_known().object_class->equality->normalize(schema, name, out);
}

std::vector<std::string> keys_of_entry(const entry::Entry& entry, const IndexCatalog& catalog,
                                       const schema::Schema& schema) {
  std::vector<std::string> keys;
  for (const entry::Attribute& attribute : entry.attributes)
    add_keys(attribute.description, attribute.values, catalog, schema, keys);
  sort_unique(keys);
  return keys;
}

std::vector<std::string> keys_of_values(const schema::AttributeDescription& description,
                                        const std::vector<std::string>& values,
                                        const IndexCatalog& catalog, const schema::Schema& schema) {
  std::vector<std::string> keys;
  add_keys(description, values, catalog, schema, keys);
  sort_unique(keys);
  return keys;
}

}  // namespace kauri::index
