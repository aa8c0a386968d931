#include "server/fake_service.h"

#include "base/clock.h"

namespace kauri::server {
namespace {
constexpr std::size_t kEntriesOfTurn = 16;

void work_for(int micros) {
  const std::int64_t end = Clock::system().monotonic_nanos() + std::int64_t{micros} * 1000;
  while (Clock::system().monotonic_nanos() < end) {
  }
}
}  // namespace

void FakeSession::handle(std::string_view octets, std::int64_t, std::string& out) {
  service_.handled.fetch_add(1);
  ldap::Message message;
  if (!ldap::decode_message(octets, message).ok()) {
    protocol_error("broken message", out);
    return;
  }
  const bool bind = message.tag == ber::application_constructed(0);
  if (message.tag == ldap::kUnbindRequestTag) {
    closing_ = true;
  } else if (message.tag == ber::application_constructed(3)) {
    searches_.push_back({message.id, service_.entries});
    while (service_.answers_at_once && has_work()) run_turn(out, std::string::npos);
  } else if (bind || message.tag == ber::application_constructed(6)) {
    ++waiting_;
    binding_ = binding_ || bind;
    const std::lock_guard lock(service_.mutex_);
    service_.waiting_.push_back(
        [weak = weak_from_this(), executor = &executor_, id = message.id, bind] {
          executor->post([weak, id, bind] {
            if (const auto self = weak.lock()) self->complete(id, bind);
          });
        });
  } else {
    work_for(service_.compare_micros);
    ldap::append_result(out, message.id, ldap::Operation::kCompareResponse,
                        {ldap::ResultCode::kCompareTrue, {}, {}, {}});
  }
}

void FakeSession::complete(ldap::MessageId id, bool bind) {
  --waiting_;
  if (bind) {
    binding_ = false;
    authenticated_ = true;
  }
  ldap::append_result(finished_, id,
                      bind ? ldap::Operation::kBindResponse : ldap::Operation::kModifyResponse, {});
  ready_();
}

void FakeSession::run_turn(std::string& out, std::size_t out_limit) {
  service_.turns.fetch_add(1);
  Search& search = searches_.front();
  for (std::size_t i = 0; i < kEntriesOfTurn && search.left > 0 && out.size() < out_limit; ++i) {
    ldap::append_search_entry(out, search.id, "cn=x", std::string(service_.entry_size, ' '), {});
    --search.left;
  }
  if (search.left > 0) return;
  ldap::append_result(out, search.id, ldap::Operation::kSearchResultDone, {});
  searches_.pop_front();
}

std::size_t FakeSession::message_size_max() const {
  return authenticated_ ? service_.message_size_max * 10 : service_.message_size_max;
}

void FakeSession::closed() {
  service_.closed.fetch_add(1);
  searches_.clear();
}

bool FakeService::complete_one() {
  std::function<void()> job;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty()) return false;
    job = std::move(waiting_.front());
    waiting_.pop_front();
  }
  job();
  return true;
}

}  // namespace kauri::server
