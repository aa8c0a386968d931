// The session behind service.h: the state of one connection. Internal to operation/.
//
// Thread safety: confined to its connection's worker thread; other threads reach it only through
// its handle().
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "operation/completion_queue.h"
#include "operation/request.h"
#include "operation/search_task.h"
#include "operation/service.h"
#include "operation/service_impl.h"
#include "operation/worker.h"
#include "query/access.h"

namespace kauri::operation {

// Which cookies of paged searches were given back already, so that none is used twice. It
// remembers the newest kWindow of the connection; older ones count as used.
class CookieWindow {
 public:
  // The number for a new cookie.
  std::uint64_t issue() {
    used_[next_ % kWindow] = false;
    return next_++;
  }
  // RETURNS: false when the number was never issued, was used, or is too old.
  bool use(std::uint64_t serial) {
    if (serial >= next_ || next_ - serial > kWindow || used_[serial % kWindow]) return false;
    used_[serial % kWindow] = true;
    return true;
  }

 private:
  static constexpr std::uint64_t kWindow = 1024;
  std::uint64_t next_ = 1;
  std::bitset<kWindow> used_ = std::bitset<kWindow>().set();
};

class SessionImpl final : public Session, public std::enable_shared_from_this<SessionImpl> {
 public:
  SessionImpl(ServiceImpl& service, Worker& worker, Executor& executor, Peer peer);
  ~SessionImpl() override;

  void handle(std::string_view message, std::int64_t arrived_nanos, std::string& out) override;
  bool has_work() const override { return !searches_.empty(); }
  void run_turn(std::string& out, std::size_t out_limit) override;
  void set_output_ready(std::function<void()> callback) override {
    output_ready_ = std::move(callback);
  }
  void take_output(std::string& out) override;
  bool reading_paused() const override;
  bool closing() const override { return closing_; }
  std::size_t message_size_max() const override;
  bool authenticated() const override { return !identity_.anonymous(); }
  std::size_t operations_in_flight() const override { return in_flight() + deferred_.size(); }
  void protocol_error(std::string_view why, std::string& out) override;
  void closed() override;

  // --- For the handlers ---
  const Peer& peer() const { return peer_; }
  const query::Identity& identity() const { return identity_; }
  // Counts binds; a cookie of an earlier one is void.
  std::uint64_t bind_count() const { return bind_count_; }
  const Settings& settings() const { return *settings_; }
  // Judges for the identity on the entries of one database. VALID UNTIL: the identity changes.
  query::Authorizer& authorizer(std::size_t database);
  // A password may travel on this connection (RFC 4513 section 5.1.3).
  bool password_allowed() const;
  CookieWindow& cookies() { return cookies_; }

  void become(query::Identity identity);
  // From now until bind_ended() no message is handled.
  void bind_began() { bind_in_progress_ = true; }
  void bind_ended(query::Identity identity);

  SessionHandle handle_for_completion();
  // Registers the request as one that ends later.
  std::shared_ptr<AsyncOperation> begin_async(Request& request);
  // Appends its answer to the collected output, unless it was abandoned.
  void finish_async(AsyncOperation& operation, const ldap::OperationResult& result);

  void keep_search(std::unique_ptr<SearchTask> task);
  // Forgets a search or hides the answer of another operation; unknown ids do nothing.
  void abandon(ldap::MessageId id);
  enum class Cancelled : std::uint8_t { kYes, kNoSuchOperation, kCannotCancel };
  // RFC 3909: a search that is cancelled answers `canceled` to `out` first.
  Cancelled cancel(ldap::MessageId id, std::string& out);
  void unbind();

  // For CompletionQueue: a batch of completions has run.
  void completions_drained();

 private:
  struct Deferred {
    std::string message;
    std::int64_t arrived_nanos;
  };

  std::size_t in_flight() const { return searches_.size() + async_.size(); }
  bool is_in_flight(ldap::MessageId id) const;
  // No further operation may begin.
  bool is_full() const;
  // What began last may have filled it: then it counts as a limit that was met.
  void count_if_full() const;
  // A search that waited for a turn is over.
  void drop_search(std::unique_ptr<SearchTask> task);
  // RETURNS: false when the message has to wait for operations in flight.
  bool dispatch(std::string_view message, std::int64_t arrived_nanos, std::string& out);
  void serve(Request& request, const ldap::DecodeResult& envelope);
  void process_deferred(std::string& out);
  void refresh_settings();
  void begin_record(Request& request, std::string_view kind);
  void drop_everything();

  ServiceImpl& service_;
  Worker& worker_;
  Executor& executor_;
  Peer peer_;

  query::Identity identity_;
  std::uint64_t bind_count_ = 0;
  std::vector<std::unique_ptr<query::Authorizer>> authorizers_;  // by database; made when needed
  std::uint64_t generation_ = 0;
  std::shared_ptr<const Settings> settings_;
  CookieWindow cookies_;

  std::deque<std::unique_ptr<SearchTask>> searches_;  // waiting for a turn
  std::unordered_map<ldap::MessageId, std::shared_ptr<AsyncOperation>> async_;
  std::size_t memory_in_flight_ = 0;  // octets of searches_ and async_
  std::deque<Deferred> deferred_;     // messages that wait, in order
  bool bind_in_progress_ = false;
  bool closing_ = false;
  std::int64_t operation_count_ = 0;

  std::string pending_output_;
  std::function<void()> output_ready_;
};

}  // namespace kauri::operation
