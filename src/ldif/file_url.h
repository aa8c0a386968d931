// Values that stand in a file of their own (RFC 2849 note 6). Inside ldif/ only. Thread safety:
// thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kauri::ldif {

// The contents of the regular file that "file:///absolute/path" names; %XX is decoded.
// RETURNS: kInvalid for another kind of URL or file, kLimit past `size_max` octets, kNotFound, kIo.
Result<std::string> read_file_url(std::string_view url, std::size_t size_max);

}  // namespace kauri::ldif
