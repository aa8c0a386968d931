// The cookie of paged results (RFC 2696): it holds the position itself, so that the server keeps
// nothing between pages, authenticated, so that nobody can make one up, and encrypted, since it
// tells ids and names of entries. Internal to operation/.
//
// A cookie serves once, for the same request of the same bind on the same connection.
// Thread safety: immutable functions.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/limits.h"

namespace kauri::operation {

struct PagePosition {
  std::uint64_t serial = 0;  // counts the cookies of a connection
  std::uint32_t sent = 0;    // entries returned in all pages so far
  std::uint32_t scope = 0;   // index of the scope being searched
  std::string walk;          // CandidateWalk::save()
};

// Octets of the longest walk there can be: a key on each level of the deepest name.
inline constexpr std::size_t kWalkSizeMax =
    12 + (limits::kDnRdnsMax + 1) * (10 + limits::kKeySizeMax);

using RequestDigest = std::array<char, 16>;
// Over everything that has to stay the same from page to page.
RequestDigest request_digest(std::string_view request_body, std::string_view identity,
                             std::uint64_t connection, std::uint64_t bind_count);

std::string make_cookie(std::string_view key, const RequestDigest& digest,
                        const PagePosition& position);
// Nothing when the cookie was not made by make_cookie() with this key for this request. One that is
// longer than any of those costs no look at its octets.
std::optional<PagePosition> open_cookie(std::string_view key, const RequestDigest& digest,
                                        std::string_view cookie);

}  // namespace kauri::operation
