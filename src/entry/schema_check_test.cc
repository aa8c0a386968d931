#include "entry/schema_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/limit_counters.h"
#include "entry/test_support.h"

namespace kauri::entry {
namespace {

using ldap::ResultCode;
using testing::HasSubstr;

const schema::Schema& the_schema() {
  return *schema::builtin_schema();
}

void expect_violation(const std::optional<SchemaViolation>& found, ResultCode code,
                      const char* diagnostic) {
  ASSERT_TRUE(found.has_value()) << diagnostic;
  EXPECT_EQ(found->code, code) << found->diagnostic;
  EXPECT_THAT(found->diagnostic, HasSubstr(diagnostic));
}

Entry person() {
  return make_entry("cn=Ann",
                    {{"objectClass", {"top", "person"}}, {"cn", {"Ann", "A."}}, {"sn", {"Lee"}}});
}
Entry with(Entry entry, std::string_view description, std::vector<std::string> values) {
  entry.find_or_add(describe(description)).values = std::move(values);
  return entry;
}

TEST(SchemaCheck, LegalEntries) {
  EXPECT_FALSE(check_entry(the_schema(), person()).has_value());
  EXPECT_FALSE(check_entry(the_schema(), with(person(), "objectClass", {"person"})).has_value());
  EXPECT_FALSE(
      check_entry(the_schema(), with(person(), "objectClass", {"PERSON", "2.5.6.0"})).has_value());
  EXPECT_FALSE(check_entry(the_schema(), with(person(), "sn;lang-en", {"Lee"})).has_value());
  EXPECT_FALSE(check_entry(the_schema(), with(person(), "createTimestamp", {"20240102030405Z"}))
                   .has_value());
  const Entry inet =
      with(person(), "objectClass", {"person", "inetOrgPerson", "organizationalPerson"});
  EXPECT_FALSE(check_entry(the_schema(), with(inet, "mail", {"a@b"})).has_value());
  const Entry extensible = with(person(), "objectClass", {"person", "extensibleObject"});
  EXPECT_FALSE(check_entry(the_schema(), with(extensible, "dc", {"x"})).has_value());
}

// Cases E08 and F17 among them.
TEST(SchemaCheck, ClassRules) {
  const auto check = [](const Entry& entry) { return check_entry(the_schema(), entry); };
  Entry no_sn = person();
  no_sn.erase(describe("sn"));
  expect_violation(check(no_sn), ResultCode::kObjectClassViolation,
                   "'person' requires attribute 'sn'");
  expect_violation(check(with(person(), "dc", {"x"})), ResultCode::kObjectClassViolation,
                   "'dc' is not allowed");
  expect_violation(check(with(person(), "objectClass", {"person", "organization"})),
                   ResultCode::kObjectClassViolation, "structural object class chain");
  expect_violation(check(with(person(), "objectClass", {"person", "no\nsuch"})),
                   ResultCode::kInvalidAttributeSyntax,
                   "'no\\0asuch' is not a defined object class");
  Entry no_class = person();
  no_class.erase(describe("objectClass"));
  expect_violation(check(no_class), ResultCode::kObjectClassViolation, "no objectClass");
  expect_violation(check(with(person(), "objectClass", {"top"})), ResultCode::kObjectClassViolation,
                   "no structural object class");
  expect_violation(check(with(person(), "objectClass", {"extensibleObject"})),
                   ResultCode::kObjectClassViolation, "no structural object class");
  const Entry group = make_entry("cn=g", {{"objectClass", {"groupOfNames"}}, {"cn", {"g"}}});
  expect_violation(check(group), ResultCode::kObjectClassViolation, "requires attribute 'member'");
  // Values outside of the entry count.
  EXPECT_FALSE(check(with(group, "member", {})).has_value());
  expect_violation(check(with(person(), "createTimestamp", {"20240102030405Z", "20240102030406Z"})),
                   ResultCode::kConstraintViolation, "single-valued, 2 values were given");
}

TEST(SchemaCheck, LimitsOfTheStoredForm) {
  Entry long_name = person();
  long_name.attributes.push_back(
      {{describe("description").type, {"x-" + std::string(kDescriptionSizeMax, 'a')}}, {"x"}});
  expect_violation(check_entry(the_schema(), long_name), ResultCode::kAdminLimitExceeded,
                   "the limit is 1024");
  Entry large = person();
  for (std::size_t i = 0; i < kEntryAttributesMax; ++i)
    large.attributes.push_back({describe("description;x-" + std::to_string(i)), {"x"}});
  expect_violation(check_entry(the_schema(), large), ResultCode::kAdminLimitExceeded,
                   "the limit is 1000");
}

TEST(SchemaCheck, StructuralClass) {
  const auto name = [](const Entry& entry) {
    const auto* found = structural_class(the_schema(), entry);
    return found == nullptr ? std::string("none") : std::string(found->name());
  };
  EXPECT_EQ(name(person()), "person");
  EXPECT_EQ(name(with(person(), "objectClass",
                      {"person", "inetOrgPerson", "top", "organizationalPerson"})),
            "inetOrgPerson");
  EXPECT_EQ(name(with(person(), "objectClass", {"top"})), "none");
  EXPECT_EQ(name(with(person(), "objectClass", {"person", "organization"})), "none");
}

TEST(SchemaCheck, Values) {
  EXPECT_FALSE(check_value(describe("cn"), "Ann").has_value());
  expect_violation(check_value(describe("cn;lang-en"), ""), ResultCode::kInvalidAttributeSyntax,
                   "'cn;lang-en'");
  expect_violation(check_value(describe("member"), "not a dn"), ResultCode::kInvalidAttributeSyntax,
                   "'not a dn'");
  expect_violation(check_value(describe("uidNumber"), "12abc"), ResultCode::kInvalidAttributeSyntax,
                   "'12abc'");
}

std::string marks(int count) {
  std::string out = "q";
  for (int i = 0; i < count; ++i) out += "\u0301";
  return out;
}

// What no rule could compare is not stored; what no rule prepares has no such limit.
TEST(SchemaCheck, CombiningMarks) {
  const std::uint64_t before = limits::counted(limits::Counter::kCombiningMarks);
  const auto refused = [](std::string_view attribute, const std::string& value) {
    return check_value(describe(attribute), value).has_value();
  };
  EXPECT_FALSE(refused("description", marks(30)));
  EXPECT_FALSE(refused("description", marks(30) + marks(30)));
  EXPECT_FALSE(refused("jpegPhoto", marks(31)));
  EXPECT_FALSE(refused("userPassword", marks(31)));
  EXPECT_FALSE(refused("postalAddress", marks(30) + "$" + marks(30)));
  EXPECT_FALSE(refused("seeAlso", "cn=" + marks(30)));
  EXPECT_EQ(limits::counted(limits::Counter::kCombiningMarks), before);
  for (const char* attribute : {"description", "cn;lang-en", "sn", "postalAddress"})
    expect_violation(check_value(describe(attribute), marks(31)),
                     ResultCode::kInvalidAttributeSyntax, "more than 30 combining marks");
  std::string escaped = "cn=q";
  for (int i = 0; i < 31; ++i) escaped += R"(\CC\81)";
  expect_violation(check_value(describe("seeAlso"), escaped), ResultCode::kInvalidAttributeSyntax,
                   "more than 30 combining marks");
  expect_violation(check_value(describe("member"), "cn=a,cn=" + marks(31)),
                   ResultCode::kInvalidAttributeSyntax, "more than 30 combining marks");
  expect_violation(check_value(describe("uniqueMember"), "cn=" + marks(31) + "#'1'B"),
                   ResultCode::kInvalidAttributeSyntax, "more than 30 combining marks");
  EXPECT_GT(limits::counted(limits::Counter::kCombiningMarks), before);
  EXPECT_FALSE(check_syntax(describe("description"), marks(31)).has_value());
}

TEST(SchemaCheck, Duplicates) {
  const auto check = [](std::string_view description, std::vector<std::string> values) {
    return check_duplicates(the_schema(), Attribute{describe(description), std::move(values)});
  };
  EXPECT_FALSE(check("cn", {"a"}).has_value());
  EXPECT_FALSE(check("cn", {"a", "b", "a b"}).has_value());
  expect_violation(check("cn", {"b", "a  B", "A b"}), ResultCode::kAttributeOrValueExists,
                   "value number 3 equals value number 2");
  // Case E18.
  expect_violation(check("seeAlso", {"cn=X, dc=example", "CN=x,dc=EXAMPLE"}),
                   ResultCode::kAttributeOrValueExists, "'seeAlso'");
  // Without an equality rule the octets count.
  EXPECT_FALSE(check("jpegPhoto", {"\xff\xd8"
                                   "a",
                                   "\xff\xd8"
                                   "b"})
                   .has_value());
  expect_violation(check("jpegPhoto", {"\xff\xd8"
                                       "a",
                                       "\xff\xd8"
                                       "a"}),
                   ResultCode::kAttributeOrValueExists, "'jpegPhoto'");
  const auto password = check("userPassword", {"secret", "secret"});
  ASSERT_TRUE(password.has_value());
  EXPECT_THAT(password->diagnostic, testing::Not(HasSubstr("secret")));
}

TEST(SchemaCheck, Naming) {
  const auto check = [](const Entry& entry, std::vector<ldap::Ava> avas) {
    return check_naming(the_schema(), entry, ldap::Rdn{std::move(avas)});
  };
  EXPECT_FALSE(check(person(), {{"cn", "ann"}}).has_value());
  EXPECT_FALSE(check(person(), {{"commonName", "A."}, {"sn", "LEE"}}).has_value());
  expect_violation(check(person(), {{"cn", "Bob"}}), ResultCode::kNamingViolation,
                   "'cn', 'Bob', is not among");
  expect_violation(check(person(), {{"cn", "Ann"}, {"uid", "a"}}), ResultCode::kNamingViolation,
                   "'uid' is not present");
  expect_violation(check(person(), {{"noSuch", "x"}}), ResultCode::kUndefinedAttributeType,
                   "'noSuch'");
  expect_violation(check(person(), {{"createTimestamp", "20240102030405Z"}}),
                   ResultCode::kNamingViolation, "operational");
  expect_violation(check(person(), {{"jpegPhoto", "x"}}), ResultCode::kNamingViolation,
                   "no equality rule");
}

}  // namespace
}  // namespace kauri::entry
