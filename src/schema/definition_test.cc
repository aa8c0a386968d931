#include "schema/definition.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace kauri::schema {
namespace {

Definition parsed(DefinitionKind kind, std::string_view text) {
  Definition definition;
  DefinitionError error;
  EXPECT_TRUE(parse_definition(kind, text, &definition, &error))
      << text << "\nat " << error.offset << ": " << error.message;
  return definition;
}

TEST(Definition, AttributeTypeInFull) {
  const Definition d = parsed(
      DefinitionKind::kAttributeType,
      "( 1.2.3 NAME ( 'a' 'b' ) DESC 'it\\27s \\5C' OBSOLETE SUP name EQUALITY caseIgnoreMatch "
      "ORDERING x SUBSTR y SYNTAX 1.2.4{64} SINGLE-VALUE NO-USER-MODIFICATION USAGE "
      "dSAOperation X-ORIGIN ( 'one' 'two' ) X-SCHEMA 'z' )");
  EXPECT_EQ(d.oid.text, "1.2.3");
  ASSERT_EQ(d.names.size(), 2U);
  EXPECT_EQ(d.names[1].text, "b");
  EXPECT_EQ(d.names[1].offset, 19U);
  EXPECT_EQ(d.description, "it's \\");
  EXPECT_TRUE(d.obsolete && d.single_value && d.no_user_modification);
  EXPECT_EQ(d.superiors.at(0).text, "name");
  EXPECT_EQ(d.equality.text, "caseIgnoreMatch");
  EXPECT_EQ(d.syntax.text, "1.2.4");
  EXPECT_EQ(d.length_max, 64U);
  EXPECT_EQ(d.usage, Usage::kDsaOperation);
  ASSERT_EQ(d.extensions.size(), 2U);
  EXPECT_EQ(d.extensions[0].second, (std::vector<std::string>{"one", "two"}));
}

TEST(Definition, WritesWhatItReads) {
  const std::pair<DefinitionKind, const char*> texts[] = {
      {DefinitionKind::kAttributeType,
       "( 1.2.3 NAME ( 'a' 'b' ) DESC 'it\\27s \\5C' OBSOLETE SUP name EQUALITY e ORDERING x "
       "SUBSTR y SYNTAX 1.2.4{64} SINGLE-VALUE NO-USER-MODIFICATION USAGE dSAOperation X-ORIGIN "
       "( 'one' 'two' ) X-SCHEMA 'z' )"},
      {DefinitionKind::kObjectClass,
       "( 1.2.3 NAME 'c' SUP ( top $ d ) AUXILIARY MUST cn MAY ( a $ b ) )"},
      {DefinitionKind::kObjectClass, "( 1.2.3 STRUCTURAL )"},
      {DefinitionKind::kSyntax, "( 1.2.3 DESC 'x' X-SUBST '1.2.4' )"},
      {DefinitionKind::kMatchingRule, "( 1.2.3 NAME 'm' SYNTAX 1.2.4 )"},
      {DefinitionKind::kMatchingRuleUse, "( 1.2.3 NAME 'm' APPLIES ( a $ b ) )"},
      {DefinitionKind::kContentRule, "( 1.2.3 NAME 'r' AUX a MUST b MAY ( c $ d ) NOT e )"},
      {DefinitionKind::kStructureRule, "( 5 NAME 's' FORM f SUP ( 1 2 ) )"},
      {DefinitionKind::kNameForm, "( 1.2.3 NAME 'f' OC o MUST cn MAY ou )"},
  };
  for (const auto& [kind, text] : texts) EXPECT_EQ(to_string(parsed(kind, text)), text);
}

TEST(Definition, ToleratesWhatFilesHave) {
  const std::pair<const char*, const char*> texts[] = {
      {"(1.2.3 NAME('a''b')SUP name)", "( 1.2.3 NAME ( 'a' 'b' ) SUP name )"},
      {"( 1.2.3 DESC '' SUP name )", "( 1.2.3 SUP name )"},
      {"( 1.2.3 SYNTAX '1.2.4{5}' NAME 'a' )", "( 1.2.3 NAME 'a' SYNTAX 1.2.4{5} )"},
      {"( 1.2.3 name 'a' sup 'name' usage DSAOPERATION )",
       "( 1.2.3 NAME 'a' SUP name USAGE dSAOperation )"},
      {"( my-oid NAME 'a_b' SUP name )", "( my-oid NAME 'a_b' SUP name )"},
      {"( 1.2.3\tNAME\n'a'\r\n SUP name )\n", "( 1.2.3 NAME 'a' SUP name )"},
      {"( 1.2.3 SUP name SUBSTRINGS s )", "( 1.2.3 SUP name SUBSTR s )"},
      {"( 1.2.3 NAME ( ) SUP name )", "( 1.2.3 SUP name )"},
      {"( 1.2.3 DESC 'a \\ b' SUP name )", "( 1.2.3 DESC 'a \\5C b' SUP name )"},
  };
  for (const auto& [text, written] : texts) {
    EXPECT_EQ(to_string(parsed(DefinitionKind::kAttributeType, text)), written);
  }
}

TEST(Definition, NamesThePlaceAndTheReason) {
  const struct {
    DefinitionKind kind;
    std::string text;
    std::size_t offset;
    const char* reason;
  } cases[] = {
      {DefinitionKind::kAttributeType, "", 0, "a definition starts with '(', found the end"},
      {DefinitionKind::kAttributeType, "1.2.3", 0, "starts with '(', found '1.2.3'"},
      {DefinitionKind::kAttributeType, "( )", 2, "expected an OID"},
      {DefinitionKind::kAttributeType, "( 1.2.x SUP a )", 2, "'1.2.x' is not an OID"},
      {DefinitionKind::kAttributeType, "( 1.2 SUP a", 11, "expected a keyword or ')'"},
      {DefinitionKind::kAttributeType, "( 1.2 SUP a ) x", 14, "nothing after the closing ')'"},
      {DefinitionKind::kAttributeType, "( 1.2 NAME a SUP b )", 11, "a name in quotes"},
      {DefinitionKind::kAttributeType, "( 1.2 NAME 'a", 11, "has no closing quote"},
      {DefinitionKind::kAttributeType, "( 1.2 NAME '1a' SUP b )", 11, "is not a name"},
      {DefinitionKind::kAttributeType, "( 1.2 NAME ( 'a' 'A' ) SUP b )", 17, "appears twice"},
      {DefinitionKind::kAttributeType, "( 1.2 SUP a SUP b )", 12, "'SUP' appears twice"},
      {DefinitionKind::kAttributeType, "( 1.2 SUP ( a $ b ) )", 10, "expected a name or an OID"},
      {DefinitionKind::kAttributeType, "( 1.2 MUST a )", 6, "'MUST' is no keyword"},
      {DefinitionKind::kAttributeType, "( 1.2 SYNTAX 1.3{x} )", 13, "is no number"},
      {DefinitionKind::kAttributeType, "( 1.2 SYNTAX 1.3{99999999999} )", 13, "not a number in"},
      {DefinitionKind::kAttributeType, "( 1.2 SYNTAX 1.3{5 )", 13, "not a number in braces"},
      {DefinitionKind::kAttributeType, "( 1.2 USAGE never )", 12, "expected userApplications"},
      {DefinitionKind::kAttributeType, "( 1.2 NAME 'a' )", 2, "lacks SUP or SYNTAX"},
      {DefinitionKind::kAttributeType, "( 1.2 DESC x )", 11, "a string in quotes after DESC"},
      {DefinitionKind::kAttributeType, "( 1.2 SUP a X-A b )", 16, "a string in quotes after 'X-A'"},
      {DefinitionKind::kAttributeType, "( 1.2 SUP a X-A ( b ) )", 18, "quotes or ')'"},
      {DefinitionKind::kAttributeType, "( 1.2 DESC '\xFF' )", 12, "not UTF-8"},
      {DefinitionKind::kObjectClass, "( 1.2 MUST ( a b ) )", 15, "expected '$' or ')'"},
      {DefinitionKind::kObjectClass, "( 1.2 MUST ( a $ ) )", 17, "after '$'"},
      {DefinitionKind::kObjectClass, "( 1.2 ABSTRACT AUXILIARY )", 25, "only one of"},
      {DefinitionKind::kStructureRule, "( 1 FORM f SUP x )", 15, "number of a structure rule"},
      // D09: a name of 100,000 characters.
      {DefinitionKind::kObjectClass, "( 1.2 SUP " + std::string(100000, 'a') + " )", 10,
       "a word of 100000 octets; the limit is 256"},
      {DefinitionKind::kObjectClass, std::string(kDefinitionSizeMax + 1, ' '), 0, "the limit is"},
  };
  for (const auto& c : cases) {
    Definition definition;
    DefinitionError error;
    EXPECT_FALSE(parse_definition(c.kind, c.text, &definition, &error)) << c.text.substr(0, 80);
    EXPECT_EQ(error.offset, c.offset) << c.text.substr(0, 80);
    EXPECT_NE(error.message.find(c.reason), std::string::npos)
        << c.text.substr(0, 80) << ": " << error.message;
    EXPECT_LT(error.message.size(), 300U);
  }
}

TEST(Definition, CountsAreLimited) {
  std::string names = "( 1.2.3 NAME ( ";
  std::string fields = "( 1.2.3 SUP name ";
  for (int i = 0; i < 300; ++i) {
    names += "'a" + std::to_string(i) + "' ";
    fields += "X-" + std::string(static_cast<std::size_t>(i) + 1, 'A') + " 'x' ";
  }
  for (const std::string& text : {names + ") SUP name )", fields + ")"}) {
    Definition definition;
    DefinitionError error;
    EXPECT_FALSE(parse_definition(DefinitionKind::kAttributeType, text, &definition, &error));
    EXPECT_NE(error.message.find("more than"), std::string::npos) << error.message;
  }
}

// D07: every prefix of a definition is refused.
TEST(Definition, EveryPrefixIsRefused) {
  const std::string_view text =
      "( 1.3.6.1.4.1.32473.1.99 NAME ( 'zz' 'zzz' ) DESC 'x\\27y' SUP name SYNTAX "
      "1.3.6.1.4.1.1466.115.121.1.15{64} USAGE directoryOperation X-ORIGIN ( 'a' 'b' ) )";
  for (std::size_t size = 0; size < text.size(); ++size) {
    Definition definition;
    DefinitionError error;
    EXPECT_FALSE(
        parse_definition(DefinitionKind::kAttributeType, text.substr(0, size), &definition, &error))
        << text.substr(0, size);
    EXPECT_LE(error.offset, size);
  }
  parsed(DefinitionKind::kAttributeType, text);
}

TEST(Definition, Macros) {
  const OidMacros macros = {{"acme", "1.3.6.1.4.1.32473"}};
  const auto expanded = [&macros](std::string text) {
    return expand_macro(macros, &text) ? text : "(refused)";
  };
  EXPECT_EQ(expanded("ACME:1.2"), "1.3.6.1.4.1.32473.1.2");
  EXPECT_EQ(expanded("acme"), "1.3.6.1.4.1.32473");
  EXPECT_EQ(expanded("1.2.3"), "1.2.3");
  EXPECT_EQ(expanded("other"), "other");
  EXPECT_EQ(expanded("other:1"), "(refused)");
  EXPECT_EQ(expanded("acme:"), "(refused)");
  EXPECT_EQ(expanded("acme:1..2"), "(refused)");
}

}  // namespace
}  // namespace kauri::schema
