// Requests that a model of a directory understands as well as the directory itself: kept as values,
// sent as octets. Thread safety: thread-compatible. For tests and fuzz targets only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ldap/message.h"

namespace kauri::operation::testing {

struct FilterTree {
  enum class Kind : std::uint8_t {
    kAnd,
    kOr,
    kNot,
    kPresent,
    kEqual,
    kAtLeast,
    kAtMost,
    kSubstrings
  } kind = Kind::kPresent;
  std::string attribute;
  std::string value;
  // Of substrings: the first is the initial part, the last the final one, both perhaps empty.
  std::vector<std::string> parts;
  std::vector<FilterTree> children;

  // As RFC 4515 has it.
  std::string text() const;
};

// An attribute of an add, or one step of a modify.
struct ModelChange {
  ldap::ModifyOperation operation = ldap::ModifyOperation::kAdd;
  std::string attribute;
  std::vector<std::string> values;
};

struct ModelRequest {
  enum class Kind : std::uint8_t {
    kBind,
    kAdd,
    kDelete,
    kModify,
    kRename,
    kCompare,
    kSearch
  } kind = Kind::kSearch;
  std::string dn;  // target, base or name

  std::vector<ModelChange> changes;  // add, modify
  bool permissive = false;           // modify

  std::string new_rdn;  // rename
  bool delete_old = false;
  std::optional<std::string> superior;

  std::string attribute;  // compare
  std::string value;      // compare; the password of a bind

  ldap::Scope scope = ldap::Scope::kSubtree;  // search
  FilterTree filter;
  std::vector<std::string> attributes;
  bool types_only = false;
  std::int32_t size_limit = 0;
  std::uint32_t page_size = 0;  // 0: not paged
  // Beyond what the model knows:
  ldap::DerefAliases deref = ldap::DerefAliases::kNever;
  bool manage_dsa_it = false;  // any kind

  // One line, to be read by people.
  std::string text() const;
};

// The octets of the request. `cookie`: of a further page.
std::string encode(const ModelRequest& request, ldap::MessageId id, std::string_view cookie = {});

}  // namespace kauri::operation::testing
