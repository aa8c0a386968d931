// A real directory for comparison with a model: a database in a directory of its own, the service
// above it, and one connection for the administrator and one for others. Without GoogleTest, so
// that fuzz targets can use it; what cannot fail here ends the process.
//
// Thread safety: thread-compatible; the caller's thread is the worker. For tests and fuzz targets.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "backend/database.h"
#include "operation/service.h"
#include "operation/testing/model_directory.h"
#include "storage/test_directory.h"

namespace kauri::operation::testing {

// All that came for one request.
struct ModelReply {
  int code = -1;  // -1: no answer, or one that is broken
  std::string matched_dn;
  std::string diagnostic;
  std::vector<ShownEntry> entries;
  std::vector<std::string> references;  // of searches, and of a referral
  std::vector<std::size_t> pages;       // entries of each page
  std::string value;                    // of an extended response
  std::string cookie;                   // of the paged results control
};

struct ModelWorldOptions {
  std::vector<std::string> rules = model_access_rules();
  std::vector<index::IndexSpec> indexes;
  ServiceLimits limits;
};

class ModelWorld {
 public:
  explicit ModelWorld(ModelWorldOptions options = {});
  ~ModelWorld();
  ModelWorld(const ModelWorld&) = delete;
  ModelWorld& operator=(const ModelWorld&) = delete;

  // Sends the request over the administrator's connection or that of others, and waits. A search
  // in pages is all its pages.
  ModelReply ask(const ModelRequest& request, bool as_admin);
  // The octets of one message with `id`, over the connection of others unless `as_admin`.
  ModelReply exchange(std::string_view message, ldap::MessageId id, bool as_admin);
  // Closes everything and opens it again; only the administrator's connection is bound then.
  void restart();
  // Checks every table against every other. RETURNS: the faults, one a line.
  std::string verify();
  backend::Database& database() { return *database_; }
  ManualClock& clock() { return clock_; }

 private:
  class Jobs;
  struct Line {
    std::shared_ptr<Session> session;
    std::string received;
    ldap::MessageId last_id = 0;
  };

  void open();
  void close();
  void connect(Line& line);
  ModelReply ask_once(const ModelRequest& request, bool as_admin, std::string_view cookie);

  ModelWorldOptions options_;
  storage::TestDirectory directory_;
  ManualClock clock_;
  SeededRandom random_{1};
  std::shared_ptr<const schema::Schema> schema_;
  std::unique_ptr<Jobs> jobs_;
  std::unique_ptr<backend::Database> database_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<WorkerContext> worker_;
  Line admin_;
  Line other_;
  std::uint64_t connections_ = 0;
};

}  // namespace kauri::operation::testing
