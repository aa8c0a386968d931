// Workload: what the operations of one kind ask in a load test, and which answers are right. Mix:
// the workloads of a test with their weights.
//
// Thread safety: immutable after make_workload(); shared by all threads of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ldap/message.h"
#include "toolkit/number_source.h"
#include "toolkit/request_template.h"
#include "toolkit/value_lines.h"

namespace kauri::toolkit {

enum class WorkloadKind : std::uint8_t {
  kSearch,
  kBind,
  kModify,
  kAdd,
  kCompare,
  kDelete,
  kModrdn,
};
inline constexpr WorkloadKind kWorkloadKinds[] = {
    WorkloadKind::kSearch,  WorkloadKind::kBind,   WorkloadKind::kModify, WorkloadKind::kAdd,
    WorkloadKind::kCompare, WorkloadKind::kDelete, WorkloadKind::kModrdn,
};

std::string_view to_string(WorkloadKind kind);
std::optional<WorkloadKind> workload_kind(std::string_view name);

// Texts are patterns (pattern.h) unless they say otherwise.
struct WorkloadOptions {
  WorkloadKind kind = WorkloadKind::kSearch;
  std::uint64_t low = 0;  // numbers that operations take, unless lines feed them
  std::uint64_t high = 0;
  Order order = Order::kRandom;
  std::shared_ptr<const ValueLines> values = {};  // for patterns with {v}
  std::string base = "dc=example,dc=com";
  std::string filter = "(objectClass=*)";     // search
  ldap::Scope scope = ldap::Scope::kSubtree;  // search
  std::vector<std::string> attributes = {};   // search; plain
  std::string expect_entries = {};            // search; a number or a column; empty: any number
  std::string target = {};                    // name of the entry; empty: see default_target()
  std::string password = {};                  // bind
  std::string attribute =
      {};                  // modify, compare; plain; empty: description, and the RDN's for compare
  std::string value = {};  // modify, compare; empty: a generated one, and the RDN's for compare
  ldap::ModifyOperation change = ldap::ModifyOperation::kReplace;  // modify; what the value is for
  std::string entry = {};         // add: LDIF of one entry; empty: a built-in inetOrgPerson
  std::string new_rdn = {};       // modrdn; empty: the old one with ".renamed" behind it
  std::string new_superior = {};  // modrdn; empty: the entry stays below its parent
  bool keep_name = false;         // modrdn: no renaming back
};

struct Workload {
  WorkloadKind kind = WorkloadKind::kSearch;
  RequestTemplate requests;
  // modrdn: gives an entry its old name again. Each renaming is followed by one of these.
  std::optional<RequestTemplate> requests_back;
  std::uint64_t low = 0;  // of lines: 0 and the last one's number
  std::uint64_t high = 0;
  Order order = Order::kRandom;
  bool by_line = false;     // numbers are lines of a file
  ber::Tag answer_tag = 0;  // of the message that ends an operation
  int right_code = 0;       // resultCode of an answer that is right
  std::string description;  // one line for people

  // How many entries the answer to the operation with this number must have.
  std::optional<std::uint64_t> expected_entries(std::uint64_t number) const {
    if (!expected_by_line.empty()) return expected_by_line[static_cast<std::size_t>(number)];
    return expected;
  }
  std::optional<std::uint64_t> expected = {};
  std::vector<std::uint64_t> expected_by_line = {};
};

// uid=user.{n},ou=People,BASE; for add uid=bench.{n},ou=People,BASE.
std::string default_target(WorkloadKind kind, std::string_view base);

// RETURNS: kInvalid with what is wrong: a pattern, a filter, the LDIF of the entry, a line of the
// values.
Result<Workload> make_workload(const WorkloadOptions& options);

inline constexpr std::uint32_t kWeightMax = 1'000'000;

struct Mix {
  struct Part {
    Workload workload;
    std::uint32_t weight = 1;  // its share of all operations is weight / sum of weights
  };
  std::vector<Part> parts;  // at least one, each kind at most once

  bool has(WorkloadKind kind) const;
  std::string description() const;  // one line for people
};

Mix mix_of(Workload workload);

// "search=70,modify=30". RETURNS: kInvalid with the part that is wrong: an unknown operation, a
// weight that is no number from 1 to kWeightMax, an operation that comes twice.
Result<std::vector<std::pair<WorkloadKind, std::uint32_t>>> parse_mix(std::string_view text);

}  // namespace kauri::toolkit
