// A connection's octets against a real, small database: whatever comes, the answers are whole LDAP
// messages, nothing hangs, and nothing crashes. The first octet chooses who is connected.

#include <stdlib.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "ber/reader.h"
#include "ldap/client.h"
#include "operation/service.h"
#include "schema/schema_loader.h"

namespace {

using namespace kauri;
using namespace kauri::operation;

constexpr std::string_view kSuffix = "dc=example,dc=com";
constexpr std::string_view kAdmin = "cn=admin,dc=example,dc=com";

class Jobs final : public Executor {
 public:
  void post(std::function<void()> job) override {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    arrived_.notify_one();
  }
  void run_one() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return !jobs_.empty(); });
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::function<void()>> jobs_;
};

// One for the process, changed by the inputs; lives until the end.
class World {
 public:
  World() : schema_(schema::builtin_schema()) {
    std::string pattern = "/tmp/kauri-session-fuzz-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
    backend::DatabaseOptions options;
    options.path = path_;
    options.suffix = kSuffix;
    options.durability = storage::Durability::kRelaxed;
    options.create = true;
    database_ = must(backend::Database::open(options, schema_, Clock::system(), random_));
    ServiceOptions service;
    service.databases = {database_.get()};
    service.schema = schema_;
    service.access = must(security::AccessPolicy::compile(
        {"to attrs=userPassword by self write by anonymous auth by * none",
         "to dn.subtree=\"ou=hidden,dc=example,dc=com\" by * none",
         "to * by users write by * search"},
        schema_));
    service.admin_dn = kAdmin;
    service.admin_password_hash =
        must(security::hash_password("secret", security::PasswordScheme::kSsha, random_));
    service.password_scheme = security::PasswordScheme::kSsha;
    service.random = &random_;
    service_ = must(Service::make(service));
    worker_ = must(service_->worker_context());
    fill();
  }
  ~World() {
    database_->stop();
    worker_.reset();
    service_.reset();
    database_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  // Feeds the octets as a server does.
  void run(std::string_view stream, bool bound, bool loopback) {
    Peer peer;
    peer.connection = ++connections_;
    peer.loopback = loopback;
    const auto session = service_->session(std::move(peer), *worker_, jobs_);
    std::string out;
    session->set_output_ready([&] { session->take_output(out); });
    if (bound) {
      std::string bind;
      ldap::append_simple_bind_request(bind, 1, kAdmin, "secret");
      feed(*session, bind, out);
    }
    feed(*session, stream, out);
    session->closed();
  }

 private:
  template <class T>
  static T must(Result<T> result) {
    KAURI_ASSERT(result);
    return std::move(*result);
  }

  void feed(Session& session, std::string_view stream, std::string& out) {
    while (!stream.empty() && !session.closing()) {
      const ber::Frame frame = ber::find_message(stream, session.message_size_max());
      if (frame.state == ber::Frame::State::kIncomplete) break;
      if (frame.state == ber::Frame::State::kBroken) {
        session.protocol_error(frame.error, out);
        break;
      }
      session.handle(stream.substr(0, frame.size), Clock::system().monotonic_nanos(), out);
      stream.remove_prefix(frame.size);
      settle(session, out);
      check_output(out);
      out.clear();
    }
    check_output(out);
  }

  // Until nothing is in flight: turns of searches, then completions of writes.
  void settle(Session& session, std::string& out) {
    while (session.operations_in_flight() > 0) {
      if (session.has_work()) {
        session.run_turn(out, out.size() + limits::kOutputQueueMax);
      } else {
        jobs_.run_one();
      }
    }
  }

  static void check_output(std::string_view out) {
    while (!out.empty()) {
      const ber::Frame frame = ber::find_message(out, out.size());
      KAURI_ASSERT(frame.state == ber::Frame::State::kComplete);
      ber::Reader reader(out.substr(0, frame.size));
      ber::Reader fields = reader.nested(ber::kSequence);
      fields.integer_in(0, ldap::kMessageIdMax);
      fields.whole_element();
      KAURI_ASSERT(fields.ok());
      out.remove_prefix(frame.size);
    }
  }

  void fill() {
    std::string stream;
    ldap::append_add_request(stream, 2, kSuffix,
                             {{"objectClass", {"domain"}}, {"dc", {"example"}}});
    ldap::append_add_request(stream, 3, "ou=hidden,dc=example,dc=com",
                             {{"objectClass", {"organizationalUnit"}}});
    ldap::append_add_request(stream, 4, "uid=a,dc=example,dc=com",
                             {{"objectClass", {"inetOrgPerson"}},
                              {"cn", {"A"}},
                              {"sn", {"S"}},
                              {"userPassword", {"p"}}});
    ldap::append_add_request(stream, 5, "cn=al,dc=example,dc=com",
                             {{"objectClass", {"alias", "extensibleObject"}},
                              {"aliasedObjectName", {"cn=al,dc=example,dc=com"}}});
    run(stream, true, true);
  }

  std::string path_;
  SeededRandom random_{1};
  std::shared_ptr<const schema::Schema> schema_;
  std::unique_ptr<backend::Database> database_;
  std::unique_ptr<Service> service_;
  Jobs jobs_;
  std::unique_ptr<WorkerContext> worker_;
  std::uint64_t connections_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static World world;
  if (size == 0) return 0;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  world.run(input.substr(1), (data[0] & 1U) != 0, (data[0] & 2U) != 0);
  return 0;
}
