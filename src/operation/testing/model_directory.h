// A directory that is plainly right: a map from names to attributes, asked with the same requests
// as the real one. It shares no code with it and takes no short cuts.
//
// What it knows: the types and classes of model_schema.h, ASCII, names without escapes, three
// identities (the administrator, somebody who has bound, nobody) and four access rules. Where a
// request is wrong in several ways it accepts each of their codes, since the order of checks is
// nobody's business. Thread safety: thread-compatible. For tests and fuzz targets only.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "operation/testing/model_request.h"
#include "operation/testing/model_schema.h"

namespace kauri::operation::testing {

inline constexpr std::string_view kModelSuffix = "dc=example,dc=com";
inline constexpr std::string_view kModelAdmin = "cn=admin,dc=example,dc=com";
inline constexpr std::string_view kModelAdminPassword = "the-administrator";
// Below it nothing is visible to others than the administrator.
inline constexpr std::string_view kModelHidden = "ou=o4,dc=example,dc=com";

// The rules that the model knows, as the server reads them.
const std::vector<std::string>& model_access_rules();

enum class Who : std::uint8_t { kNobody, kUser, kAdmin };

// An entry as a search shows it: its name and the values of each attribute.
struct ShownEntry {
  std::string dn;
  std::map<std::string, std::multiset<std::string>> attributes;
  friend bool operator==(const ShownEntry&, const ShownEntry&) = default;
  friend bool operator<(const ShownEntry& a, const ShownEntry& b) { return a.dn < b.dn; }
};

struct Expected {
  std::set<int> codes;              // one of these
  std::set<std::string> matched;    // with noSuchObject: one of these as matchedDN
  std::vector<ShownEntry> entries;  // of a search, in no order
};

class ModelDirectory {
 public:
  // What the real directory has to answer; the model changes as that has to change.
  Expected ask(const ModelRequest& request, Who who);
  // DNs of all entries.
  std::vector<std::string> names() const;
  std::size_t size() const { return entries_.size(); }
  // All that there is, as the administrator sees it.
  std::vector<ShownEntry> everything() const;

 private:
  // Normal RDNs, the suffix (as one) first.
  using Path = std::vector<std::string>;
  using Values = std::vector<std::string>;
  struct Entry {
    std::string rdn;                       // as shown
    std::map<std::string, Values> values;  // by Description::text()
  };
  struct Name {
    bool malformed = false;
    bool outside = false;
    Path path;
    std::string rdn;  // the first one, as written
  };
  // One value of a name.
  struct Naming {
    const TypeFacts* type;
    std::string value;
  };
  enum class Tri : std::uint8_t { kFalse, kTrue, kUndefined };

  static Name read_name(std::string_view text);
  static std::optional<std::string> normal_rdn(std::string_view text);
  static std::vector<Naming> naming_of(std::string_view rdn);
  static bool starts_with(const Path& path, const Path& head);
  static Path parent_of(Path path);

  std::string shown_dn(const Path& path) const;
  bool exists(const Path& path) const { return entries_.contains(path); }
  bool has_children(const Path& path) const;
  static bool is_visible(const Path& path, Who who);
  static bool may_read(const TypeFacts& type, Who who);
  // The deepest entry at or above the parent of `path` that may be seen.
  std::string matched_for(const Path& path, Who who) const;
  Expected missing(const Path& path, Who who) const;
  // What a request gets that is wrong whatever the entries are.
  static Expected wrong(std::set<int> errors, const Name& name);
  // What one without rights to write gets.
  Expected refused(const Name& target, Who who) const;

  Expected bind(const ModelRequest& request) const;
  Expected add(const ModelRequest& request, Who who);
  Expected erase(const ModelRequest& request, Who who);
  Expected modify(const ModelRequest& request, Who who);
  Expected rename(const ModelRequest& request, Who who);
  Expected compare(const ModelRequest& request, Who who) const;
  Expected search(const ModelRequest& request, Who who) const;

  // Codes for what is wrong with the attributes of a request whatever the entry is.
  static std::set<int> form_errors(const ModelRequest& request);
  // One step; 0 or the code of the refusal.
  static int apply(const ModelChange& change, bool permissive, Entry& entry);
  static int add_values(const Description& description, const Values& values, bool permissive,
                        Entry& entry);
  static int delete_values(const Description& description, const Values& values, bool permissive,
                           Entry& entry);
  static int increment(const Description& description, const std::string& by, Entry& entry);
  // What is wrong with an entry.
  static std::set<int> entry_errors(const Entry& entry);
  static std::set<int> naming_errors(const Entry& entry, std::string_view rdn);
  static const ClassFacts* structural(const Entry& entry, bool* rival);
  static bool equal(const TypeFacts& type, const std::string& a, const std::string& b);
  static bool has_value(const Entry& entry, const TypeFacts& type, const std::string& value);

  Tri matches(const FilterTree& filter, const Path& path, Who who) const;
  Tri matches_leaf(const FilterTree& filter, const Path& path, Who who) const;
  static Tri test(const FilterTree& filter, const TypeFacts& type, const std::string& value);
  static bool has_parts(std::string value, const std::vector<std::string>& parts);
  bool in_scope(const Path& path, const Path& base, ldap::Scope scope) const;
  ShownEntry show(const Path& path, const ModelRequest& request, Who who) const;

  std::map<Path, Entry> entries_;
};

}  // namespace kauri::operation::testing
