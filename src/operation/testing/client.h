// For the tests of this folder: a client that drives a Session with the octets of messages, and a
// directory of databases that it asks. Thread safety: thread-compatible.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/testing/world.h"
#include "ldap/client.h"
#include "ldap/message.h"
#include "operation/service.h"

namespace kauri::operation::testing {

inline constexpr std::string_view S = "dc=example,dc=com";
inline constexpr std::string_view P = "ou=p,dc=example,dc=com";
inline constexpr std::string_view U = "uid=a,ou=p,dc=example,dc=com";
inline constexpr std::string_view B = "uid=b,ou=p,dc=example,dc=com";
inline constexpr std::string_view kAdmin = "cn=admin,dc=example,dc=com";
inline constexpr std::string_view kAdminPassword = "the-administrator";

// Jobs wait until the test runs them: its thread is the worker.
class QueueExecutor final : public Executor {
 public:
  void post(std::function<void()> job) override;
  // Waits for one job and runs it. False after ten seconds without one.
  bool run_one();
  // Runs what is there.
  void run_ready();
  std::size_t posted() const { return posted_; }

 private:
  bool take(std::function<void()>& job, bool wait);
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::function<void()>> jobs_;
  std::size_t posted_ = 0;
};

class MemoryLog final : public AccessLog {
 public:
  bool enabled() const override { return true; }
  void log(const OperationRecord& record) override {
    const std::lock_guard lock(mutex_);
    records.push_back(record);
  }
  std::vector<OperationRecord> records;

 private:
  std::mutex mutex_;
};

struct DirectoryOptions {
  std::vector<std::string> rules;  // empty: the default ones
  std::vector<index::IndexSpec> indexes;
  ServiceLimits limits;
  security::PasswordScheme scheme = security::PasswordScheme::kSsha;
  bool hash_pool = false;
  bool allow_cleartext_bind = false;
  bool fixture = true;  // load the entries of fixture F
  AccessLog* log = nullptr;
  Clock* clock = nullptr;
  std::vector<std::string> further_suffixes;  // databases beside the first
};

using backend::added;
using backend::Change;
using backend::deleted;
using backend::incremented;
using backend::replaced;

struct FoundEntry {
  std::string dn;
  std::map<std::string, std::vector<std::string>> attributes;
  bool has(const std::string& name) const { return attributes.contains(name); }
};

// All that came for one message.
struct Reply {
  int code = -1;  // -1: no answer came
  std::string matched_dn;
  std::string diagnostic;
  std::vector<std::string> referrals;
  std::vector<FoundEntry> entries;
  std::vector<std::vector<std::string>> references;
  std::optional<std::string> value;   // of an extended response
  std::optional<std::string> cookie;  // of the paged results control
  std::optional<std::string> plan;    // of the explain control
  bool notice = false;                // a Notice of Disconnection came; code is its

  // First RDN values of the entries, sorted: "a,c".
  std::string names() const;
};

class Directory;

class Client {
 public:
  // Binds when `dn` is given.
  Client(Directory& directory, Peer peer, std::string_view dn = {}, std::string_view password = {});
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  Reply bind(std::string_view dn, std::string_view password);
  Reply search(std::string_view base, ldap::Scope scope, std::string_view filter,
               std::vector<std::string> attributes = {});
  Reply search(const ldap::SearchRequestText& request, std::string_view filter,
               const std::vector<ldap::Control>& controls = {});
  // A subtree search below S: the names found.
  std::string find(std::string_view filter);
  Reply read(std::string_view dn, std::vector<std::string> attributes = {});
  // The values of one attribute, joined by '|'.
  std::string value(std::string_view dn, const std::string& attribute);
  Reply compare(std::string_view dn, std::string_view attribute, std::string_view value,
                const std::vector<ldap::Control>& controls = {});
  // `text`: one "name: value" a line.
  Reply add(std::string_view dn, std::string_view text,
            const std::vector<ldap::Control>& controls = {});
  Reply modify(std::string_view dn, const std::vector<Change>& changes,
               const std::vector<ldap::Control>& controls = {});
  Reply remove(std::string_view dn, const std::vector<ldap::Control>& controls = {});
  Reply rename(std::string_view dn, std::string_view new_rdn, bool delete_old,
               std::optional<std::string_view> superior = std::nullopt);
  Reply extended(std::string_view oid, std::optional<std::string_view> value = std::nullopt);
  std::string who_am_i();
  // One page; `cookie` from the page before.
  Reply page(std::string_view filter, std::uint32_t size, std::string_view cookie,
             std::int32_t size_limit = 0, std::string_view base = P);

  // Octets of one message whose answer has `id`.
  Reply exchange(std::string_view message, ldap::MessageId id);
  // Hands the octets to the session without waiting.
  void send(std::string_view message);
  // Waits for the end of the operation.
  Reply wait(ldap::MessageId id);
  ldap::MessageId next_id() { return ++last_id_; }
  // Octets received and not yet taken apart.
  std::string& received() { return received_; }
  Session& session() { return *session_; }
  void drop() { session_.reset(); }

 private:
  bool take_reply(ldap::MessageId id, Reply& reply);

  Directory& directory_;
  std::shared_ptr<Session> session_;
  std::string received_;
  ldap::MessageId last_id_ = 0;
};

class Directory {
 public:
  explicit Directory(const DirectoryOptions& options = {});
  ~Directory();

  Client client(bool loopback = true);
  Client admin();  // bound
  Client user();   // bound as U with the password "pw-a"
  // uid=n0, uid=n1, ... below P, which is much faster here than one by one.
  void add_people(int count, const backend::Attributes& more = {});
  backend::Database& database(std::size_t index = 0) { return worlds_[index]->database(); }
  backend::World& world(std::size_t index = 0) { return *worlds_[index]; }
  Service& service() { return *service_; }
  const QueueExecutor& executor() const { return executor_; }
  std::shared_ptr<const schema::Schema> schema() const { return backend::fixture_schema(); }

 private:
  friend class Client;
  Peer next_peer(bool loopback);
  void load_fixture();

  std::vector<std::unique_ptr<backend::World>> worlds_;
  std::unique_ptr<security::HashPool> pool_;
  std::unique_ptr<Service> service_;
  QueueExecutor executor_;
  std::unique_ptr<WorkerContext> worker_;
  std::uint64_t connections_ = 0;
};

// Fixture F with its administrator and somebody who has not bound. One class for all cases, since a
// group's cases may lie in several files.
class DirectoryCase : public ::testing::Test {
 protected:
  // Adds as the administrator; the case fails when that fails.
  void add(std::string_view dn, std::string_view text,
           const std::vector<ldap::Control>& controls = {});

  Directory directory;
  Client admin{directory.admin()};
  Client client{directory.client()};
};

inline constexpr std::string_view kPerson =
    "objectClass: inetOrgPerson\nobjectClass: kAux\nsn: x\n";
std::string person(std::string_view more);

// Messages to be sent without waiting: a subtree search, and a replacement by one value.
std::string search_message(ldap::MessageId id, std::string_view base, std::string_view filter,
                           std::vector<std::string> attributes = {},
                           ldap::Scope scope = ldap::Scope::kSubtree);
std::string replace_message(ldap::MessageId id, std::string_view dn, std::string_view attribute,
                            std::string_view value);

std::string paged_value(std::uint32_t size, std::string_view cookie);
ldap::Control control(std::string_view oid, bool critical = true,
                      std::optional<std::string> value = std::nullopt);

}  // namespace kauri::operation::testing
