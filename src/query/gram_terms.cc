// Substring assertions against trigrams, and against a range of equality lists where they begin
// with an initial part.
#include <algorithm>

#include "index/posting.h"
#include "query/index_terms.h"

namespace kauri::query {
namespace {

using index::IndexDefinition;
using ldap::SubstringPartKind;

// Trigrams looked up for one assertion. More narrow little, and cost a look-up each.
constexpr std::size_t kGramsMax = 24;
// No further list for so few candidates: to examine them costs as much.
constexpr std::uint64_t kFewGramCandidates = 2;
// Trigrams taken from one part to choose among: a part of megabytes must not cost a string for each
// of its octets. Which ones matter little, since the filter check proves the rest.
constexpr std::size_t kGramsOfPartMax = 64;

// The octets that a value with this part has in its marked form (index::grams_of).
std::string marked(const CompiledNode::Part& part) {
  switch (part.kind) {
    case SubstringPartKind::kInitial:
      return "\2" + part.normal;
    case SubstringPartKind::kFinal:
      return part.normal + "\3\3";
    case SubstringPartKind::kAny:
      break;
  }
  return part.normal;
}

}  // namespace

// What an assertion gives to look up.
struct IndexTerms::Grams {
  struct Gram {
    std::string key;
    std::uint64_t count = 0;
  };
  std::vector<Gram> whole;
  std::string head;  // 1 or 2 octets that some gram begins with; the longest there is
};

// Lists of grams from the rarest on, until few candidates are left.
Result<bool> IndexTerms::intersect_grams(Grams& grams, std::uint64_t limit, index::IdSet& out,
                                         std::uint64_t& count) {
  for (Grams::Gram& gram : grams.whole) {
    spend(0);
    KAURI_TRY(gram.count, index::posting_count(txn_, gram.key));
    if (gram.count == 0) return true;
  }
  std::sort(grams.whole.begin(), grams.whole.end(),
            [](const auto& a, const auto& b) { return a.count < b.count; });
  count += grams.whole[0].count;
  if (grams.whole[0].count > limit || !spend(grams.whole[0].count)) return false;
  std::vector<std::uint64_t> candidates;
  KAURI_CHECK(index::read_posting(txn_, grams.whole[0].key, candidates));
  for (std::size_t i = 1; i < grams.whole.size(); ++i) {
    const std::size_t left = candidates.size();
    if (left <= kFewGramCandidates) break;
    if (!spend(std::min<std::uint64_t>(grams.whole[i].count, index::kLookUpFactor * left))) break;
    KAURI_CHECK(index::retain_posting(txn_, grams.whole[i].key, candidates));
  }
  out.add_sorted(candidates);
  return true;
}

Result<bool> IndexTerms::add_grams_of_type(const CompiledNode& node,
                                           const IndexDefinition& definition, std::uint64_t limit,
                                           index::IdSet& out, std::uint64_t& count) {
  Grams grams;
  std::vector<std::string> all;
  for (const CompiledNode::Part& part : node.parts) {
    if (part.normal.empty()) continue;
    const std::string octets = marked(part);
    if (octets.size() < 3) {
      if (octets.size() > grams.head.size()) grams.head = octets;
      continue;
    }
    const std::size_t stride = (octets.size() - 3) / kGramsOfPartMax + 1;
    for (std::size_t i = 0; i + 3 <= octets.size(); i += stride) all.push_back(octets.substr(i, 3));
    all.push_back(octets.substr(octets.size() - 3));
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  const std::size_t step = all.size() / kGramsMax + 1;
  for (std::size_t i = 0; i < all.size(); i += step)
    grams.whole.push_back({index::gram_key(definition.number, all[i])});

  bool complete = true;
  if (!grams.whole.empty()) {
    KAURI_TRY(complete, intersect_grams(grams, limit, out, count));
  } else {
    KAURI_TRY(complete, add_range(index::gram_keys_with_prefix(definition.number, grams.head),
                                  limit, out, count));
  }
  if (!complete) return false;
  KAURI_CHECK(index::read_posting(txn_, index::gramless_key(definition.number), out));
  return true;
}

Result<Answer> IndexTerms::read_grams(const CompiledNode& node, std::uint64_t limit,
                                      std::uint64_t& count) {
  const bool begins = !node.parts.empty() && node.parts[0].kind == SubstringPartKind::kInitial &&
                      !node.parts[0].normal.empty();
  const bool only_initial = begins && node.parts.size() == 1;
  Answer answer = Answer::none();
  bool complete = true;
  bool exact = true;
  KAURI_CHECK(for_each_type(node, [&](const IndexDefinition& definition) -> Result<void> {
    if (!complete) return {};
    const bool ranged = begins && equality_serves(node, definition);
    const bool grams = grams_serve(node, definition);
    if (ranged && (only_initial || !grams)) {
      index::IdSet found;
      KAURI_TRY(complete, add_range(key_range(node, definition), limit, found, count));
      exact = exact && only_initial;
      if (complete) answer.ids |= found;
      if (complete || !grams) return {};
    }
    exact = false;
    KAURI_TRY(complete, add_grams_of_type(node, definition, limit, answer.ids, count));
    return {};
  }));
  if (!complete || answer.ids.size() > limit) return Answer::too_many();
  answer.exact =
      exact && node.description.options.empty() && !index::is_truncated(node.parts[0].normal);
  return answer;
}

}  // namespace kauri::query
