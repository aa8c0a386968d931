// Values of controls, decoded and encoded. Their OIDs: oids.h.
//
// Decoders take the control's value as it came (absent when the control has none) and answer
// kProtocol with a static sentence for one that is broken. VALID UNTIL: views point into that
// value. Thread safety: immutable functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ldap/message.h"

namespace kauri::ldap {

// The control with `oid` among those of a request; nullptr when there is none.
const ControlView* find_control(const Message& message, std::string_view oid);

// Simple paged results (RFC 2696). In a request the page size that is asked for; in a response the
// estimate of the whole, 0 when the server gives none. An empty cookie starts a search, and in a
// response ends it.
struct PagedResults {
  std::int32_t size = 0;
  std::string_view cookie = {};
};
DecodeResult decode_paged_results(std::optional<std::string_view> value, PagedResults& out);
Control paged_results_control(const PagedResults& paged, bool critical = false);

// The plan of a search (docs/reference/explain.md). A request without a value asks as kRun does.
enum class ExplainMode : std::uint8_t {
  kRun = 0,      // the search as ever, its plan with the result
  kDiscard = 1,  // the same work, but no entry is sent
  kPlan = 2,     // nothing is read but indexes
};
DecodeResult decode_explain(std::optional<std::string_view> value, ExplainMode& out);
Control explain_control(ExplainMode mode, bool critical = true);

}  // namespace kauri::ldap
