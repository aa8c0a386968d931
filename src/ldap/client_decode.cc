// Responses as a client reads them (RFC 4511 sections 4.1.9, 4.2.2, 4.5.2, 4.12, 4.13).
#include "ldap/client.h"
#include "ldap/decode_support.h"

namespace kauri::ldap {
namespace {

using internal::kBodyDepth;
using internal::skip_rest;

constexpr std::int64_t kResultCodeMax = 65535;

void read_result(ber::Reader& reader, ResultView& out) {
  out.referrals.clear();
  out.code = static_cast<ResultCode>(reader.integer_in(0, kResultCodeMax, ber::kEnumerated));
  out.matched_dn = reader.octet_string();
  out.diagnostic = reader.octet_string();
  if (reader.peek() != ber::context_constructed(3)) return;
  ber::Reader referrals = reader.nested(ber::context_constructed(3));
  while (!referrals.at_end()) {
    const std::string_view uri = referrals.octet_string();
    if (referrals.ok()) out.referrals.push_back(uri);
  }
  internal::finish(reader, referrals);
}

// Reads an optional field that may be absent.
void read_optional(ber::Reader& reader, unsigned number, std::optional<std::string_view>& out) {
  out.reset();
  if (std::string_view value; reader.optional(ber::context(number), value)) out = value;
}

}  // namespace

bool decode_result(std::string_view body, ResultView& out, std::string_view* rest) {
  ber::Reader reader(body, kBodyDepth);
  read_result(reader, out);
  if (rest != nullptr) *rest = reader.rest();
  return reader.ok();
}

bool decode_search_entry(std::string_view body, EntryMessageView& out) {
  ber::Reader reader(body, kBodyDepth);
  out.dn = reader.octet_string();
  ber::Reader list = reader.nested(ber::kSequence);
  internal::Reuse<AttributeView> attributes(out.attributes);
  while (!list.at_end()) internal::decode_attribute(list, attributes.next());
  attributes.finish();
  internal::finish(reader, list);
  skip_rest(reader);
  return reader.ok();
}

bool decode_bind_response(std::string_view body, BindResponseView& out) {
  ber::Reader reader(body, kBodyDepth);
  read_result(reader, out.result);
  read_optional(reader, 7, out.server_sasl_credentials);
  skip_rest(reader);
  return reader.ok();
}

bool decode_extended_response(std::string_view body, ExtendedResponseView& out) {
  ber::Reader reader(body, kBodyDepth);
  read_result(reader, out.result);
  read_optional(reader, 10, out.name);
  read_optional(reader, 11, out.value);
  skip_rest(reader);
  return reader.ok();
}

bool decode_intermediate_response(std::string_view body, IntermediateResponseView& out) {
  ber::Reader reader(body, kBodyDepth);
  read_optional(reader, 0, out.name);
  read_optional(reader, 1, out.value);
  skip_rest(reader);
  return reader.ok();
}

bool decode_search_reference(std::string_view body, std::vector<std::string_view>& uris) {
  uris.clear();
  ber::Reader reader(body, kBodyDepth);
  while (!reader.at_end()) {
    const std::string_view uri = reader.octet_string();
    if (reader.ok()) uris.push_back(uri);
  }
  return reader.ok() && !uris.empty();
}

}  // namespace kauri::ldap
