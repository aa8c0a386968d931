#include "operation/search_task.h"

#include <algorithm>

#include "base/limit_counters.h"
#include "base/limits.h"
#include "ldap/controls.h"
#include "operation/computed_values.h"
#include "operation/entry_writer.h"
#include "operation/service_impl.h"
#include "operation/session_impl.h"
#include "operation/worker.h"
#include "query/planner.h"

namespace kauri::operation {
namespace {

using ldap::OperationResult;
using ldap::ResultCode;
using query::Right;

// Steps of work (query/filter_work.h) between two looks at the clock, and those of a candidate
// whatever its evaluation takes.
constexpr std::uint64_t kClockWork = 240'000;
constexpr std::uint64_t kCandidateWork = kClockWork / 16;
constexpr std::int64_t kSliceNanos = std::int64_t{limits::kSearchSliceMicros} * 1000;

// The smaller of two limits of which 0 is none.
template <class T>
T stricter(T a, T b) {
  if (a == 0) return b;
  return b == 0 ? a : std::min(a, b);
}

}  // namespace

void SearchTask::reset() {
  walk_.clear();
  scopes_.clear();
  scope_index_ = 0;
  planned_ = false;
  filter_attributes_.clear();
  examined_ = 0;
  sent_ = 0;
  slice_started_nanos_ = 0;
  deadline_nanos_ = 0;
  paged_ = false;
  page_size_ = 0;
  sent_before_ = 0;
  resume_walk_.clear();
  page_full_ = false;
  page_end_walk_.clear();
  page_end_scope_ = 0;
  explain_.reset();
  logged_ = false;
  plan_log_.clear();
  matched_ = 0;
}

std::optional<OperationResult> SearchTask::start(Request& request,
                                                 const ldap::SearchRequest& search,
                                                 std::size_t database, const SearchScope& base,
                                                 Locator& locator) {
  id_ = request.message.id;
  database_ = database;
  arrived_nanos_ = request.arrived_nanos;
  started_nanos_ = request.started_nanos;
  logged_ = request.record != nullptr;
  if (logged_) record_ = *request.record;

  const ServiceLimits& most = request.session.settings().limits;
  const bool unlimited = request.session.identity().administrator;
  size_limit_ =
      stricter(static_cast<std::uint32_t>(search.size_limit), unlimited ? 0 : most.search_size_max);
  time_limit_seconds_ =
      stricter<std::int64_t>(search.time_limit, unlimited ? 0 : most.search_seconds_max);
  look_through_max_ = unlimited ? 0 : most.look_through_max;
  if (time_limit_seconds_ > 0) {
    deadline_nanos_ = arrived_nanos_ + time_limit_seconds_ * 1'000'000'000;
  }

  if (request.controls.explain.has_value()) {
    explain_ = std::make_unique<Explanation>(*request.controls.explain, std::string(search.base),
                                             search.scope, request.service.clock());
  }
  backend::ReadSession& read = request.worker.read(database);
  const entry::Dictionary& dictionary = read.database().dictionary();
  filter_.assign(search.filter, dictionary);
  selection_.compile(search.attributes, search.types_only, dictionary);
  for (const query::CompiledNode& node : filter_.nodes()) {
    for (const AttributeNumber number : node.numbers) {
      filter_attributes_.emplace_back(number, dictionary.description(number).type);
    }
    // What no entry has is hidden like what some have: else NOT would tell one from the other.
    for (const schema::AttributeType* type : node.unstored_types) {
      filter_attributes_.emplace_back(AttributeNumber(), type);
    }
  }

  scopes_.push_back(base);
  skip_aliases_ = locator.has_aliases() && (search.deref == ldap::DerefAliases::kInSearching ||
                                            search.deref == ldap::DerefAliases::kAlways);
  skip_referrals_ = locator.has_referrals() && !request.controls.manage_dsa_it;
  if (skip_aliases_) {
    if (auto added = add_aliased_scopes(read, locator, scopes_); !added) {
      return internal_failure(request.service, request.record, added.error());
    }
  }
  if (request.controls.paged.has_value()) {
    if (auto refused = open_page(request)) return refused;
  }
  if (skip_referrals_ && !only_plans() && (!paged_ || request.controls.paged->cookie.empty())) {
    if (auto added = add_references(request, locator); !added) {
      return internal_failure(request.service, request.record, added.error());
    }
  }
  return std::nullopt;
}

std::optional<OperationResult> SearchTask::open_page(Request& request) {
  const ldap::PagedResults& page = *request.controls.paged;
  paged_ = true;
  page_size_ = static_cast<std::uint32_t>(page.size);
  if (logged_) record_.notes += 'P';
  digest_ = request_digest(request.message.body, request.session.identity().normal_dn,
                           request.session.peer().connection, request.session.bind_count());
  if (page.cookie.empty()) return std::nullopt;
  const auto position = open_cookie(request.service.cookie_key(), digest_, page.cookie);
  if (!position.has_value()) {
    return ldap::failure(ResultCode::kUnwillingToPerform,
                         "the cookie of the paged results control does not belong to this search: "
                         "it serves only for the same request of the same bind on the same "
                         "connection");
  }
  if (!request.session.cookies().use(position->serial)) {
    return ldap::failure(ResultCode::kUnwillingToPerform,
                         "the cookie of the paged results control was used before; only the "
                         "newest one of a search serves");
  }
  if (position->scope >= scopes_.size()) {
    return ldap::failure(ResultCode::kUnwillingToPerform,
                         "aliases of this search changed between its pages; start it again");
  }
  sent_before_ = position->sent;
  scope_index_ = position->scope;
  resume_walk_ = position->walk;
  return std::nullopt;
}

Result<void> SearchTask::add_references(Request& request, Locator& locator) {
  backend::ReadSession& read = request.worker.read(database_);
  for (std::size_t i = 0; i < scopes_.size(); ++i) {
    const SearchScope& scope = scopes_[i];
    // A continuation of a one-level search is at the referred entry itself (RFC 4511
    // section 4.5.3); so is that of what an alias below its base leads to.
    const bool deep =
        scope.scope == ldap::Scope::kSubtree || scope.scope == ldap::Scope::kSubordinate;
    const ldap::Scope onward = deep ? ldap::Scope::kSubtree : ldap::Scope::kBase;
    const auto add = [&](EntryId id, const entry::EntryView& view) -> Result<void> {
      if (!locator.is_referral(view)) return {};
      KAURI_TRY(const bool seen, in_earlier_scope(read, i, id, view));
      if (seen) return {};
      KAURI_TRY(const std::vector<std::string> uris, locator.referral_uris(id, view, {}, onward));
      if (!uris.empty()) ldap::append_search_reference(request.out, id_, uris);
      return {};
    };
    if (scope.scope != ldap::Scope::kBase) {
      KAURI_CHECK(for_each_of_class(read, scope, "referral", add));
    } else if (i > 0) {  // the base of the request is no referral object, or it was the answer
      KAURI_TRY(const std::optional<entry::EntryView> view, read.entry(scope.base));
      if (view.has_value()) KAURI_CHECK(add(scope.base, *view));
    }
  }
  return {};
}

Result<bool> SearchTask::in_earlier_scope(backend::ReadSession& read, std::size_t index, EntryId id,
                                          const entry::EntryView& view) const {
  for (std::size_t earlier = 0; earlier < index; ++earlier) {
    KAURI_TRY(const bool seen, in_scope(read, scopes_[earlier], id, view));
    if (seen) return true;
  }
  return false;
}

Result<void> SearchTask::note_plan(backend::ReadSession& read, const query::Plan& plan) {
  const index::IndexCatalog& catalog = read.database().indexes();
  if (logged_) plan_log_.note(plan, filter_, catalog, record_);
  if (explain_ == nullptr) return {};
  const SearchScope& scope = scopes_[scope_index_];
  // The base of a scope that an alias opened may be gone by now.
  KAURI_TRY(const std::optional<entry::EntryView> base, read.entry(scope.base));
  std::string dn;
  if (base.has_value()) KAURI_CHECK(read.append_dn(*base, dn));
  explain_->mark(Explanation::Stage::kPlan);
  explain_->planned(std::move(dn), scope, plan, filter_, catalog);
  explain_->mark(Explanation::Stage::kMeasure);
  return {};
}

Result<void> SearchTask::plan(backend::ReadSession& read) {
  const SearchScope& scope = scopes_[scope_index_];
  query::Plan plan;
  if (scope.scope == ldap::Scope::kBase) {
    plan.source = query::CandidateSource::kBase;
    plan.scope_exact = true;
    plan.estimate = 1;
  } else {
    backend::Database& database = read.database();
    KAURI_TRY(plan,
              query::make_plan(
                  filter_, {scope.base, scope.scope, scope.base_is_suffix, false},
                  database.indexes(), database.dictionary(), read.txn(),
                  {.explain = logged_ || explain_ != nullptr, .every_leaf = explain_ != nullptr}));
  }
  if (logged_ || explain_ != nullptr) KAURI_CHECK(note_plan(read, plan));
  plan_snapshot_ = read.snapshot();
  filter_exact_ = plan.filter_exact;
  scope_exact_ = plan.scope_exact;
  walk_.start(std::move(plan),
              {scope.base, scope.scope != ldap::Scope::kSubordinate, scope.base_is_suffix});
  planned_ = true;
  if (!resume_walk_.empty()) {
    // The position has our MAC; a walk that does not fit it is a fault of ours.
    if (!walk_.load(resume_walk_)) {
      return Error(ErrorCode::kInternal, "a paged results cookie holds no position");
    }
    resume_walk_.clear();
  }
  return {};
}

bool SearchTask::run(const TurnContext& turn) {
  auto guard = ReadGuard::begin(turn.worker.read(database_));
  if (!guard) {
    finish(turn, Step::kDone,
           internal_failure(turn.service, logged_ ? &record_ : nullptr, guard.error()));
    return true;
  }
  return advance(turn);
}

bool SearchTask::advance(const TurnContext& turn) {
  slice_started_nanos_ = 0;
  work_ = 0;
  if (explain_ != nullptr) explain_->resume();
  const Result<Step> step = loop(turn, turn.worker.read(database_));
  if (!step) {
    finish(turn, Step::kDone,
           internal_failure(turn.service, logged_ ? &record_ : nullptr, step.error()));
    return true;
  }
  walk_.suspend();
  if (*step == Step::kPause) return false;
  finish(turn, *step, outcome(*step));
  return true;
}

Result<SearchTask::Step> SearchTask::loop(const TurnContext& turn, backend::ReadSession& read) {
  // RFC 2696 section 3: a page of no entries asks for nothing, or gives the search up.
  if (paged_ && page_size_ == 0) return Step::kDone;
  Locator locator(read, turn.session.authorizer(database_));
  while (true) {
    if (work_ >= kClockWork) {
      const Step clock = check_clock(turn);
      if (clock == Step::kTimeLimit && page_full_) return Step::kPageFull;
      if (clock != Step::kGoOn) return clock;
    }
    if (!planned_) {
      if (scope_index_ == scopes_.size()) return Step::kDone;
      KAURI_CHECK(plan(read));
    }
    KAURI_TRY(std::optional<EntryId> id, walk_.next(read.txn()));
    if (explain_ != nullptr) [[unlikely]] {
      explain_->mark(Explanation::Stage::kCandidates);
      if (only_plans()) id.reset();
    }
    if (!id.has_value()) {
      planned_ = false;
      ++scope_index_;
      continue;
    }
    ++examined_;
    if (look_through_max_ != 0 && examined_ > look_through_max_) {
      if (page_full_) return Step::kPageFull;
      limits::count(limits::Counter::kLookThrough);
      return Step::kLookThrough;
    }
    work_ += kCandidateWork;
    KAURI_TRY(const Step step, consider(turn, read, locator, *id));
    if (step != Step::kGoOn) return step;
    if (turn.out.size() >= turn.out_limit) return Step::kPause;
  }
}

SearchTask::Step SearchTask::check_clock(const TurnContext& turn) {
  const std::int64_t now = turn.service.clock().monotonic_nanos();
  if (deadline_nanos_ != 0 && now >= deadline_nanos_) {
    // The client's own limit is none of the server's.
    if (time_limit_seconds_ == turn.session.settings().limits.search_seconds_max)
      limits::count(limits::Counter::kSearchSeconds);
    return Step::kTimeLimit;
  }
  // A step is about a nanosecond: a slice that began with a dear entry is as old as that.
  if (slice_started_nanos_ == 0) slice_started_nanos_ = now - static_cast<std::int64_t>(work_);
  work_ = 0;
  return now - slice_started_nanos_ >= kSliceNanos ? Step::kPause : Step::kGoOn;
}

Result<SearchTask::Step> SearchTask::consider(const TurnContext& turn, backend::ReadSession& read,
                                              Locator& locator, EntryId id) {
  using Outcome = Explanation::Outcome;
  KAURI_TRY(const std::optional<entry::EntryView> view, read.entry(id));
  if (!view.has_value()) {
    // Gone since the plan was made; in its own snapshot that would be damage.
    if (read.snapshot() == plan_snapshot_) KAURI_CHECK(read.required_entry(id));
    return done_with(Outcome::kGone);
  }
  const SearchScope& scope = scopes_[scope_index_];
  if (skip_referrals_ && locator.is_referral(*view)) return done_with(Outcome::kPassedOver);
  if (skip_aliases_ && id != scope.base && locator.is_alias(*view))
    return done_with(Outcome::kPassedOver);
  if (!scope_exact_ || read.snapshot() != plan_snapshot_) {
    KAURI_TRY(const bool inside, in_scope(read, scope, id, *view));
    if (!inside) return done_with(Outcome::kOutOfScope);
  }
  KAURI_TRY(const bool seen, in_earlier_scope(read, scope_index_, id, *view));
  if (seen) return done_with(Outcome::kPassedOver);
  query::Authorizer& authorizer = turn.session.authorizer(database_);
  backend::StoredTarget target(read, id, *view);
  KAURI_TRY(const bool matching, matches(read, authorizer, target));
  if (explain_ != nullptr) [[unlikely]] {
    KAURI_CHECK(measure(read, authorizer, target));
  }
  if (!matching) return done_with(Outcome::kNotMatching);
  ++matched_;
  if (!authorizer.may_entry(target, Right::kRead)) return done_with(Outcome::kUnreadable);
  if (page_full_) return done_with(Outcome::kLeft, Step::kPageFull);
  if (size_limit_ != 0 && sent_before_ + sent_ >= size_limit_) {
    if (size_limit_ == turn.session.settings().limits.search_size_max)
      limits::count(limits::Counter::kSearchSize);
    return done_with(Outcome::kLeft, Step::kSizeLimit);
  }

  const std::size_t before = turn.out.size();
  done_with(Outcome::kReturned);
  std::string& dn = turn.worker.dn;
  dn.clear();
  KAURI_CHECK(read.append_dn(*view, dn));
  EntryComputedValues computed(read, authorizer);
  EntryWriter writer{selection_, read.database().dictionary(), authorizer, &read.external(),
                     &computed,  turn.worker.attributes};
  KAURI_CHECK(writer.append(id_, dn, target, turn.out));
  ++sent_;
  if (explain_ != nullptr) [[unlikely]] {
    explain_->mark(Explanation::Stage::kEncode);
    explain_->count_encoded(turn.out.size() - before, writer.copied);
    if (explain_->mode() == ldap::ExplainMode::kDiscard) turn.out.resize(before);
  }
  if (paged_ && sent_ == page_size_) note_page_end();
  return Step::kGoOn;
}

Result<void> SearchTask::measure(backend::ReadSession& read, query::Authorizer& authorizer,
                                 query::AccessTarget& target) {
  explain_->mark(Explanation::Stage::kFilter);
  EntryComputedValues computed(read, authorizer);
  query::EvaluationContext context{&target, &authorizer, &read.external(), &computed};
  KAURI_TRY(const std::uint64_t work, explain_->measure(filter_, context));
  work_ += work;
  explain_->mark(Explanation::Stage::kMeasure);
  return {};
}

bool SearchTask::searchable(query::Authorizer& authorizer, query::AccessTarget& target) const {
  return std::all_of(filter_attributes_.begin(), filter_attributes_.end(), [&](const auto& named) {
    return named.first == AttributeNumber()
               ? authorizer.may(target, *named.second, Right::kSearch)
               : authorizer.may(target, named.first, *named.second, Right::kSearch);
  });
}

Result<bool> SearchTask::matches(backend::ReadSession& read, query::Authorizer& authorizer,
                                 query::AccessTarget& target) {
  if (filter_exact_ && read.snapshot() == plan_snapshot_ && searchable(authorizer, target)) {
    return true;
  }
  EntryComputedValues computed(read, authorizer);
  query::EvaluationContext context{&target, &authorizer, &read.external(), &computed};
  KAURI_TRY(const query::Tri tri, filter_.evaluate(context));
  work_ += limits::kFilterWorkMax - context.work_left;
  return tri == query::Tri::kTrue;
}

std::size_t SearchTask::memory() const {
  return sizeof(*this) + filter_.memory() + (explain_ == nullptr ? 0 : explain_->memory()) +
         record_.filter.capacity() + record_.attributes.capacity();
}

OperationResult SearchTask::outcome(Step step) const {
  switch (step) {
    case Step::kSizeLimit:
      return ldap::failure(ResultCode::kSizeLimitExceeded,
                           "more entries match than the limit of " + std::to_string(size_limit_));
    case Step::kTimeLimit:
      return ldap::failure(
          ResultCode::kTimeLimitExceeded,
          "the search took longer than the limit of " + std::to_string(time_limit_seconds_) + " s");
    case Step::kLookThrough:
      return ldap::failure(ResultCode::kAdminLimitExceeded,
                           "the search would examine more than " +
                               std::to_string(look_through_max_) +
                               " entries; a filter on an indexed attribute would help");
    default:
      return {};
  }
}

void SearchTask::note_page_end() {
  page_full_ = true;
  page_end_scope_ = scope_index_;
  page_end_walk_.clear();
  walk_.save(page_end_walk_);
}

std::string SearchTask::next_cookie(const TurnContext& turn) const {
  return make_cookie(turn.service.cookie_key(), digest_,
                     {turn.session.cookies().issue(), sent_before_ + sent_,
                      static_cast<std::uint32_t>(page_end_scope_), page_end_walk_});
}

void SearchTask::finish(const TurnContext& turn, Step step, const OperationResult& result) {
  std::vector<ldap::Control> controls;
  if (paged_) {
    const std::string cookie = step == Step::kPageFull ? next_cookie(turn) : std::string();
    // No estimate of the whole: it could tell of entries that the client may not see.
    controls.push_back(ldap::paged_results_control({0, cookie}));
  }
  if (explain_ != nullptr) controls.push_back(explain_->control(filter_, result));
  ldap::append_result(turn.out, id_, ldap::Operation::kSearchResultDone, result, controls);
  log_end(turn.service, result);
}

void SearchTask::log_end(ServiceImpl& service, const OperationResult& result) {
  if (!logged_) return;
  record_.entries = sent_;
  plan_log_.finish(examined_, matched_, record_);
  log_operation(service, record_, result, arrived_nanos_, started_nanos_ - arrived_nanos_);
}

void SearchTask::log_abandoned(ServiceImpl& service) {
  record_.notes += 'A';
  log_end(service, {});
}

}  // namespace kauri::operation
