// Add and modify requests (RFC 4511 sections 4.6 and 4.7). Counts are limited while they are read,
// so that octets that hold very many tiny things take no more memory than others.
#include "base/limit_counters.h"
#include "base/limits.h"
#include "ldap/decode_support.h"
#include "ldap/message.h"

namespace kauri::ldap {

using internal::finish;
using internal::kBodyDepth;
using internal::protocol_result;
using internal::Reuse;
using internal::skip_rest;

namespace {

static_assert(limits::kRequestValuesMax == 500'000 && limits::kChangesMax == 10'000 &&
                  limits::kEntryAttributesMax == 1'000,
              "sentences below name the limits");

DecodeResult too_many_values() {
  limits::count(limits::Counter::kRequestValues);
  return {DecodeFault::kAdminLimit, "the request has more values than the limit of 500000"};
}

}  // namespace

void internal::decode_attribute(ber::Reader& reader, AttributeView& out, std::size_t values_max) {
  out.values.clear();
  ber::Reader attribute = reader.nested(ber::kSequence);
  out.description = attribute.octet_string();
  ber::Reader values = attribute.nested(ber::kSet);
  while (!values.at_end()) {
    const std::string_view value = values.octet_string();
    if (values.ok()) out.values.push_back(value);
    if (out.values.size() > values_max) return;
  }
  if (!values.ok()) attribute.fail(values.error());
  finish(reader, attribute);
}

DecodeResult decode_modify(std::string_view body, ModifyRequest& out) {
  ber::Reader reader(body, kBodyDepth);
  out.dn = reader.octet_string();
  ber::Reader changes = reader.nested(ber::kSequence);
  Reuse<ModificationView> modifications(out.modifications);
  std::size_t values_left = limits::kRequestValuesMax;
  std::size_t changes_left = limits::kChangesMax;
  while (!changes.at_end()) {
    if (changes_left-- == 0) {
      limits::count(limits::Counter::kChanges);
      return {DecodeFault::kAdminLimit,
              "the request has more changes than the limit of 10000; one change can hold many "
              "values"};
    }
    ModificationView& modification = modifications.next();
    ber::Reader change = changes.nested(ber::kSequence);
    modification.operation =
        static_cast<ModifyOperation>(change.integer_in(0, 3, ber::kEnumerated));
    internal::decode_attribute(change, modification.attribute, values_left);
    if (modification.attribute.values.size() > values_left) return too_many_values();
    values_left -= modification.attribute.values.size();
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
  std::size_t values_left = limits::kRequestValuesMax;
  std::size_t attributes_left = limits::kEntryAttributesMax;
  while (!list.at_end()) {
    if (attributes_left-- == 0) {
      limits::count(limits::Counter::kEntryAttributes);
      return {DecodeFault::kAdminLimit, "the entry has more attributes than the limit of 1000"};
    }
    AttributeView& attribute = attributes.next();
    internal::decode_attribute(list, attribute, values_left);
    if (attribute.values.size() > values_left) return too_many_values();
    values_left -= attribute.values.size();
    if (list.ok() && attribute.values.empty()) list.fail("an attribute to be added has no values");
    if (!list.ok()) attributes.drop_last();
  }
  attributes.finish();
  finish(reader, list);
  skip_rest(reader);
  return protocol_result(reader);
}

}  // namespace kauri::ldap
