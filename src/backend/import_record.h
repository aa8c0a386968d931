// From a record of LDIF to an entry that can be stored. Inside backend/ only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "backend/core.h"
#include "backend/offline.h"
#include "entry/entry.h"
#include "ldap/dn.h"
#include "ldif/record.h"

namespace kauri::backend {

// A record that owns its octets, to be handed to another thread.
struct RawRecord {
  struct Value {
    std::string_view description;
    std::string_view value;
    std::uint64_t line = 0;
  };
  std::string octets;
  std::string_view dn;
  std::vector<Value> values;
  ldif::RecordKind kind = ldif::RecordKind::kContent;
  std::uint64_t line = 0;
  std::uint64_t ordinal = 0;  // of all records
  std::string fault;          // what the reader found wrong; then nothing else is set but `line`
  const std::string* file = nullptr;
};
// Copies what the views of `record` point to.
RawRecord own_record(const ldif::Record& record);

// What became of a record: an entry, or a reason.
struct PreparedRecord {
  const std::string* file = nullptr;
  std::uint64_t line = 0;  // of a reject, where its cause is
  std::string dn;
  std::string reject;  // empty: it is an entry
  ldap::Dn name;
  std::vector<std::string> normal_rdns;
  entry::Entry entry;  // without parent; rdn is that of a non-suffix entry
  std::string csn;     // its entryCSN
};

// What came of an entry that is to be stored; kRejected: its `reject` says why.
enum class Placed : std::uint8_t { kYes, kRejected, kParentMissing };

// The name of the parent in quotes, for a reason.
std::string parent_name(const PreparedRecord& record);

// Thread safety: thread-compatible: one for each thread.
class RecordMaker {
 public:
  // `start_micros`: CSNs of entries that bring none count up from there with the record's ordinal.
  RecordMaker(std::shared_ptr<const schema::Schema> schema, Random& random, bool keep_operational,
              std::int64_t start_micros, HashPassword hash_password);
  PreparedRecord make(const RawRecord& raw);

 private:
  enum class Action : std::uint8_t { kKeep, kDrop, kPassword, kUnknown };
  struct Known {
    Action action = Action::kUnknown;
    schema::AttributeDescription description;
    std::string why;
  };

  const Known& look_up(std::string_view description);
  bool take_name(const RawRecord& raw, PreparedRecord& out);
  bool take_values(const RawRecord& raw, PreparedRecord& out);
  void set_operational(const RawRecord& raw, PreparedRecord& out);

  std::shared_ptr<const schema::Schema> schema_;
  Random& random_;
  bool keep_operational_;
  std::int64_t start_micros_;
  HashPassword hash_password_;
  std::unordered_map<std::string, Known> known_;
};

}  // namespace kauri::backend
