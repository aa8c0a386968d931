// One LDAPMessage from a client or a server: every body is decoded, and what was decoded is written
// and read again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "base/limits.h"
#include "ldap/client.h"
#include "ldap/controls.h"
#include "ldap/message.h"

namespace {

using namespace kauri;
using namespace kauri::ldap;

std::vector<Control> owned(const std::vector<ControlView>& views) {
  std::vector<Control> out;
  for (const ControlView& view : views) {
    Control& control = out.emplace_back();
    control.oid = view.oid;
    control.critical = view.critical;
    if (view.value.has_value()) control.value = std::string(*view.value);
  }
  return out;
}

// Decodes `octets` again, which our own encoder wrote. RETURNS: the body.
std::string_view read_own(const std::string& octets, const Message& original, Message& again) {
  KAURI_ASSERT(ber::find_message(octets, octets.size()).state == ber::Frame::State::kComplete);
  KAURI_ASSERT(decode_message(octets, again).ok());
  KAURI_ASSERT(again.id == original.id && again.tag == original.tag);
  KAURI_ASSERT(again.controls.size() == original.controls.size());
  for (std::size_t i = 0; i < again.controls.size(); ++i) {
    KAURI_ASSERT(again.controls[i].oid == original.controls[i].oid);
    KAURI_ASSERT(again.controls[i].critical == original.controls[i].critical);
    KAURI_ASSERT(again.controls[i].value == original.controls[i].value);
  }
  return again.body;
}

bool same(const AttributeView& a, const AttributeView& b) {
  return a.description == b.description && a.values == b.values;
}

void check_search(const Message& message) {
  SearchRequest search;
  if (!decode_search(message.body, search).ok()) return;
  KAURI_ASSERT(search.filter.nodes.size() <= limits::kFilterNodesMax);
  SearchRequestText text;
  text.base = search.base;
  text.scope = search.scope;
  text.deref = search.deref;
  text.size_limit = search.size_limit;
  text.time_limit = search.time_limit;
  text.types_only = search.types_only;
  text.attributes.assign(search.attributes.begin(), search.attributes.end());
  std::string octets;
  append_search_request(octets, message.id, text, search.filter, owned(message.controls));
  Message again;
  SearchRequest other;
  KAURI_ASSERT(decode_search(read_own(octets, message, again), other).ok());
  KAURI_ASSERT(other.base == search.base && other.attributes == search.attributes);
  KAURI_ASSERT(other.scope == search.scope && other.size_limit == search.size_limit);
  KAURI_ASSERT(to_string(other.filter) == to_string(search.filter));
}

void check_modify(const Message& message) {
  ModifyRequest modify;
  if (!decode_modify(message.body, modify).ok()) return;
  std::string octets;
  append_modify_request(octets, message.id, modify.dn, modify.modifications,
                        owned(message.controls));
  Message again;
  ModifyRequest other;
  KAURI_ASSERT(decode_modify(read_own(octets, message, again), other).ok());
  KAURI_ASSERT(other.modifications.size() == modify.modifications.size());
  for (std::size_t i = 0; i < other.modifications.size(); ++i) {
    KAURI_ASSERT(other.modifications[i].operation == modify.modifications[i].operation);
    KAURI_ASSERT(same(other.modifications[i].attribute, modify.modifications[i].attribute));
  }
}

void check_add(const Message& message) {
  AddRequest add;
  if (!decode_add(message.body, add).ok()) return;
  std::string octets;
  append_add_request(octets, message.id, add.dn, add.attributes, owned(message.controls));
  Message again;
  AddRequest other;
  KAURI_ASSERT(decode_add(read_own(octets, message, again), other).ok());
  KAURI_ASSERT(other.attributes.size() == add.attributes.size());
  for (std::size_t i = 0; i < other.attributes.size(); ++i) {
    KAURI_ASSERT(!other.attributes[i].values.empty());
    KAURI_ASSERT(same(other.attributes[i], add.attributes[i]));
  }
}

void check_others(const Message& message) {
  std::string octets;
  Message again;
  const std::vector<Control> controls = owned(message.controls);
  if (ModifyDnRequest request; decode_modify_dn(message.body, request).ok()) {
    Message renamed = message;
    renamed.tag = ber::application_constructed(static_cast<unsigned>(Operation::kModifyDnRequest));
    append_modify_dn_request(octets, message.id, request, controls);
    ModifyDnRequest other;
    KAURI_ASSERT(decode_modify_dn(read_own(octets, renamed, again), other).ok());
    KAURI_ASSERT(other.new_rdn == request.new_rdn && other.new_superior == request.new_superior);
  }
  if (CompareRequest request; decode_compare(message.body, request).ok()) {
    octets.clear();
    Message compared = message;
    compared.tag = ber::application_constructed(static_cast<unsigned>(Operation::kCompareRequest));
    append_compare_request(octets, message.id, request, controls);
    CompareRequest other;
    KAURI_ASSERT(decode_compare(read_own(octets, compared, again), other).ok());
    KAURI_ASSERT(other.attribute == request.attribute && other.value == request.value);
  }
  if (ExtendedRequest request; decode_extended(message.body, request).ok()) {
    octets.clear();
    Message extended = message;
    extended.tag = ber::application_constructed(static_cast<unsigned>(Operation::kExtendedRequest));
    append_extended_request(octets, message.id, request, controls);
    ExtendedRequest other;
    KAURI_ASSERT(decode_extended(read_own(octets, extended, again), other).ok());
    KAURI_ASSERT(other.oid == request.oid && other.value == request.value);
  }
  BindRequest bind;
  decode_bind(message.body, bind);
  const MessageId abandoned = decode_abandon(message.body);
  KAURI_ASSERT(abandoned >= 0);
}

void check_responses(std::string_view octets) {
  Message message;
  if (!decode_message(octets, message, Sender::kServer).ok()) return;
  ResultView result;
  std::string_view rest;
  decode_result(message.body, result, &rest);
  BindResponseView bind;
  decode_bind_response(message.body, bind);
  ExtendedResponseView extended;
  decode_extended_response(message.body, extended);
  IntermediateResponseView intermediate;
  decode_intermediate_response(message.body, intermediate);
  std::vector<std::string_view> uris;
  decode_search_reference(message.body, uris);
  EntryMessageView entry;
  if (!decode_search_entry(message.body, entry)) return;
  std::string attributes;
  for (const AttributeView& attribute : entry.attributes) {
    append_attribute(attributes, attribute.description, attribute.values);
  }
  std::string written;
  append_search_entry_head(written, message.id, entry.dn, attributes.size());
  written += attributes;
  Message again;
  EntryMessageView other;
  KAURI_ASSERT(decode_message(written, again, Sender::kServer).ok());
  KAURI_ASSERT(decode_search_entry(again.body, other) && other.dn == entry.dn);
  KAURI_ASSERT(other.attributes.size() == entry.attributes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view octets(reinterpret_cast<const char*>(data), size);
  check_responses(octets);
  Message message;
  const DecodeResult result = decode_message(octets, message);
  KAURI_ASSERT((result.why == nullptr) == result.ok());
  KAURI_ASSERT(message.controls.size() <= limits::kControlsMax);
  if (!result.ok()) return 0;
  for (const ControlView& control : message.controls) {
    PagedResults paged;
    decode_paged_results(control.value, paged);
  }
  switch (response_to(message.tag).value_or(Operation::kIntermediateResponse)) {
    case Operation::kSearchResultDone:
      check_search(message);
      break;
    case Operation::kModifyResponse:
      check_modify(message);
      break;
    case Operation::kAddResponse:
      check_add(message);
      break;
    default:
      check_others(message);
      break;
  }
  return 0;
}
