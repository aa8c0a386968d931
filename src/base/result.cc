#include "base/result.h"

namespace kauri {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalid:
      return "invalid";
    case ErrorCode::kLimit:
      return "limit exceeded";
    case ErrorCode::kNotFound:
      return "not found";
    case ErrorCode::kExists:
      return "exists";
    case ErrorCode::kBusy:
      return "busy";
    case ErrorCode::kNoSpace:
      return "no space";
    case ErrorCode::kIo:
      return "I/O error";
    case ErrorCode::kCorruption:
      return "corruption";
    case ErrorCode::kInternal:
      return "internal error";
  }
  return "unknown";
}

}  // namespace kauri
