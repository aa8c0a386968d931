#include "ldap/controls.h"

#include "ldap/decode_support.h"
#include "ldap/oids.h"

namespace kauri::ldap {
namespace {

constexpr std::int64_t kIntegerMax = 2147483647;  // maxInt of RFC 4511
constexpr DecodeResult kValueMissing = {DecodeFault::kProtocol, "the control has no value"};

// The control's value is one element and nothing behind it.
DecodeResult finish(ber::Reader& value, ber::Reader& fields) {
  internal::finish(value, fields);
  if (value.ok() && !value.at_end()) value.fail("octets follow the value of the control");
  return internal::protocol_result(value);
}

}  // namespace

const ControlView* find_control(const Message& message, std::string_view oid) {
  for (const ControlView& control : message.controls) {
    if (control.oid == oid) return &control;
  }
  return nullptr;
}

DecodeResult decode_paged_results(std::optional<std::string_view> value, PagedResults& out) {
  out = {};
  if (!value.has_value()) return kValueMissing;
  ber::Reader reader(*value);
  ber::Reader fields = reader.nested(ber::kSequence);
  out.size = static_cast<std::int32_t>(fields.integer_in(0, kIntegerMax));
  out.cookie = fields.octet_string();
  return finish(reader, fields);
}

Control paged_results_control(const PagedResults& paged, bool critical) {
  std::string value;
  ber::Writer writer(value);
  writer.begin(ber::kSequence);
  writer.integer(paged.size);
  writer.octet_string(paged.cookie);
  writer.end();
  return {std::string(oids::kPagedResults), critical, std::move(value)};
}

DecodeResult decode_explain(std::optional<std::string_view> value, ExplainMode& out) {
  out = ExplainMode::kRun;
  if (!value.has_value()) return {};
  ber::Reader reader(*value);
  ber::Reader fields = reader.nested(ber::kSequence);
  out = static_cast<ExplainMode>(
      fields.integer_in(0, static_cast<std::int64_t>(ExplainMode::kPlan), ber::kEnumerated));
  return finish(reader, fields);
}

Control explain_control(ExplainMode mode, bool critical) {
  std::string value;
  ber::Writer writer(value);
  writer.begin(ber::kSequence);
  writer.enumerated(static_cast<std::int64_t>(mode));
  writer.end();
  return {std::string(oids::kExplain), critical, std::move(value)};
}

}  // namespace kauri::ldap
