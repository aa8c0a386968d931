// The envelope (RFC 4511 section 4.1.1) and its controls.
#include "base/limit_counters.h"
#include "base/limits.h"
#include "ldap/decode_support.h"
#include "ldap/message.h"

namespace kauri::ldap {
namespace {

constexpr ber::Tag tag_of(Operation operation) {
  return ber::application_constructed(static_cast<unsigned>(operation));
}

bool is_request(ber::Tag tag) {
  return response_to(tag).has_value() || tag == kUnbindRequestTag || tag == kAbandonRequestTag;
}

bool is_response(ber::Tag tag) {
  switch (tag) {
    case tag_of(Operation::kBindResponse):
    case tag_of(Operation::kSearchResultEntry):
    case tag_of(Operation::kSearchResultDone):
    case tag_of(Operation::kSearchResultReference):
    case tag_of(Operation::kModifyResponse):
    case tag_of(Operation::kAddResponse):
    case tag_of(Operation::kDelResponse):
    case tag_of(Operation::kModifyDnResponse):
    case tag_of(Operation::kCompareResponse):
    case tag_of(Operation::kExtendedResponse):
    case tag_of(Operation::kIntermediateResponse):
      return true;
    default:
      return false;
  }
}

bool decode_control(ber::Reader& list, ControlView& out, const char*& why) {
  ber::Reader control = list.nested(ber::kSequence);
  out.oid = control.octet_string();
  if (control.peek() == ber::kBoolean) out.critical = control.boolean();
  if (std::string_view value; control.optional(ber::kOctetString, value)) out.value = value;
  internal::skip_rest(control);
  if (control.ok() && out.oid.empty()) control.fail("a control has an empty type");
  why = list.ok() ? control.error() : list.error();
  return why == nullptr;
}

DecodeResult decode_controls(ber::Reader& list, std::vector<ControlView>& out) {
  while (!list.at_end()) {
    if (out.size() == limits::kControlsMax) {
      limits::count(limits::Counter::kControls);
      return {DecodeFault::kUnwilling, "the request carries more controls than the limit of 10"};
    }
    const char* why = nullptr;
    if (!decode_control(list, out.emplace_back(), why)) {
      out.pop_back();
      return {DecodeFault::kProtocol, why};
    }
  }
  return {};
}
static_assert(limits::kControlsMax == 10, "the sentence above names the limit");

}  // namespace

std::optional<Operation> response_to(ber::Tag request_tag) {
  switch (request_tag) {
    case tag_of(Operation::kBindRequest):
      return Operation::kBindResponse;
    case tag_of(Operation::kSearchRequest):
      return Operation::kSearchResultDone;
    case tag_of(Operation::kModifyRequest):
      return Operation::kModifyResponse;
    case tag_of(Operation::kAddRequest):
      return Operation::kAddResponse;
    case kDelRequestTag:
      return Operation::kDelResponse;
    case tag_of(Operation::kModifyDnRequest):
      return Operation::kModifyDnResponse;
    case tag_of(Operation::kCompareRequest):
      return Operation::kCompareResponse;
    case tag_of(Operation::kExtendedRequest):
      return Operation::kExtendedResponse;
    default:
      return std::nullopt;
  }
}

DecodeResult decode_message(std::string_view octets, Message& out, Sender sender) {
  out.id = 0;
  out.tag = 0;
  out.body = {};
  out.controls.clear();
  ber::Reader stream(octets);
  ber::Reader message = stream.nested(ber::kSequence);
  if (stream.ok() && !stream.at_end()) message.fail("octets follow the end of the message");
  const std::int64_t id_min = sender == Sender::kClient ? 1 : 0;
  const auto id = static_cast<MessageId>(message.integer_in(id_min, kMessageIdMax));
  ber::Tag tag = 0;
  const std::string_view body = message.any_element(tag);
  if (message.ok() && !(sender == Sender::kClient ? is_request(tag) : is_response(tag))) {
    message.fail("the operation's tag is not one that RFC 4511 defines for this sender");
  }
  ber::Reader controls;
  if (message.peek() == ber::context_constructed(0)) {
    controls = message.nested(ber::context_constructed(0));
  }
  internal::skip_rest(message);
  if (!message.ok()) return {DecodeFault::kDisconnect, message.error()};
  out.id = id;
  out.tag = tag;
  out.body = body;
  return decode_controls(controls, out.controls);
}

}  // namespace kauri::ldap
