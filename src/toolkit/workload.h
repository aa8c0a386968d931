// Workload: what the operations of one load test ask, and which answers are right.
//
// Thread safety: immutable after make_workload(); shared by all threads of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ldap/message.h"
#include "toolkit/request_template.h"

namespace kauri::toolkit {

enum class WorkloadKind : std::uint8_t { kSearch, kBind, kModify, kAdd, kCompare, kDelete };

std::string_view to_string(WorkloadKind kind);

// Texts are patterns (pattern.h) unless they say otherwise.
struct WorkloadOptions {
  WorkloadKind kind = WorkloadKind::kSearch;
  std::uint64_t low = 0;  // numbers that operations take
  std::uint64_t high = 0;
  std::string base = "dc=example,dc=com";
  std::string filter = "(objectClass=*)";     // search
  ldap::Scope scope = ldap::Scope::kSubtree;  // search
  std::vector<std::string> attributes = {};   // search; plain
  std::string target = {};                    // name of the entry; empty: see default_target()
  std::string password = {};                  // bind
  std::string attribute =
      {};                  // modify, compare; plain; empty: description, and the RDN's for compare
  std::string value = {};  // modify, compare; empty: a generated one, and the RDN's for compare
  std::string entry = {};  // add: LDIF of one entry; empty: a built-in inetOrgPerson
};

struct Workload {
  WorkloadKind kind = WorkloadKind::kSearch;
  RequestTemplate requests;
  ber::Tag answer_tag = 0;  // of the message that ends an operation
  int right_code = 0;       // resultCode of an answer that is right
  std::string description;  // one line for people
};

// uid=user.{n},ou=People,BASE; for add uid=bench.{n},ou=People,BASE.
std::string default_target(WorkloadKind kind, std::string_view base);

// RETURNS: kInvalid with what is wrong: a pattern, a filter, the LDIF of the entry.
Result<Workload> make_workload(const WorkloadOptions& options);

}  // namespace kauri::toolkit
