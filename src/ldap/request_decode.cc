// Bind, compare, modify DN, extended and abandon requests (RFC 4511 sections 4.2, 4.9 to 4.12).
#include "base/limit_counters.h"
#include "base/limits.h"
#include "ldap/decode_support.h"
#include "ldap/message.h"
#include "text/weight.h"

namespace kauri::ldap {

using internal::finish;
using internal::kBodyDepth;
using internal::protocol_result;
using internal::skip_rest;

static_assert(limits::kAssertionOctetsMax == 4194304, "a sentence below names the limit");

DecodeResult decode_bind(std::string_view body, BindRequest& out) {
  out = {};
  ber::Reader reader(body, kBodyDepth);
  out.version = reader.integer();
  out.name = reader.octet_string();
  switch (reader.peek()) {
    case ber::context(0):
      out.method = BindRequest::Method::kSimple;
      out.password = reader.octet_string(ber::context(0));
      break;
    case ber::context_constructed(3): {
      out.method = BindRequest::Method::kSasl;
      ber::Reader sasl = reader.nested(ber::context_constructed(3));
      out.mechanism = sasl.octet_string();
      if (std::string_view value; sasl.optional(ber::kOctetString, value)) out.credentials = value;
      finish(reader, sasl);
      break;
    }
    default:
      reader.whole_element();
      break;  // a method that only its response can refuse
  }
  skip_rest(reader);
  return protocol_result(reader);
}

DecodeResult decode_compare(std::string_view body, CompareRequest& out) {
  out = {};
  ber::Reader reader(body, kBodyDepth);
  out.dn = reader.octet_string();
  ber::Reader assertion = reader.nested(ber::kSequence);
  out.attribute = assertion.octet_string();
  out.value = assertion.octet_string();
  finish(reader, assertion);
  skip_rest(reader);
  if (reader.ok() && (out.value.size() > limits::kAssertionOctetsMax ||
                      text::preparation_weight(out.value) > limits::kAssertionOctetsMax)) {
    limits::count(limits::Counter::kAssertionOctets);
    return {DecodeFault::kAdminLimit,
            "the value to compare with has more octets than the limit of 4194304 (what is beyond "
            "ASCII counts ten times or more)"};
  }
  return protocol_result(reader);
}

DecodeResult decode_modify_dn(std::string_view body, ModifyDnRequest& out) {
  out = {};
  ber::Reader reader(body, kBodyDepth);
  out.dn = reader.octet_string();
  out.new_rdn = reader.octet_string();
  out.delete_old_rdn = reader.boolean();
  if (std::string_view value; reader.optional(ber::context(0), value)) out.new_superior = value;
  skip_rest(reader);
  return protocol_result(reader);
}

DecodeResult decode_extended(std::string_view body, ExtendedRequest& out) {
  out = {};
  ber::Reader reader(body, kBodyDepth);
  out.oid = reader.octet_string(ber::context(0));
  if (std::string_view value; reader.optional(ber::context(1), value)) out.value = value;
  skip_rest(reader);
  return protocol_result(reader);
}

MessageId decode_abandon(std::string_view body) {
  if (body.empty() || body.size() > sizeof(std::int64_t)) return 0;
  std::int64_t id = static_cast<signed char>(body[0]);
  for (const char c : body.substr(1)) {
    if (id < 0 || id > kMessageIdMax) return 0;
    id = id * 256 + static_cast<unsigned char>(c);
  }
  return id < 0 || id > kMessageIdMax ? 0 : static_cast<MessageId>(id);
}

}  // namespace kauri::ldap
