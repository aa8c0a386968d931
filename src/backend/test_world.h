// World: a database in a directory of its own with the fixture of the tests, and requests made from
// text. For tests.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backend/database.h"
#include "backend/offline.h"
#include "backend/read_session.h"
#include "base/clock.h"
#include "base/random.h"
#include "schema/schema.h"
#include "storage/fault_env.h"
#include "storage/test_directory.h"

namespace kauri::backend {

// The built-in schema and the fixture's types under 1.3.6.1.4.1.32473.
std::shared_ptr<const schema::Schema> test_schema();

using Attributes = std::vector<std::pair<std::string, std::vector<std::string>>>;

// One step of a Modify: "add", "delete", "replace" or "increment".
struct Change {
  std::string kind;
  std::string attribute;
  std::vector<std::string> values;
};

class World {
 public:
  explicit World(DatabaseOptions options = {});
  ~World();

  // Closes and opens again.
  void reopen();
  void reopen(DatabaseOptions options);
  void close() { database_.reset(); }
  Database& database() { return *database_; }
  const std::string& path() const { return path_; }
  ManualClock& clock() { return clock_; }
  SeededRandom& random() { return random_; }
  std::shared_ptr<storage::FaultPlan> faults() { return faults_; }

  TargetName name(const std::string& dn);
  std::unique_ptr<WriteRequest> add_request(const std::string& dn, const Attributes& attributes);
  std::unique_ptr<WriteRequest> delete_request(const std::string& dn);
  std::unique_ptr<WriteRequest> modify_request(const std::string& dn,
                                               const std::vector<Change>& changes,
                                               bool permissive = false);
  std::unique_ptr<WriteRequest> rename_request(const std::string& dn, const std::string& new_rdn,
                                               bool delete_old,
                                               const std::string& new_superior = {});
  // The same, executed. RETURNS: the result code as a number.
  int add(const std::string& dn, const Attributes& attributes);
  int erase(const std::string& dn);
  int modify(const std::string& dn, const std::vector<Change>& changes, bool permissive = false);
  int rename(const std::string& dn, const std::string& new_rdn, bool delete_old,
             const std::string& new_superior = {});
  int run(std::unique_ptr<WriteRequest> request);
  const ldap::OperationResult& last() const { return last_.result; }
  const WriteOutcome& outcome() const { return last_; }
  // Who asks from now on; nothing: somebody who may do everything.
  void set_authorizer(std::function<std::unique_ptr<query::Authorizer>()> make) {
    make_authorizer_ = std::move(make);
  }

  // User attributes of an entry, values sorted; nothing when there is no such entry.
  std::optional<std::map<std::string, std::multiset<std::string>>> read(const std::string& dn,
                                                                        bool operational = false);
  std::multiset<std::string> values(const std::string& dn, const std::string& attribute);
  // The entry's DN as it is shown.
  std::string shown_dn(const std::string& dn);
  // The faults that verify() finds, one a line.
  std::string verify_text();
  // The fixture of CASES.md: the suffix, ou=p and the entries a, b, c.
  void add_fixture();

 private:
  DatabaseOptions options_;
  storage::TestDirectory directory_;
  std::string path_;
  ManualClock clock_;
  SeededRandom random_{42};
  std::shared_ptr<storage::FaultPlan> faults_ = std::make_shared<storage::FaultPlan>();
  std::unique_ptr<Database> database_;
  WriteOutcome last_;
  std::function<std::unique_ptr<query::Authorizer>()> make_authorizer_;
};

}  // namespace kauri::backend
