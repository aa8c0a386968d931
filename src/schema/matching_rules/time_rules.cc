// generalizedTime* (RFC 4517 sections 4.2.16, 4.2.17) and uTCTime* (X.520). Both kinds of time
// share one normal form.
#include "schema/matching_rules/rule_table.h"
#include "schema/time_value.h"

namespace kauri::schema::rules {

namespace {

bool generalized(const Schema& /*schema*/, std::string_view value, std::string& out) {
  return normalize_generalized_time(value, out, nullptr);
}
bool utc(const Schema& /*schema*/, std::string_view value, std::string& out) {
  return normalize_utc_time(value, out, nullptr);
}

}  // namespace

void add_time_rules(RuleList& list) {
  add_rule(list, {"2.5.13.27", "generalizedTimeMatch", RuleKind::kEquality, kGeneralizedTime,
                  "generalizedTime", generalized});
  add_rule(list, {"2.5.13.28", "generalizedTimeOrderingMatch", RuleKind::kOrdering,
                  kGeneralizedTime, "generalizedTime", generalized});
  add_rule(list,
           {"2.5.13.25", "uTCTimeMatch", RuleKind::kEquality, kUtcTime, "generalizedTime", utc});
  add_rule(list, {"2.5.13.26", "uTCTimeOrderingMatch", RuleKind::kOrdering, kUtcTime,
                  "generalizedTime", utc});
}

}  // namespace kauri::schema::rules
