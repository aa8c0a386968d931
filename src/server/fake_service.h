// For tests: an operation::Service whose answers are told by the message ID and tag of a request,
// so that the server can be tested without a directory.
//
//   Compare           answered at once (compareTrue), after `compare_micros` of work
//   Search            `entries` answers in turns of 16, each of `entry_size`, then the result
//   Modify            answered by complete_one() on another thread
//   Bind              answered by complete_one(); reading pauses until then; then authenticated
//   Unbind            closing
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "ldap/message.h"
#include "operation/service.h"

namespace kauri::server {

class FakeService;

class FakeSession final : public operation::Session,
                          public std::enable_shared_from_this<FakeSession> {
 public:
  FakeSession(FakeService& service, operation::Peer peer, operation::Executor& executor)
      : service_(service), peer_(std::move(peer)), executor_(executor) {}

  void handle(std::string_view message, std::int64_t arrived_nanos, std::string& out) override;
  bool has_work() const override { return !searches_.empty(); }
  void run_turn(std::string& out, std::size_t out_limit) override;
  void set_output_ready(std::function<void()> callback) override { ready_ = std::move(callback); }
  void take_output(std::string& out) override {
    out += finished_;
    finished_.clear();
  }
  bool reading_paused() const override { return binding_; }
  bool closing() const override { return closing_; }
  std::size_t message_size_max() const override;
  bool authenticated() const override { return authenticated_; }
  std::size_t operations_in_flight() const override { return waiting_ + searches_.size(); }
  void protocol_error(std::string_view why, std::string& out) override {
    ldap::append_notice_of_disconnection(out, ldap::ResultCode::kProtocolError, why);
    closing_ = true;
  }
  void closed() override;

 private:
  struct Search {
    ldap::MessageId id = 0;
    std::size_t left = 0;
  };
  void complete(ldap::MessageId id, bool bind);

  FakeService& service_;
  operation::Peer peer_;
  operation::Executor& executor_;
  std::function<void()> ready_;
  std::string finished_;
  std::deque<Search> searches_;
  std::size_t waiting_ = 0;
  bool binding_ = false;
  bool authenticated_ = false;
  bool closing_ = false;
};

class FakeService final : public operation::Service {
 public:
  Result<std::unique_ptr<operation::WorkerContext>> worker_context() override {
    return std::make_unique<operation::WorkerContext>();
  }
  std::shared_ptr<operation::Session> session(operation::Peer peer, operation::WorkerContext&,
                                              operation::Executor& executor) override {
    {
      const std::lock_guard lock(mutex_);
      peers_.push_back(peer);
    }
    return std::make_shared<FakeSession>(*this, std::move(peer), executor);
  }
  void reload(std::shared_ptr<const security::AccessPolicy>, const operation::ServiceLimits&,
              std::string) override {}

  // Finishes the oldest waiting modify or bind, as a writer thread would. False: none waits.
  bool complete_one();
  std::vector<operation::Peer> peers() const {
    const std::lock_guard lock(mutex_);
    return peers_;
  }

  std::size_t entries = 0;  // of each search
  std::size_t entry_size = 1000;
  bool answers_at_once = false;  // searches, instead of in turns
  std::atomic<int> compare_micros{0};
  std::size_t message_size_max = 256;  // before a bind; ten times that after
  std::atomic<int> handled{0};
  std::atomic<int> turns{0};
  std::atomic<int> closed{0};

 private:
  friend class FakeSession;
  mutable std::mutex mutex_;
  std::deque<std::function<void()>> waiting_;  // guarded by mutex_
  std::vector<operation::Peer> peers_;         // guarded by mutex_
};

}  // namespace kauri::server
