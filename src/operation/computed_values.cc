#include "operation/computed_values.h"

#include "index/dn_index.h"
#include "operation/virtual_entry.h"

namespace kauri::operation {
namespace {

// Children examined to count those that an identity may read; a container with more tells others
// than the administrator only that it has this many.
constexpr std::uint64_t kCountedMax = 10'000;

}  // namespace

Result<std::uint64_t> EntryComputedValues::readable_children(EntryId id, std::uint64_t enough) {
  KAURI_TRY(const index::SubordinateCounts counts, read_.counts(id));
  if (counts.children == 0 || authorizer_.identity().administrator) return counts.children;
  KAURI_TRY(index::ChildCursor children, index::ChildCursor::open(read_.txn(), id));
  std::uint64_t readable = 0;
  for (std::uint64_t examined = 0; examined < kCountedMax && readable < enough; ++examined) {
    KAURI_TRY(const std::optional<EntryId> child, children.next());
    if (!child.has_value()) break;
    KAURI_TRY(const entry::EntryView view, read_.required_entry(*child));
    backend::StoredTarget target(read_, *child, view);
    if (authorizer_.may_entry(target, query::Right::kRead)) ++readable;
  }
  return readable;
}

Result<void> EntryComputedValues::append(query::AccessTarget& target, Computed computed,
                                         std::vector<std::string>& out) {
  switch (computed) {
    case Computed::kEntryDn: {
      std::string dn;
      KAURI_CHECK(read_.append_dn(*target.entry(), dn));
      out.push_back(std::move(dn));
      break;
    }
    case Computed::kHasSubordinates: {
      KAURI_TRY(const std::uint64_t children, readable_children(target.id(), 1));
      out.emplace_back(children > 0 ? "TRUE" : "FALSE");
      break;
    }
    case Computed::kNumSubordinates: {
      KAURI_TRY(const std::uint64_t children, readable_children(target.id(), kCountedMax));
      out.push_back(std::to_string(children));
      break;
    }
    case Computed::kSubschemaSubentry:
      out.emplace_back(kSubschemaDn);
      break;
  }
  return {};
}

bool EntryComputedValues::values(query::AccessTarget& target, const schema::AttributeType& type,
                                 std::vector<std::string>& out) {
  const schema::Schema& schema = read_.database().dictionary().schema();
  for (std::size_t i = 0; i < kComputedCount; ++i) {
    const auto computed = static_cast<Computed>(i);
    if (&computed_type(schema, computed) != &type) continue;
    // A value that cannot be read compares with nothing.
    (void)append(target, computed, out).has_value();
    return true;
  }
  return false;
}

}  // namespace kauri::operation
