// EntryWriter: one entry as a SearchResultEntry, with what was selected and may be read. Internal
// to operation/. Thread safety: thread-compatible.
#pragma once

#include <string>
#include <string_view>

#include "entry/dictionary.h"
#include "entry/entry_view.h"
#include "ldap/message.h"
#include "operation/computed_values.h"
#include "operation/selection.h"
#include "query/access.h"

namespace kauri::operation {

struct EntryWriter {
  const Selection& selection;
  const entry::Dictionary& dictionary;
  query::Authorizer& authorizer;
  entry::ExternalValues* external = nullptr;  // nullptr: the entries have none
  EntryComputedValues* computed = nullptr;    // nullptr: nothing is computed
  std::string& scratch;
  bool copied = false;  // the last entry left as it is stored

  // Appends the message to `out`. REQUIRES: target.entry() is set. RETURNS: kCorruption, kIo;
  // `out` is unchanged then.
  Result<void> append(ldap::MessageId id, std::string_view dn, query::AccessTarget& target,
                      std::string& out);

 private:
  bool may_read_all_user(query::AccessTarget& target);
  Result<void> gather(query::AccessTarget& target);
  Result<void> gather_external(EntryId id, const entry::AttributeSlot& slot);
  Result<void> gather_computed(query::AccessTarget& target);
};

}  // namespace kauri::operation
