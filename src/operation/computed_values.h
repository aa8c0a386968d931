// The values of computed attributes of stored entries: entryDN (RFC 5020), hasSubordinates,
// numSubordinates, subschemaSubentry. Internal to operation/. Thread safety: thread-compatible.
#pragma once

#include <string>
#include <vector>

#include "backend/read_session.h"
#include "operation/selection.h"
#include "query/compiled_filter.h"

namespace kauri::operation {

class EntryComputedValues final : public query::ComputedValues {
 public:
  // What `authorizer` may not read of the subordinates is not counted.
  EntryComputedValues(backend::ReadSession& read, query::Authorizer& authorizer)
      : read_(read), authorizer_(authorizer) {}

  bool values(query::AccessTarget& target, const schema::AttributeType& type,
              std::vector<std::string>& out) override;
  // RETURNS: kCorruption, kIo.
  Result<void> append(query::AccessTarget& target, Computed computed,
                      std::vector<std::string>& out);

 private:
  Result<std::uint64_t> readable_children(EntryId id, std::uint64_t enough);

  backend::ReadSession& read_;
  query::Authorizer& authorizer_;
};

}  // namespace kauri::operation
