// Locator: finds the entry that a name of a request means, on one snapshot of one database: through
// aliases where asked (RFC 4511 section 4.5.1.3), stopping at referral objects (RFC 3296), telling
// no more than the identity may know. Internal to operation/. Thread safety: thread-compatible.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/read_session.h"
#include "ldap/message.h"
#include "ldap/result_code.h"
#include "operation/names.h"
#include "query/access.h"

namespace kauri::operation {

struct LocateOptions {
  bool follow_aliases = false;
  bool manage_dsa_it = false;
  std::optional<ldap::Scope> scope = std::nullopt;  // of a search; shapes referral URLs
};

struct Located {
  std::optional<EntryId> id;
  bool renamed_by_alias = false;  // the entry's name is not the one asked for
  ldap::OperationResult failure;  // when there is no id
};

class Locator {
 public:
  // REQUIRES: `read` is begun.
  Locator(backend::ReadSession& read, query::Authorizer& authorizer);

  // REQUIRES: `name` is at or below the database's suffix. Access to the entry found is the
  // caller's to check. RETURNS: kCorruption, kIo.
  Result<Located> find(const Name& name, std::string_view text, const LocateOptions& options);

  // noSuchObject with the deepest disclosed entry at or above `deepest` (0: none) as matchedDN.
  // The same for an entry that exists but is not disclosed, given its parent.
  Result<ldap::OperationResult> no_such_object(std::string_view text, EntryId deepest);

  // Whether entries of the kind can exist at all, told from the dictionary without reading.
  bool has_aliases() const { return !alias_numbers_.empty(); }
  bool has_referrals() const { return !ref_numbers_.empty(); }
  bool is_alias(const entry::EntryView& view) const;
  bool is_referral(const entry::EntryView& view) const;

  // Whether the identity has the right on the entry itself.
  Result<bool> may(EntryId id, query::Right right);
  // The name that an alias entry points to. Nothing when it is no DN of this database, or when the
  // identity may not search from the alias or for what it holds.
  std::optional<Name> alias_target(EntryId id, const entry::EntryView& view);
  // The URIs of a referral object; empty when they may not be seen. `below` and `scope` as in
  // ReferralTarget.
  Result<std::vector<std::string>> referral_uris(EntryId id, const entry::EntryView& view,
                                                 std::string_view below,
                                                 std::optional<ldap::Scope> scope);

 private:
  bool has_class(const entry::EntryView& view, const schema::ObjectClass& object_class) const;
  // The name of the deepest entry at or above `deepest` (0: none) that may be known: a matchedDN.
  Result<void> append_disclosed_dn(EntryId deepest, std::string& out);
  // What becomes of `text` for the sake of `alias`; matchedDN is that, or what may be known of it.
  Result<ldap::OperationResult> alias_failure(ldap::ResultCode code, std::string_view text,
                                              std::string_view why, EntryId alias);
  // Whether the entry of the resolved name that is `levels` RDNs above its end is there and may be
  // known.
  Result<bool> known_ancestor(const backend::Resolution& resolution, std::size_t levels);
  // Makes `name`, of which `resolution` tells how far it leads, what it is behind the alias at its
  // deepest entry; empty when that leads nowhere. `name.normal` is left. RETURNS: false when there
  // is no alias.
  Result<bool> step_through_alias(const backend::Resolution& resolution, Name& name);
  Result<std::optional<ldap::OperationResult>> referral_above(const Name& name,
                                                              const backend::Resolution& resolution,
                                                              const LocateOptions& options);

  backend::ReadSession& read_;
  query::Authorizer& authorizer_;
  const entry::Dictionary& dictionary_;
  const schema::Schema& schema_;
  std::span<const AttributeNumber> alias_numbers_;
  std::span<const AttributeNumber> ref_numbers_;
};

// noSuchObject for a name outside every suffix.
ldap::OperationResult outside_suffixes(std::string_view text, const std::string& suffix_list);

}  // namespace kauri::operation
