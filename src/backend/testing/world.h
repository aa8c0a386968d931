// World: a database in a directory of its own that storage faults can be put into, and requests
// made from text. For tests, of the layers above as well. Thread safety: thread-compatible.
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
#include "schema/testing/fixture.h"
#include "storage/fault_env.h"
#include "storage/test_directory.h"

namespace kauri::backend {

using schema::testing::fixture_schema;

// Names of the fixture.
inline const std::string kSuffix = "dc=example,dc=com";
inline const std::string kPeople = "ou=p,dc=example,dc=com";
inline const std::string kA = "uid=a,ou=p,dc=example,dc=com";
inline const std::string kB = "uid=b,ou=p,dc=example,dc=com";

using Attributes = std::vector<std::pair<std::string, std::vector<std::string>>>;

// An inetOrgPerson with kAux whose cn and sn are `name`.
Attributes person(const std::string& name);

// One step of a Modify.
struct Change {
  ldap::ModifyOperation operation;
  std::string attribute;
  std::vector<std::string> values;
};
Change added(std::string attribute, std::vector<std::string> values);
Change deleted(std::string attribute, std::vector<std::string> values = {});
Change replaced(std::string attribute, std::vector<std::string> values = {});
Change incremented(std::string attribute, std::string by);

class World {
 public:
  // `clock`: what the database sees instead of clock(); outlives the world.
  explicit World(DatabaseOptions options = {}, Clock* clock = nullptr);
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
  // Adds many, as one who may do everything: all are under way at once and share commits.
  void add_all(const std::vector<std::pair<std::string, Attributes>>& entries);
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
  // The entries of fixture F, as they stand in its file.
  void add_fixture();

 private:
  DatabaseOptions options_;
  storage::TestDirectory directory_;
  std::string path_;
  ManualClock clock_;
  Clock* clock_used_;
  SeededRandom random_{42};
  std::shared_ptr<storage::FaultPlan> faults_ = std::make_shared<storage::FaultPlan>();
  std::unique_ptr<Database> database_;
  WriteOutcome last_;
  std::function<std::unique_ptr<query::Authorizer>()> make_authorizer_;
};

}  // namespace kauri::backend
