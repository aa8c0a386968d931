// What an LDAPResult says, for people. Thread safety: immutable functions.
#pragma once

#include <string>
#include <string_view>

namespace kauri::toolkit {

// "noSuchObject (the diagnostic)". `code` as read_result_code() gives it, `body` the contents of
// the response.
std::string describe_result(int code, std::string_view body);

}  // namespace kauri::toolkit
