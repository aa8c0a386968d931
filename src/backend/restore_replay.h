// Replay: the changes of a change log, made again on the state that they were made on. The outcome
// is that of the original: ids, names, operational attributes, change log. Inside backend/ only.
//
// Every record has to fit the state in all that it says: the CSN before it, entry id, DN, UUID, the
// values that went. A record that is missing, or of another history, is an error and never skipped.
// Values of one attribute are a set; their order is not kept. Thread safety: confined to one
// thread; nobody else may write to the database.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "backend/change_log.h"
#include "backend/csn.h"
#include "backend/database.h"
#include "backend/write_context.h"
#include "base/result.h"

namespace kauri::backend {

class Replay {
 public:
  // `database` has no writer.
  static Result<std::unique_ptr<Replay>> start(Database& database);

  // The CSN of the state so far.
  const std::string& csn() const { return state_.last_csn; }
  // Makes a change again. `octets` is the size of its record. After an error the database is not to
  // be used. RETURNS: kInvalid for a record that does not fit, with its CSN and what differs.
  Result<void> apply(const ChangeRecord& record, std::size_t octets);
  // Commits what is not committed yet.
  Result<void> finish();

 private:
  Replay(Core& core, BatchState state);
  Result<void> check_link(const ChangeRecord& record) const;

  Core& core_;
  BatchState state_;
  CsnGenerator csns_;
  std::unique_ptr<storage::WriteTxn> txn_;
  std::size_t txn_octets_ = 0;
  std::size_t txn_changes_ = 0;
};

}  // namespace kauri::backend
