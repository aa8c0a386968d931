// SearchTask: one search from its plan to its done message, in slices. Between slices it keeps the
// candidates and the position, never a snapshot (DESIGN section 4): each entry is checked again
// when it is read. Internal to operation/.
//
// Thread safety: confined to the worker thread. Owns all it needs: outlives the request. Reused:
// see Worker::take_task().
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/read_session.h"
#include "operation/candidate_walk.h"
#include "operation/explain.h"
#include "operation/paged_cookie.h"
#include "operation/plan_log.h"
#include "operation/request.h"
#include "operation/search_scope.h"
#include "operation/selection.h"
#include "query/compiled_filter.h"

namespace kauri::operation {

// What a slice works with.
struct TurnContext {
  ServiceImpl& service;
  SessionImpl& session;
  Worker& worker;
  std::string& out;
  std::size_t out_limit;
};

class SearchTask {
 public:
  // Takes over a request whose base was found. REQUIRES: the database's read session is begun.
  // RETURNS: what to answer when the search cannot start.
  std::optional<ldap::OperationResult> start(Request& request, const ldap::SearchRequest& search,
                                             std::size_t database, const SearchScope& base,
                                             Locator& locator);
  // Goes on in a snapshot of its own. RETURNS: true when the search is over and answered.
  bool run(const TurnContext& turn);
  // The same within the snapshot that is begun.
  bool advance(const TurnContext& turn);

  ldap::MessageId message_id() const { return id_; }
  // About how many octets it holds of the request; its candidates are bounded by the entries.
  std::size_t memory() const;
  // What the session counted for it, while it waits for a turn.
  std::size_t counted_memory = 0;
  void log_end(ServiceImpl& service, const ldap::OperationResult& result);
  // The client gave it up, or is gone.
  void log_abandoned(ServiceImpl& service);
  // Forgets everything but memory.
  void reset();

 private:
  enum class Step : std::uint8_t {
    kGoOn,
    kPause,
    kDone,
    kPageFull,
    kSizeLimit,
    kTimeLimit,
    kLookThrough
  };

  std::optional<ldap::OperationResult> open_page(Request& request);
  Result<void> add_references(Request& request, Locator& locator);
  // Whether a scope before the one at `index` holds the entry: it comes once, whatever aliases lead
  // to it.
  Result<bool> in_earlier_scope(backend::ReadSession& read, std::size_t index, EntryId id,
                                const entry::EntryView& view) const;
  Result<void> plan(backend::ReadSession& read);
  Result<void> note_plan(backend::ReadSession& read, const query::Plan& plan);
  Result<Step> loop(const TurnContext& turn, backend::ReadSession& read);
  Result<Step> consider(const TurnContext& turn, backend::ReadSession& read, Locator& locator,
                        EntryId id);
  Result<bool> matches(backend::ReadSession& read, query::Authorizer& authorizer,
                       query::AccessTarget& target);
  Result<void> measure(backend::ReadSession& read, query::Authorizer& authorizer,
                       query::AccessTarget& target);
  // What became of the candidate, for the explanation.
  Step done_with(Explanation::Outcome outcome, Step step = Step::kGoOn) {
    if (explain_ != nullptr) [[unlikely]] {
      explain_->mark(Explanation::Stage::kFilter);
      explain_->count(outcome);
    }
    return step;
  }
  bool only_plans() const {
    return explain_ != nullptr && explain_->mode() == ldap::ExplainMode::kPlan;
  }
  bool searchable(query::Authorizer& authorizer, query::AccessTarget& target) const;
  Step check_clock(const TurnContext& turn);
  ldap::OperationResult outcome(Step step) const;
  void finish(const TurnContext& turn, Step step, const ldap::OperationResult& result);
  // Where the page ends that is full, for its cookie.
  void note_page_end();
  std::string next_cookie(const TurnContext& turn) const;

  ldap::MessageId id_ = 0;
  std::size_t database_ = 0;
  query::CompiledFilter filter_;
  Selection selection_;
  bool skip_aliases_ = false;
  bool skip_referrals_ = false;

  std::vector<SearchScope> scopes_;
  std::size_t scope_index_ = 0;
  bool planned_ = false;  // walk_ belongs to scopes_[scope_index_]
  CandidateWalk walk_;
  std::uint64_t plan_snapshot_ = 0;
  bool filter_exact_ = false;
  bool scope_exact_ = false;
  // What an exact answer of the indexes rests on: each has to be searchable.
  std::vector<std::pair<AttributeNumber, const schema::AttributeType*>> filter_attributes_;

  std::uint32_t size_limit_ = 0;  // 0 = none, as the following
  std::uint64_t look_through_max_ = 0;
  std::int64_t time_limit_seconds_ = 0;
  std::int64_t deadline_nanos_ = 0;
  std::int64_t slice_started_nanos_ = 0;
  std::uint64_t work_ = 0;  // steps since the last look at the clock
  std::uint64_t examined_ = 0;
  std::uint32_t sent_ = 0;

  bool paged_ = false;
  std::uint32_t page_size_ = 0;
  std::uint32_t sent_before_ = 0;  // in earlier pages
  std::string resume_walk_;        // position from the cookie, for the first plan
  // The page is full when this is set. The search goes on until it meets the entry that the next
  // page begins with: a cookie that depended on candidates which the client may not see, or which
  // do not match, would tell of them.
  bool page_full_ = false;
  std::string page_end_walk_;
  std::size_t page_end_scope_ = 0;
  RequestDigest digest_{};

  std::unique_ptr<Explanation> explain_;  // nullptr unless it was asked for
  bool logged_ = false;
  OperationRecord record_;
  PlanLog plan_log_;
  std::uint64_t matched_ = 0;
  std::int64_t arrived_nanos_ = 0;
  std::int64_t started_nanos_ = 0;
};

}  // namespace kauri::operation
