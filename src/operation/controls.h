// Request controls: which are known, on which operations, and what they say (RFC 4511 section
// 4.1.11). Thread safety: immutable functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ldap/controls.h"
#include "ldap/message.h"
#include "ldap/result_code.h"

namespace kauri::operation {

struct RequestControls {
  bool manage_dsa_it = false;
  bool permissive_modify = false;
  std::optional<ldap::PagedResults> paged;  // VALID UNTIL: the message goes
  std::optional<ldap::ExplainMode> explain;
  bool explain_critical = false;
};

// Reads the controls of `message` as they fit its operation. RETURNS: what to answer instead:
// unavailableCriticalExtension for a critical control that is unknown or does not fit;
// protocolError for a known one that is broken or given twice.
std::optional<ldap::OperationResult> read_controls(const ldap::Message& message,
                                                   RequestControls& out);

// The OIDs for the root DSE's supportedControl.
std::vector<std::string> supported_controls();

}  // namespace kauri::operation
