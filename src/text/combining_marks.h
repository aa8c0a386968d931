// Combining marks: the table of RFC 4518 Appendix A, which is definitive for string preparation.
// Thread safety: immutable.
#pragma once

namespace kauri::text {

bool is_combining_mark(char32_t code_point);

}  // namespace kauri::text
