// Turns LMDB and operating system codes into Error. Inside storage/ only. Thread safety:
// thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace kauri::storage {

// `rc` is an LMDB return code (negative) or an errno value. The message is "<what>: <text>
// (<code>)", with a hint of what to do where there is something to do. REQUIRES: rc != 0.
Error lmdb_error(int rc, std::string what);
// "get in table entries, key 0000000000000007".
std::string describe(std::string_view operation, std::string_view table, std::string_view key);
// The same for an errno value and a path.
Error system_error(int number, std::string_view what, const std::string& path);

}  // namespace kauri::storage
