// Search (RFC 4511 section 4.5): from the request to a SearchTask, or to the answer at once.

#include "base/limits.h"
#include "ldap/controls.h"
#include "operation/entry_writer.h"
#include "operation/handlers.h"
#include "operation/lazy_target.h"
#include "operation/locator.h"
#include "operation/search_task.h"
#include "operation/service_impl.h"
#include "operation/session_impl.h"
#include "operation/worker.h"
#include "query/secret_values.h"

namespace kauri::operation {
namespace {

using ldap::OperationResult;
using ldap::ResultCode;
using query::Right;

void describe(OperationRecord& record, const ldap::SearchRequest& search,
              const schema::Schema& schema) {
  constexpr std::string_view kScopes[] = {"base", "one", "sub", "subordinates"};
  record.dn = search.base;
  record.scope = kScopes[static_cast<std::size_t>(search.scope)];
  record.filter = query::loggable_filter(schema, search.filter);
  for (const std::string_view attribute : search.attributes) {
    if (!record.attributes.empty()) record.attributes += ' ';
    record.attributes += attribute;
  }
}

// The root DSE and the subschema entry: everybody may read them, and nothing lies below them.
void search_virtual(Request& request, const ldap::SearchRequest& search,
                    const VirtualEntry& entry) {
  if (entry.normal_dn.empty() && search.scope != ldap::Scope::kBase) {
    return answer(request,
                  ldap::failure(ResultCode::kNoSuchObject,
                                "the root is no entry to search below; this server holds " +
                                    request.service.suffix_list()));
  }
  const bool in_scope = search.scope == ldap::Scope::kBase || search.scope == ldap::Scope::kSubtree;
  query::AllowAll authorizer{query::Identity()};
  VirtualTarget target(entry);
  query::EvaluationContext context{&target, &authorizer, nullptr, nullptr};
  const auto filter = query::CompiledFilter::compile(search.filter, *entry.dictionary);
  const auto tri = filter.evaluate(context);
  if (!tri) return answer(request, internal_failure(request.service, request.record, tri.error()));
  const bool page_of_none = request.controls.paged.has_value() && request.controls.paged->size == 0;
  if (in_scope && *tri == query::Tri::kTrue && !page_of_none) {
    Selection selection;
    selection.compile(search.attributes, search.types_only, *entry.dictionary);
    EntryWriter writer{selection, *entry.dictionary, authorizer,
                       nullptr,   nullptr,           request.worker.attributes};
    const auto written = writer.append(request.message.id, entry.dn, target, request.out);
    if (!written)
      return answer(request, internal_failure(request.service, request.record, written.error()));
    if (request.record != nullptr) request.record->entries = 1;
  }
  std::vector<ldap::Control> controls;
  if (request.controls.paged.has_value()) controls.push_back(ldap::paged_results_control({}));
  answer(request, {}, controls);
}

// The base by its text, from the worker's memory or by parsing. RETURNS: nullptr when the request
// has been answered.
KnownBase* base_of(Request& request, const ldap::SearchRequest& search) {
  if (KnownBase* known = request.worker.known_base(search.base)) return known;
  Name name;
  if (auto bad = parse_name(request.service.schema(), search.base, name)) {
    answer(request, *bad);
    return nullptr;
  }
  if (const auto* entry = request.service.virtual_entries().find(name.normal)) {
    search_virtual(request, search, *entry);
    return nullptr;
  }
  const auto database = request.service.database_for(name.normal);
  if (!database.has_value()) {
    answer(request, outside_suffixes(search.base, request.service.suffix_list()));
    return nullptr;
  }
  return request.worker.remember_base(search.base, std::move(name), *database);
}

// The base's entry, when the identity may search from there.
Result<Located> find_base(Request& request, const ldap::SearchRequest& search, KnownBase& base,
                          backend::ReadSession& read, Locator& locator) {
  Located located;
  if (base.id != EntryId() && base.snapshot == read.snapshot()) {
    located.id = base.id;
  } else {
    LocateOptions options;
    options.follow_aliases = search.deref == ldap::DerefAliases::kFindingBase ||
                             search.deref == ldap::DerefAliases::kAlways;
    options.manage_dsa_it = request.controls.manage_dsa_it;
    options.scope = search.scope;
    KAURI_TRY(located, locator.find(base.name, search.base, options));
    if (!located.id.has_value()) return located;
    // With aliases or referrals about, what a name means depends on the request.
    if (!locator.has_aliases() && !locator.has_referrals()) {
      base.id = *located.id;
      base.snapshot = read.snapshot();
    }
  }
  query::Authorizer& authorizer = request.session.authorizer(base.database);
  LazyTarget target(read, *located.id);
  if (authorizer.may_entry(target, Right::kSearch)) return located;
  const entry::EntryView* view = target.entry();
  const EntryId parent = view != nullptr ? view->parent() : EntryId();
  if (authorizer.may_entry(target, Right::kDisclose)) {
    located.failure = ldap::failure(ResultCode::kInsufficientAccessRights,
                                    "there is no right to search from " + quoted(search.base));
  } else {
    KAURI_TRY(located.failure, locator.no_such_object(search.base, parent));
  }
  located.id.reset();
  return located;
}

}  // namespace

void handle_search(Request& request) {
  Worker& worker = request.worker;
  ldap::SearchRequest& search = worker.search;
  if (!decoded(request, ldap::decode_search(request.message.body, search))) return;
  if (request.record != nullptr) describe(*request.record, search, request.service.schema());
  if (auto refused = check_explain(request)) return answer(request, *refused);
  KnownBase* base = base_of(request, search);
  if (base == nullptr) return;

  backend::ReadSession& read = worker.read(base->database);
  const auto guard = ReadGuard::begin(read);
  if (!guard)
    return answer(request, internal_failure(request.service, request.record, guard.error()));
  Locator locator(read, request.session.authorizer(base->database));
  Result<Located> located = find_base(request, search, *base, read, locator);
  if (!located)
    return answer(request, internal_failure(request.service, request.record, located.error()));
  if (!located->id.has_value()) return answer(request, located->failure);

  const bool is_suffix =
      !located->renamed_by_alias && base->name.normal == read.database().suffix_normal();
  std::unique_ptr<SearchTask> task = worker.take_task();
  if (auto refused = task->start(request, search, base->database,
                                 {*located->id, search.scope, is_suffix}, locator)) {
    answer(request, *refused);
    return worker.give_back(std::move(task));
  }
  if (task->advance(
          {request.service, request.session, worker, request.out, limits::kOutputQueueMax})) {
    worker.give_back(std::move(task));
  } else {
    request.session.keep_search(std::move(task));
  }
}

}  // namespace kauri::operation
