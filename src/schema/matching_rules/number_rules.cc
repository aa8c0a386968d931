// integer*, boolean, bitString and the bit rules (RFC 4517 sections 4.2.1, 4.2.2, 4.2.18 to 4.2.20;
// the bit rules are those of MS-ADTS section 3.1.1.3.4.4).
#include "base/endian.h"
#include "schema/matching_rules/rule_table.h"
#include "schema/number_value.h"
#include "schema/syntaxes/validators.h"
#include "text/ascii.h"

namespace kauri::schema::rules {

namespace {

bool integer(const Schema& /*schema*/, std::string_view value, std::string& out) {
  return normalize_integer(value, out);
}

// The number behind "( " of a structure rule.
bool first_integer(const Schema& /*schema*/, std::string_view value, std::string& out) {
  while (value.starts_with(' ')) value.remove_prefix(1);
  if (!value.starts_with('(')) return false;
  value.remove_prefix(1);
  while (value.starts_with(' ')) value.remove_prefix(1);
  return normalize_integer(value.substr(0, value.find_first_of(" )")), out);
}

// Assertions in any case are understood, since clients send "true"; stored values are upper case by
// their syntax.
bool boolean(const Schema& /*schema*/, std::string_view value, std::string& out) {
  const bool is_true = text::equal_ignoring_case(value, "TRUE");
  if (!is_true && !text::equal_ignoring_case(value, "FALSE")) return false;
  out += is_true ? "TRUE" : "FALSE";
  return true;
}

bool bits(const Schema& /*schema*/, std::string_view value, std::string& out) {
  if (!syntaxes::bit_string(value, nullptr)) return false;
  out += value.substr(1, value.size() - 3);
  return true;
}

// Values and assertions as 8 octets of two's complement; the assertion must fit in 64 bits.
class BitRule final : public MatchingRule {
 public:
  BitRule(std::string_view oid, std::string_view name, bool all_bits)
      : MatchingRule(oid, name, RuleKind::kEquality, kInteger), all_bits_(all_bits) {}

  std::string_view normal_form() const override { return "bits64"; }
  bool normalize(const Schema& /*schema*/, std::string_view value,
                 std::string& out) const override {
    if (!is_integer(value)) return false;
    append_big_endian(out, integer_low_bits(value));
    return true;
  }
  bool normalize_assertion(const Schema& /*schema*/, std::string_view value,
                           std::string& out) const override {
    const auto mask = integer_bits(value);
    if (!mask) return false;
    append_big_endian(out, *mask);
    return true;
  }
  bool is_octet_equality() const override { return false; }
  bool matches(std::string_view normal_value, std::string_view normal_assertion) const override {
    const auto value = load_big_endian<std::uint64_t>(normal_value);
    const auto mask = load_big_endian<std::uint64_t>(normal_assertion);
    return all_bits_ ? (value & mask) == mask : (value & mask) != 0;
  }

 private:
  bool all_bits_;
};

}  // namespace

void add_number_rules(RuleList& list) {
  add_rule(list, {"2.5.13.14", "integerMatch", RuleKind::kEquality, kInteger, "integer", integer});
  add_rule(list, {"2.5.13.15", "integerOrderingMatch", RuleKind::kOrdering, kInteger, "integer",
                  integer});
  add_rule(list, {"2.5.13.29", "integerFirstComponentMatch", RuleKind::kEquality, kInteger,
                  "firstInteger", first_integer, integer});
  add_rule(list, {"2.5.13.13", "booleanMatch", RuleKind::kEquality, kBoolean, "boolean", boolean});
  add_rule(list,
           {"2.5.13.16", "bitStringMatch", RuleKind::kEquality, kBitString, "bitString", bits});
  list.push_back(std::make_unique<BitRule>("1.2.840.113556.1.4.803", "integerBitAndMatch", true));
  list.push_back(std::make_unique<BitRule>("1.2.840.113556.1.4.804", "integerBitOrMatch", false));
}

}  // namespace kauri::schema::rules
