// VirtualEntry: an entry that the server makes up instead of storing it: the root DSE (RFC 4512
// section 5.1) and the subschema entry (section 4.2). It has the stored form, so filters and
// attribute selection treat it as any other. Thread safety: immutable.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "entry/dictionary.h"
#include "entry/entry_view.h"
#include "query/access.h"
#include "schema/schema.h"

namespace kauri::operation {

inline constexpr std::string_view kSubschemaDn = "cn=Subschema";

struct VirtualEntry {
  std::string dn;
  std::string normal_dn;
  const entry::Dictionary* dictionary = nullptr;
  std::string record;
  entry::EntryView view;  // of `record`
};

// The virtual entries of a service with the dictionary that numbers their attributes.
class VirtualEntries {
 public:
  // `now_micros` becomes the subschema entry's modifyTimestamp.
  static Result<std::unique_ptr<VirtualEntries>> make(
      const std::shared_ptr<const schema::Schema>& schema, const std::vector<std::string>& suffixes,
      std::int64_t now_micros);

  const VirtualEntry& root_dse() const { return root_dse_; }
  const VirtualEntry& subschema() const { return subschema_; }
  // The one with this name, or nullptr.
  const VirtualEntry* find(std::string_view normal_dn) const;

 private:
  explicit VirtualEntries(const std::shared_ptr<const schema::Schema>& schema)
      : dictionary_(schema) {}

  entry::Dictionary dictionary_;
  VirtualEntry root_dse_;
  VirtualEntry subschema_;
};

class VirtualTarget final : public query::AccessTarget {
 public:
  explicit VirtualTarget(const VirtualEntry& entry) : entry_(entry) {}
  EntryId id() const override { return EntryId(); }
  const entry::EntryView* entry() const override { return &entry_.view; }
  std::string_view normal_dn() override { return entry_.normal_dn; }

 private:
  const VirtualEntry& entry_;
};

}  // namespace kauri::operation
