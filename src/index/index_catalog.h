// Which attribute types are indexed how (docs/formats/index.md has the octets of the index table).
//
// Thread safety: immutable after start-up.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/strong_id.h"
#include "entry/dictionary.h"
#include "schema/schema.h"

namespace kauri::index {

struct IndexKinds {
  bool presence = false;
  bool equality = false;   // also answers >=, <=, prefixes and reading in order
  bool substring = false;  // trigrams with start and end marks
  bool any() const { return presence || equality || substring; }
  friend bool operator==(IndexKinds, IndexKinds) = default;
};

// One line of configuration: an attribute name and "pres", "eq", "sub".
struct IndexSpec {
  std::string attribute;
  IndexKinds kinds;
};

struct IndexDefinition {
  const schema::AttributeType* type = nullptr;
  AttributeNumber number;  // of the type without options; the key prefix in the index table
  IndexKinds kinds;
  bool usable = true;  // false while it is being built: maintained, but never read
};

// What people search by default: objectClass, uid, cn, sn, givenName, mail, member, uniqueMember,
// memberUid, uidNumber, gidNumber, entryUUID, entryCSN, ou, dc, displayName, telephoneNumber,
// employeeNumber, ... (those the schema has).
std::vector<IndexSpec> default_indexes(const schema::Schema& schema);

// "eq,sub,pres" in any order -> kinds; kInvalid for another word.
Result<IndexKinds> parse_kinds(std::string_view text);
std::string to_string(IndexKinds kinds);

class IndexCatalog {
 public:
  // Interns the types' numbers. RETURNS: kInvalid for an unknown attribute, or a kind that its type
  // has no rule for (no equality rule, no substrings rule), naming both.
  static Result<IndexCatalog> make(const std::vector<IndexSpec>& specs,
                                   entry::Dictionary& dictionary);

  // nullptr when the type is not indexed. O(1).
  const IndexDefinition* find(const schema::AttributeType& type) const;
  const std::vector<IndexDefinition>& definitions() const { return definitions_; }
  void set_usable(const schema::AttributeType& type, bool usable);

 private:
  std::vector<IndexDefinition> definitions_;  // sorted by type pointer
};

}  // namespace kauri::index
