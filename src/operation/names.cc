#include "operation/names.h"

#include <utility>

#include "schema/dn_normal.h"
#include "text/hex.h"
#include "text/utf8.h"

namespace kauri::operation {
namespace {

constexpr std::size_t kQuotedMax = 200;

void append_visible(std::string& out, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t start = at;
    char32_t code_point = 0;
    const bool whole = text::next_code_point(text, &at, &code_point);
    if (!whole) at = start + 1;
    if (!whole || code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0)) {
      for (const char octet : text.substr(start, at - start)) {
        out += '\\';
        text::append_hex(out, std::string_view(&octet, 1));
      }
    } else {
      out.append(text.substr(start, at - start));
    }
  }
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string out = "'";
  if (text.size() <= kQuotedMax) {
    append_visible(out, text);
    return out + "'";
  }
  append_visible(out, text.substr(0, kQuotedMax));
  return out + "...' (" + std::to_string(text.size()) + " octets)";
}

std::optional<ldap::OperationResult> parse_name(const schema::Schema& schema, std::string_view text,
                                                Name& out) {
  auto dn = ldap::parse_dn(text);
  if (!dn) {
    return ldap::failure(ldap::ResultCode::kInvalidDnSyntax,
                         "the name " + quoted(text) + " is not a DN: " + dn.error().message());
  }
  auto rdns = schema::normalize_rdns(schema, *dn);
  if (!rdns) {
    return ldap::failure(ldap::ResultCode::kInvalidDnSyntax,
                         "the name " + quoted(text) + " is not valid: " + rdns.error().message());
  }
  out.dn = std::move(*dn);
  out.normal_rdns = std::move(*rdns);
  out.normal = schema::join_normal(out.normal_rdns);
  return std::nullopt;
}

std::optional<ldap::OperationResult> parse_new_rdn(const schema::Schema& schema,
                                                   std::string_view text, ldap::Rdn& rdn,
                                                   std::string& normal) {
  auto parsed = ldap::parse_rdn(text);
  if (!parsed) {
    return ldap::failure(
        ldap::ResultCode::kInvalidDnSyntax,
        "the new RDN " + quoted(text) + " is not one RDN: " + parsed.error().message());
  }
  for (const ldap::Ava& ava : parsed->avas) {
    if (schema.attribute_type(ava.type) == nullptr) {
      return ldap::failure(ldap::ResultCode::kUndefinedAttributeType,
                           "the new RDN " + quoted(text) + " names the attribute type " +
                               quoted(ava.type) + ", which the schema does not define");
    }
  }
  auto normalized = schema::normalize_rdn(schema, *parsed);
  if (!normalized) {
    return ldap::failure(
        ldap::ResultCode::kInvalidDnSyntax,
        "the new RDN " + quoted(text) + " is not valid: " + normalized.error().message());
  }
  rdn = std::move(*parsed);
  normal = std::move(*normalized);
  return std::nullopt;
}

backend::TargetName to_target(Name&& name) {
  return {std::move(name.dn), std::move(name.normal_rdns)};
}

}  // namespace kauri::operation
