// kauri explain --data: the database is opened as export opens it, and asked by a session without a
// socket, so that what answers is what answers in a server.
#include <deque>
#include <functional>
#include <memory>

#include "base/clock.h"
#include "base/random.h"
#include "ber/reader.h"
#include "kauri/explain_source.h"
#include "kaurid/setup.h"
#include "operation/service.h"
#include "security/password.h"
#include "text/base64.h"

namespace kauri::tool {
namespace {

constexpr std::size_t kOutputMax = std::size_t{1} << 20U;

// Nothing of a search comes from another thread.
class NoJobs final : public operation::Executor {
 public:
  void post(std::function<void()> job) override { jobs_.push_back(std::move(job)); }

 private:
  std::deque<std::function<void()>> jobs_;
};

Result<void> take_all(ExplainReader& reader, std::string& out) {
  std::string_view rest = out;
  while (!rest.empty()) {
    const ber::Frame frame = ber::find_message(rest, rest.size());
    if (frame.state != ber::Frame::State::kComplete)
      return Error(ErrorCode::kInternal, "the session's answer is no LDAP message");
    KAURI_CHECK(reader.take(rest.substr(0, frame.size)));
    rest.remove_prefix(frame.size);
  }
  out.clear();
  return {};
}

Result<ExplainAnswer> ask(operation::Service& service, const ExplainQuestion& question) {
  KAURI_TRY(const auto worker, service.worker_context());
  NoJobs executor;
  const auto session =
      service.session({.connection = 1, .address = "offline", .loopback = true, .encrypted = false},
                      *worker, executor);
  ExplainReader reader;
  std::string out;
  const auto send = [&](const std::string& message) -> Result<void> {
    session->handle(message, Clock::system().monotonic_nanos(), out);
    return take_all(reader, out);
  };
  std::string message;
  KAURI_CHECK(append_bind(message, question));
  KAURI_CHECK(send(message));
  message.clear();
  KAURI_CHECK(append_search(message, question));
  KAURI_CHECK(send(message));
  while (!reader.done()) {
    if (!session->has_work()) return Error(ErrorCode::kInternal, "the search has no end");
    session->run_turn(out, kOutputMax);
    KAURI_CHECK(take_all(reader, out));
  }
  session->closed();
  return reader.answer();
}

}  // namespace

Result<ExplainAnswer> explain_offline(const DatabaseChoice& choice, ExplainQuestion question) {
  KAURI_TRY(const ChosenDatabase chosen, choose_database(choice));
  OpenOptions open;
  // The pages that a search reads are checked as a server checks them.
  open.page_extent = backend::DatabaseOptions().page_extent;
  KAURI_TRY(const auto database, open_database(chosen, open));
  operation::ServiceOptions options;
  options.databases = {database.get()};
  options.schema = chosen.schema;
  KAURI_TRY(options.access, kaurid::make_access_policy(chosen.config, chosen.schema));
  // Somebody who may do everything, for as long as this runs.
  question.bind_dn =
      chosen.config.admin_dn.empty() ? "cn=admin," + database->suffix() : chosen.config.admin_dn;
  question.password = text::encode_base64(Random::system().bytes(24));
  KAURI_TRY(options.admin_password_hash,
            security::hash_password(question.password, security::PasswordScheme::kSsha,
                                    Random::system()));
  options.admin_dn = question.bind_dn;
  options.clock = &Clock::system();
  options.random = &Random::system();
  KAURI_TRY(const auto service, operation::Service::make(std::move(options)));
  if (question.search.base.empty()) question.search.base = database->suffix();
  return ask(*service, question);
}

}  // namespace kauri::tool
