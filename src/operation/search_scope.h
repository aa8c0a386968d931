// SearchScope: where a search looks. One, or several when aliases are dereferenced in searching
// (RFC 4511 section 4.5.1.3). Internal to operation/. Thread safety: immutable functions.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "backend/read_session.h"
#include "ldap/message.h"
#include "operation/locator.h"

namespace kauri::operation {

struct SearchScope {
  EntryId base;
  ldap::Scope scope = ldap::Scope::kSubtree;
  bool base_is_suffix = false;
};

Result<bool> in_scope(backend::ReadSession& read, const SearchScope& scope, EntryId id,
                      const entry::EntryView& view);

// Calls back for each entry of an object class in scope: (EntryId, EntryView) -> Result<void>.
Result<void> for_each_of_class(
    backend::ReadSession& read, const SearchScope& scope, std::string_view object_class,
    const std::function<Result<void>(EntryId, const entry::EntryView&)>& callback);

// Adds the scopes that the aliases inside scopes[0] open, and those inside these, each once. An
// alias that leads nowhere is passed over. RETURNS: kLimit when they are too many; kCorruption,
// kIo.
Result<void> add_aliased_scopes(backend::ReadSession& read, Locator& locator,
                                std::vector<SearchScope>& scopes);

}  // namespace kauri::operation
