#include "operation/testing/model_world.h"

#include <utility>

#include "backend/offline.h"
#include "base/assert.h"
#include "ber/reader.h"
#include "ldap/client.h"
#include "ldap/oids.h"
#include "schema/schema_loader.h"
#include "security/access_policy.h"
#include "security/password.h"

namespace kauri::operation::testing {
namespace {

template <class T>
T must(Result<T> result) {
  if (!result) std::fprintf(stderr, "%s\n", result.error().message().c_str());
  KAURI_ASSERT(result.has_value());
  return std::move(*result);
}

// The types of fixture F over the built-in schema; the same for all worlds.
std::shared_ptr<const schema::Schema> model_schema() {
  static const std::shared_ptr<const schema::Schema> kSchema = [] {
    schema::SchemaBuilder builder;
    builder.add_builtin();
    const auto added =
        builder.add_file(std::string(KAURI_SOURCE_DIR) + "/tests/fixture/fixture.schema");
    KAURI_ASSERT(added.has_value());
    return must(builder.build());
  }();
  return kSchema;
}

// False for what is no entry.
bool read_entry(std::string_view body, ModelReply& reply) {
  ldap::EntryMessageView view;
  if (!ldap::decode_search_entry(body, view)) return false;
  ShownEntry& entry = reply.entries.emplace_back();
  entry.dn = view.dn;
  for (const ldap::AttributeView& attribute : view.attributes) {
    auto& values = entry.attributes[std::string(attribute.description)];
    for (const std::string_view value : attribute.values) {
      const bool is_hash = attribute.description == "userPassword" && value.starts_with("{SSHA}");
      values.insert(is_hash ? std::string("(hashed)") : std::string(value));
    }
  }
  return true;
}

bool read_result(ber::Tag tag, std::string_view body, ModelReply& reply) {
  ldap::ResultView result;
  if (tag == ber::application_constructed(24)) {
    ldap::ExtendedResponseView extended;
    if (!ldap::decode_extended_response(body, extended)) return false;
    result = extended.result;
    reply.value = extended.value.value_or("");
  } else if (!ldap::decode_result(body, result)) {
    return false;
  }
  reply.code = static_cast<int>(result.code);
  reply.matched_dn = result.matched_dn;
  reply.diagnostic = result.diagnostic;
  for (const std::string_view uri : result.referrals) reply.references.emplace_back(uri);
  return true;
}

bool read_cookie(ber::Reader& fields, ModelReply& reply) {
  std::string_view controls;
  if (!fields.optional(ber::context_constructed(0), controls)) return true;
  ber::Reader reader(controls);
  while (!reader.at_end()) {
    ber::Reader control = reader.nested(ber::kSequence);
    const std::string_view oid = control.octet_string();
    if (control.peek() == ber::kBoolean) control.boolean();
    const std::string_view value = control.octet_string();
    if (!control.ok()) return false;
    if (oid != ldap::oids::kPagedResults) continue;
    ber::Reader paged(value);
    ber::Reader parts = paged.nested(ber::kSequence);
    parts.integer();
    reply.cookie = parts.octet_string();
    if (!parts.ok()) return false;
  }
  return true;
}

// Takes whole messages from the front. RETURNS: true when the end of the operation came, or
// something that is no answer to it (`reply` has no code then).
bool take_reply(std::string& received, ldap::MessageId id, ModelReply& reply) {
  while (!received.empty()) {
    const ber::Frame frame = ber::find_message(received, 1U << 30U);
    if (frame.state != ber::Frame::State::kComplete) return true;
    const std::string message = received.substr(0, frame.size);
    received.erase(0, frame.size);
    ber::Reader reader(message);
    ber::Reader fields = reader.nested(ber::kSequence);
    const std::int64_t message_id = fields.integer();
    const ber::Tag tag = fields.peek();
    const std::string_view body = fields.element(tag);
    if (!fields.ok() || (message_id != id && message_id != 0)) return true;
    if (tag == ber::application_constructed(4)) {
      if (!read_entry(body, reply)) return true;
      continue;
    }
    if (tag == ber::application_constructed(19)) {
      std::vector<std::string_view> uris;
      if (!ldap::decode_search_reference(body, uris)) return true;
      reply.references.insert(reply.references.end(), uris.begin(), uris.end());
      continue;
    }
    if (read_result(tag, body, reply) && !read_cookie(fields, reply)) reply.code = -1;
    return true;
  }
  return false;
}

}  // namespace

// What completes elsewhere, run by the thread that waits for it.
class ModelWorld::Jobs final : public Executor {
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

ModelWorld::ModelWorld(ModelWorldOptions options)
    : options_(std::move(options)), schema_(model_schema()) {
  open();
}

ModelWorld::~ModelWorld() {
  close();
}

void ModelWorld::open() {
  jobs_ = std::make_unique<Jobs>();
  backend::DatabaseOptions database;
  database.path = directory_.path() + "/db";
  database.suffix = kModelSuffix;
  database.durability = storage::Durability::kRelaxed;
  database.indexes = options_.indexes;
  database.create = true;
  database_ = must(backend::Database::open(database, schema_, clock_, random_));
  ServiceOptions service;
  service.databases = {database_.get()};
  service.schema = schema_;
  service.access = must(security::AccessPolicy::compile(options_.rules, schema_));
  service.admin_dn = kModelAdmin;
  service.admin_password_hash =
      must(security::hash_password(kModelAdminPassword, security::PasswordScheme::kSsha, random_));
  service.password_scheme = security::PasswordScheme::kSsha;
  service.limits = options_.limits;
  service.clock = &clock_;
  service.random = &random_;
  service_ = must(Service::make(service));
  worker_ = must(service_->worker_context());
  connect(admin_);
  connect(other_);
  ModelRequest bind;
  bind.kind = ModelRequest::Kind::kBind;
  bind.dn = kModelAdmin;
  bind.value = kModelAdminPassword;
  KAURI_ASSERT(ask(bind, true).code == 0);
}

void ModelWorld::connect(Line& line) {
  line = {};
  Peer peer;
  peer.connection = ++connections_;
  peer.loopback = true;
  line.session = service_->session(std::move(peer), *worker_, *jobs_);
  line.session->set_output_ready([&line] { line.session->take_output(line.received); });
}

void ModelWorld::close() {
  for (Line* line : {&admin_, &other_}) {
    line->session->closed();
    line->session.reset();
  }
  database_->stop();
  worker_.reset();
  service_.reset();
  database_.reset();
}

void ModelWorld::restart() {
  close();
  open();
}

ModelReply ModelWorld::exchange(std::string_view message, ldap::MessageId id, bool as_admin) {
  Line& line = as_admin ? admin_ : other_;
  ModelReply reply;
  line.session->handle(message, clock_.monotonic_nanos(), line.received);
  while (!take_reply(line.received, id, reply)) {
    if (line.session->has_work()) {
      line.session->run_turn(line.received, line.received.size() + limits::kOutputQueueMax);
    } else if (line.session->operations_in_flight() == 0) {
      break;
    } else {
      jobs_->run_one();
    }
  }
  return reply;
}

ModelReply ModelWorld::ask_once(const ModelRequest& request, bool as_admin,
                                std::string_view cookie) {
  const ldap::MessageId id = ++(as_admin ? admin_ : other_).last_id;
  return exchange(encode(request, id, cookie), id, as_admin);
}

ModelReply ModelWorld::ask(const ModelRequest& request, bool as_admin) {
  ModelReply reply = ask_once(request, as_admin, {});
  reply.pages = {reply.entries.size()};
  while (reply.code == 0 && !reply.cookie.empty()) {
    ModelReply more = ask_once(request, as_admin, reply.cookie);
    const std::size_t count = more.entries.size();
    more.entries.insert(more.entries.end(), reply.entries.begin(), reply.entries.end());
    more.references.insert(more.references.end(), reply.references.begin(), reply.references.end());
    more.pages = reply.pages;
    more.pages.push_back(count);
    reply = std::move(more);
  }
  return reply;
}

std::string ModelWorld::verify() {
  const auto report = backend::verify(*database_, {});
  if (!report) return report.error().message();
  std::string text;
  for (const std::string& fault : report->faults) text += fault + "\n";
  return text;
}

}  // namespace kauri::operation::testing
