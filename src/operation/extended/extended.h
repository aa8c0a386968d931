// The extended operations served (RFC 4511 section 4.12), one file pair each; extended.cc has the
// table of them. Thread safety: confined to the worker thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operation/request.h"

namespace kauri::operation {

// `value` is the requestValue.
using ExtendedValue = std::optional<std::string_view>;
void handle_who_am_i(Request& request, ExtendedValue value);         // RFC 4532
void handle_password_modify(Request& request, ExtendedValue value);  // RFC 3062
void handle_cancel(Request& request, ExtendedValue value);           // RFC 3909

// answer() with a responseValue.
void answer_extended(Request& request, const ldap::OperationResult& result,
                     std::string_view response_value);

// The OIDs for the root DSE's supportedExtension.
std::vector<std::string> supported_extensions();

}  // namespace kauri::operation
