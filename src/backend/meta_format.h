// What the meta table holds; docs/formats/meta.md has the octets. Persisted values: never renumber.
#pragma once

#include <cstdint>
#include <string_view>

#include "storage/storage.h"

namespace kauri::backend {

// 2: records of most tables have checksums (storage/record_sum.h), which 1 had not. 3: entries and
// change records too.
inline constexpr std::uint32_t kFormatVersion = 3;
// Of backups: they hold records as readers see them, and so those of 1 hold what those of 3 do.
inline constexpr std::uint32_t kFormatVersionRestored = 1;
// Of the normal forms in dn keys, index keys and digests. It grows whenever schema/ changes what a
// normal form looks like.
inline constexpr std::uint32_t kNormalVersion = 1;

inline constexpr std::string_view kMetaFormat = storage::kPlainKey;
inline constexpr std::string_view kMetaNormal = "normal";
inline constexpr std::string_view kMetaSuffix = "suffix";
inline constexpr std::string_view kMetaNextId = "next-id";
inline constexpr std::string_view kMetaLastCsn = "last-csn";
// Followed by the attribute number, u32 big-endian.
inline constexpr std::string_view kMetaAttribute = "attribute:";
inline constexpr std::string_view kMetaIndex = "index:";

enum class IndexState : std::uint8_t {
  kUsable = 1,
  kBuilding = 2,  // incomplete: never read, built again from the start at the next open
};
inline constexpr std::uint8_t kKindPresence = 1;
inline constexpr std::uint8_t kKindEquality = 2;
inline constexpr std::uint8_t kKindSubstring = 4;

}  // namespace kauri::backend
