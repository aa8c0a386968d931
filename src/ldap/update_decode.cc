// Add and modify requests (RFC 4511 sections 4.6 and 4.7).
#include "ldap/decode_support.h"
#include "ldap/message.h"

namespace kauri::ldap {

using internal::finish;
using internal::kBodyDepth;
using internal::protocol_result;
using internal::Reuse;
using internal::skip_rest;

void internal::decode_attribute(ber::Reader& reader, AttributeView& out) {
  out.values.clear();
  ber::Reader attribute = reader.nested(ber::kSequence);
  out.description = attribute.octet_string();
  ber::Reader values = attribute.nested(ber::kSet);
  while (!values.at_end()) {
    const std::string_view value = values.octet_string();
    if (values.ok()) out.values.push_back(value);
  }
  if (!values.ok()) attribute.fail(values.error());
  finish(reader, attribute);
}

DecodeResult decode_modify(std::string_view body, ModifyRequest& out) {
  ber::Reader reader(body, kBodyDepth);
  out.dn = reader.octet_string();
  ber::Reader changes = reader.nested(ber::kSequence);
  Reuse<ModificationView> modifications(out.modifications);
  while (!changes.at_end()) {
    ModificationView& modification = modifications.next();
    ber::Reader change = changes.nested(ber::kSequence);
    modification.operation =
        static_cast<ModifyOperation>(change.integer_in(0, 3, ber::kEnumerated));
    internal::decode_attribute(change, modification.attribute);
    finish(changes, change);
    if (!changes.ok()) modifications.drop_last();
  }
  modifications.finish();
  finish(reader, changes);
  skip_rest(reader);
  return protocol_result(reader);
}

DecodeResult decode_add(std::string_view body, AddRequest& out) {
  ber::Reader reader(body, kBodyDepth);
  out.dn = reader.octet_string();
  ber::Reader list = reader.nested(ber::kSequence);
  Reuse<AttributeView> attributes(out.attributes);
  while (!list.at_end()) {
    AttributeView& attribute = attributes.next();
    internal::decode_attribute(list, attribute);
    if (list.ok() && attribute.values.empty()) list.fail("an attribute to be added has no values");
    if (!list.ok()) attributes.drop_last();
  }
  attributes.finish();
  finish(reader, list);
  skip_rest(reader);
  return protocol_result(reader);
}

}  // namespace kauri::ldap
