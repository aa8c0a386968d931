// AccessPolicy: access rules in the language of slapd.access(5), compiled. Thread safety:
// immutable; shared by std::shared_ptr<const AccessPolicy>.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "query/access.h"
#include "schema/schema.h"

namespace kauri::security {

// What is wrong with one of several rules.
struct AccessRuleMistake {
  std::size_t rule = 0;  // its place in the list, from 0
  Error error;           // "access rule N, column C: ...", N from 1
};

class AccessPolicy {
 public:
  // Each rule is one "to <what> by <who> <access> ...", with or without a leading "access".
  // RETURNS: kInvalid naming the rule's number, the column, the offending word and what was
  // expected, one line for each mistake.
  static Result<std::shared_ptr<const AccessPolicy>> compile(
      const std::vector<std::string>& rules, std::shared_ptr<const schema::Schema> schema);
  // The mistakes one by one, at most one for each rule.
  static std::vector<AccessRuleMistake> mistakes(const std::vector<std::string>& rules,
                                                 const schema::Schema& schema);
  // The rules in force when the configuration has none: passwords: self write, anonymous auth; the
  // rest: users read.
  static std::shared_ptr<const AccessPolicy> defaults(std::shared_ptr<const schema::Schema> schema);

  virtual ~AccessPolicy() = default;
  // For one operation or connection of `identity`. An administrator may do everything.
  virtual std::unique_ptr<query::Authorizer> authorizer(const query::Identity& identity) const = 0;
  // The rules as text, one each.
  virtual std::vector<std::string> rules() const = 0;
};

}  // namespace kauri::security
