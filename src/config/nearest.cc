#include "config/nearest.h"

#include <algorithm>
#include <cstddef>

#include "text/ascii.h"

namespace kauri::config {
namespace {

constexpr std::size_t kWordMax = 64;

// Insertions, deletions, changes and swaps of neighbours that make `a` of `b`, upper and lower case
// being the same (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last;
  std::vector<std::size_t> last(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::vector<std::size_t> row(b.size() + 1);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const auto same = [&](std::size_t at_a, std::size_t at_b) {
        return text::to_lower(a[at_a]) == text::to_lower(b[at_b]);
      };
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same(i - 1, j - 1) ? 0 : 1)});
      if (i > 1 && j > 1 && same(i - 1, j - 2) && same(i - 2, j - 1)) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
    before_last = std::move(last);
    last = std::move(row);
  }
  return last[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, const std::vector<std::string_view>& known) {
  if (word.empty() || word.size() > kWordMax) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t here = distance(word, candidate);
    if (here < best_distance) {
      best = candidate;
      best_distance = here;
    }
  }
  return best;
}

}  // namespace kauri::config
