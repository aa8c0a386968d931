// The version that the programs tell. Thread safety: immutable.
#pragma once

namespace kauri::kaurid {
inline constexpr const char* kVersion = KAURI_VERSION;
}  // namespace kauri::kaurid
