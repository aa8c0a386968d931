#include "schema/schema_loader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

#include "schema/definition.h"
#include "schema/schema_testing.h"
#include "text/visible.h"

namespace kauri::schema {
namespace {

using std::string_literals::operator""s;
using testing::schema_with;

// What adding and building `text` says: the first error, or "".
std::string failure(std::string_view text) {
  SchemaBuilder builder;
  builder.add_builtin();
  if (const auto added = builder.add_text(text, "f"); !added) return added.error().message();
  const auto built = builder.build();
  return built ? "" : built.error().message();
}

TEST(SchemaLoader, BuiltinsAreComplete) {
  for (const NisVariant nis : {NisVariant::kRfc2307, NisVariant::kRfc2307bis}) {
    SchemaBuilder builder;
    builder.add_builtin(nis);
    const auto schema = builder.build();
    ASSERT_TRUE(schema.has_value()) << schema.error().message();
    EXPECT_TRUE(builder.warnings().empty()) << builder.warnings()[0];
    for (const AttributeType* type : (*schema)->attribute_types()) {
      EXPECT_NE(type->syntax, nullptr) << type->name();
      EXPECT_FALSE(type->naming_key.empty());
      EXPECT_EQ((*schema)->attribute_type(type->oid), type);
    }
  }
  const Schema& schema = *builtin_schema();
  for (const char* name :
       {"cn",         "commonName", "SURNAME",        "userid",       "mail",
        "uidNumber",  "memberUid",  "member",         "uniqueMember", "memberOf",
        "entryUUID",  "contextCSN", "namingContexts", "altServer",    "supportedControl",
        "vendorName", "entryTtl",   "jpegPhoto",      "dc",           "labeledURI"}) {
    EXPECT_NE(schema.attribute_type(name), nullptr) << name;
  }
  for (const char* name : {"top", "person", "inetOrgPerson", "posixAccount", "groupOfNames",
                           "dcObject", "domain", "account", "organizationalUnit", "pkiUser",
                           "extensibleObject", "subentry", "labeledURIObject"}) {
    EXPECT_NE(schema.object_class(name), nullptr) << name;
  }
  EXPECT_EQ(schema.object_class("posixGroup")->kind, ObjectClassKind::kStructural);
  EXPECT_EQ(schema.attribute_type("nosuch"), nullptr);
  EXPECT_EQ(schema.attribute_type(std::string(100000, 'x')), nullptr);
}

TEST(SchemaLoader, InheritanceAndSubtypes) {
  const Schema& schema = *builtin_schema();
  const AttributeType* cn = schema.attribute_type("cn");
  const AttributeType* name = schema.attribute_type("name");
  EXPECT_EQ(cn->equality, name->equality);
  EXPECT_EQ(cn->syntax, name->syntax);
  EXPECT_TRUE(cn->is_subtype_of(*name));
  EXPECT_FALSE(name->is_subtype_of(*cn));
  EXPECT_EQ(schema.attribute_type("c")->syntax->description(), "Country String");
  const ObjectClass* inet = schema.object_class("inetOrgPerson");
  EXPECT_TRUE(inet->is_subclass_of(*schema.object_class("person")));
  EXPECT_TRUE(inet->is_subclass_of(*schema.well_known().top));
  EXPECT_TRUE(inet->is_subclass_of(*inet));
  EXPECT_FALSE(inet->is_subclass_of(*schema.object_class("account")));
  EXPECT_TRUE(schema.object_class("subschema")->is_subclass_of(*schema.well_known().top));
}

TEST(SchemaLoader, AttributeDescriptions) {
  const Schema& schema = *builtin_schema();
  const auto text = [&schema](std::string_view description) {
    const auto parsed = schema.attribute_description(description);
    return parsed ? parsed->to_string() : "(none)";
  };
  EXPECT_EQ(text("SURNAME"), "sn");
  EXPECT_EQ(text("2.5.4.42;LANG-EN;x-a;lang-en"), "givenName;lang-en;x-a");
  EXPECT_EQ(text("userCertificate;binary"), "userCertificate;binary");
  for (const char* bad : {"", "nosuch", "cn;", "cn;;a", "cn;a;", "cn;a b", "cn;a_b", ";a",
                          "cn;binary", "cn ", "cn;\xC3\xA9"}) {
    EXPECT_EQ(text(bad), "(none)") << bad;
    EXPECT_FALSE(explain_bad_description(schema, bad).empty()) << bad;
  }
  EXPECT_EQ(explain_bad_description(schema, "nosuch;x"), "attribute type 'nosuch' is not defined");
  EXPECT_EQ(explain_bad_description(schema, "cn"), "");
  const auto name = *schema.attribute_description("name;lang-en");
  const auto given = *schema.attribute_description("givenName;lang-en;x-a");
  EXPECT_TRUE(given.is_subtype_of(name));
  EXPECT_FALSE(name.is_subtype_of(given));
  EXPECT_FALSE(schema.attribute_description("givenName")->is_subtype_of(name));
}

TEST(SchemaLoader, Directives) {
  const auto schema = schema_with(
      "# a comment\n"
      "objectidentifier Acme 1.3.6.1.4.1.32473\n"
      "objectIdentifier AcmeAttrs Acme:1\n"
      "objectidentifier AcmeString 1.3.6.1.4.1.1466.115.121.1.15\n"
      "\n"
      "objectclass ( Acme:2.1 NAME 'acmePerson' SUP top AUXILIARY\n"
      "\tMAY ( acmeB $ acmeA ) )\n"
      "AttributeType ( AcmeAttrs:1 NAME 'acmeA'\n"
      "# a comment in between\n"
      "\n"
      "   EQUALITY caseIgnoreMatch SYNTAX AcmeString{32} )\r\n"
      "attributetype ( AcmeAttrs:2 NAME 'acmeB' SUP acmeA )");
  ASSERT_NE(schema, nullptr);
  EXPECT_EQ(schema->attribute_type("acmeb")->oid, "1.3.6.1.4.1.32473.1.2");
  EXPECT_EQ(schema->attribute_type("acmeB")->syntax_length_max, 32U);
  EXPECT_EQ(schema->attribute_type("acmeA")->origin, "test:8");
  EXPECT_EQ(schema->attribute_type("acmeA")->definition,
            "( 1.3.6.1.4.1.32473.1.1 NAME 'acmeA' EQUALITY caseIgnoreMatch SYNTAX "
            "1.3.6.1.4.1.1466.115.121.1.15{32} )");
  EXPECT_EQ(schema->object_class("acmePerson")->may.size(), 2U);
}

TEST(SchemaLoader, Ldif) {
  const auto config = schema_with(
      "dn: cn=x,cn=schema,cn=config\n"
      "objectClass: olcSchemaConfig\n"
      "cn: x\n"
      "olcObjectIdentifier: {0}Acme 1.3.6.1.4.1.32473\n"
      "olcAttributeTypes: {0}( Acme:1 NAME 'acmeA'\n"
      "  DESC 'folded\n"
      "  here' SUP name )\n"
      "olcAttributeTypes:: "
      "KCAxLjMuNi4xLjQuMS4zMjQ3My4yIE5BTUUgJ2FjbWVCJyBTVVAgYWNtZUEgKQ==\n");
  ASSERT_NE(config, nullptr);
  EXPECT_EQ(config->attribute_type("acmeA")->description, "folded here");
  EXPECT_EQ(config->attribute_type("acmeB")->superior, config->attribute_type("acmeA"));
  const auto other = schema_with(
      "version: 1\n"
      "dn: cn=schema\n"
      "changetype: modify\n"
      "add: attributetypes\n"
      "attributetypes: ( 1.3.6.1.4.1.32473.1 NAME 'acmeA'\n"
      "# between folded lines\n"
      "  SUP name )\n"
      "-\n"
      "add: objectClasses\n"
      "objectClasses: ( 1.3.6.1.4.1.32473.2 NAME 'acmeC' SUP top AUXILIARY MUST ( acmeA ) )\n"
      "aci: (target=\"x\")\n");
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(other->object_class("acmeC")->must.at(0), other->attribute_type("acmeA"));
}

TEST(SchemaLoader, ErrorsNameFileLineAndColumn) {
  const std::pair<const char*, const char*> cases[] = {
      {"attributetype ( 1.2.3 NAME 'a'\n  SYNTAX 1.3{x} )", "f:2:10: the bound of"},
      {"\n\nattributetyp ( 1.2.3 )", "f:3:1: 'attributetyp' is not a schema directive"},
      {"attributetype ( 1.2.3 NAME 'a' SUP nosuch )",
       "f:1:36: attribute type 'a': its superior 'nosuch' is not defined"},
      {"objectclass ( 1.2.3 NAME 'a'\n MUST ( cn $\n nosuch ) )",
       "f:3:2: object class 'a': attribute type 'nosuch' in MUST is not defined"},
      {"objectclass ( 1.2.3 NAME 'a' SUP nosuch )",
       "f:1:34: object class 'a': its superior 'nosuch' is not defined"},
      {"attributetype ( 1.2.3 NAME 'a' SUP b )\nattributetype ( 1.2.4 NAME 'b' SUP a )",
       "f:1:36: attribute type 'a': its superiors form a circle"},
      {"objectclass ( 1.2.3 NAME 'a' SUP b )\nobjectclass ( 1.2.4 NAME 'b' SUP a )",
       "f:1:15: object class 'a': its superiors form a circle"},
      {"attributetype ( 1.2.3 NAME 'a' SUP a )", "form a circle"},
      {"objectclass ( 1.2.3 NAME 'a' SUP a )", "is its own superior"},
      {"attributetype ( 1.2.3 NAME 'a' SUP name )\nattributetype ( 1.2.3 NAME 'b' SUP name )",
       "f:2:17: OID 1.2.3 is defined already, and differently, at f:1:17"},
      {"attributetype ( 1.2.3 NAME 'a' SUP name )\nattributetype ( 1.2.4 NAME 'A' SUP name )",
       "f:2:28: the name 'A' belongs to 1.2.3 already, defined at f:1:17"},
      {"objectidentifier x y:1\n", "f:1:20: 'y:1' is no OID and no known macro"},
      {"objectidentifier x 1.2\nobjectidentifier X 1.3\n", "f:2:18: the macro 'X' stands for 1.2"},
      {"objectidentifier x 1.2 y\n", "nothing after the macro's OID"},
      {"objectidentifier\n", "expected the name of an OID macro"},
      {"  attributetype ( 1.2.3 SUP cn )", "f:1:3: a continuation line without a directive"},
      {"attributetype", "f:1:14: a definition starts with '(', found the end of the text"},
      {"dn: cn=schema\nattributeTypes: ( 1.2.3 NAME 'a'\n  SUP )\n", "f:3:7: expected a name"},
      {"dn: cn=schema\nattributeTypes: ( 1.2.3NAME 'a' )\n", "f:2:19: '1.2.3NAME' is not an OID"},
      {"dn: cn=schema\nattributeTypes:: !!!\n", "f:2:15: the value is not base64"},
      {"dn: cn=schema\ndelete: attributeTypes\n", "f:2:1: a schema file cannot delete"},
      {"dn: cn=schema\nno colon here\n", "f:2:1: expected 'attribute: value'"},
      {" dn: x\n", "f:1:1: a continuation line without an attribute"},
  };
  for (const auto& [text, reason] : cases) {
    const std::string message = failure(text);
    EXPECT_NE(message.find(reason), std::string::npos) << text << "\n" << message;
  }
}

TEST(SchemaLoader, DeepInheritanceIsRefused) {
  std::string types;
  std::string classes;
  for (int i = 0; i < 100; ++i) {
    const std::string n = std::to_string(i);
    const std::string below = i == 0 ? "" : std::to_string(i - 1);
    types += "attributetype ( 1.2.3." + n + " NAME 'a" + n + "' SUP " +
             (i == 0 ? "name" : "a" + below) + " )\n";
    classes += "objectclass ( 1.2.3." + n + " NAME 'a" + n + "' SUP " +
               (i == 0 ? "top" : "a" + below) + " )\n";
  }
  EXPECT_NE(failure(types).find("64 deep"), std::string::npos);
  EXPECT_NE(failure(classes).find("64 deep"), std::string::npos);
}

TEST(SchemaLoader, AFileWithAnErrorLeavesNothing) {
  SchemaBuilder builder;
  builder.add_builtin();
  EXPECT_FALSE(
      builder
          .add_text("objectidentifier m 1.2\nattributetype ( 1.2.3 NAME 'a' SUP name )\nbad", "f")
          .has_value());
  EXPECT_TRUE(builder.add_text("objectidentifier m 1.9\n", "g").has_value());
  const auto schema = builder.build();
  ASSERT_TRUE(schema.has_value());
  EXPECT_EQ((*schema)->attribute_type("a"), nullptr);
}

TEST(SchemaLoader, RepeatsAndReplacements) {
  SchemaBuilder builder;
  builder.add_builtin();
  // The same again, and the same with another description.
  for (const char* text : {"attributetype ( 1.2.3 NAME 'a' SUP name )",
                           "attributetype ( 1.2.3 NAME 'A' DESC 'x' SUP NAME )"}) {
    const auto added = builder.add_text(text, "f");
    EXPECT_TRUE(added.has_value()) << added.error().message();
  }
  // A built-in user type is replaced and keeps its other names; an operational one stays.
  EXPECT_TRUE(builder
                  .add_text("attributetype ( 2.5.4.42 NAME 'givenName' EQUALITY caseExactMatch "
                            "SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )",
                            "f")
                  .has_value());
  EXPECT_TRUE(builder
                  .add_text("attributetype ( 1.3.6.1.1.16.4 NAME 'entryUUID' SYNTAX "
                            "1.3.6.1.4.1.1466.115.121.1.15 )",
                            "f")
                  .has_value());
  // Another OID under a name of RFC 2307 takes its place; the names of the core mean one thing.
  EXPECT_TRUE(builder.add_text("objectclass ( 1.2.9 NAME 'nisMap' SUP top )", "f").has_value());
  EXPECT_FALSE(builder.add_text("objectclass ( 1.2.8 NAME 'person' SUP top )", "f").has_value());
  EXPECT_FALSE(builder.add_text("attributetype ( 1.2.8 NAME 'c' SUP name )", "f").has_value());
  const auto schema = builder.build();
  ASSERT_TRUE(schema.has_value()) << schema.error().message();
  EXPECT_EQ((*schema)->attribute_type("gn")->equality->name(), "caseExactMatch");
  EXPECT_TRUE((*schema)->well_known().entry_uuid->no_user_modification);
  EXPECT_EQ((*schema)->object_class("nisMap")->oid, "1.2.9");
  EXPECT_EQ((*schema)->object_class("1.3.6.1.1.1.2.9"), nullptr);
  ASSERT_EQ(builder.warnings().size(), 2U);
  EXPECT_NE(builder.warnings()[0].find("'entryUUID' stays as it is built in"), std::string::npos);
  EXPECT_NE(builder.warnings()[1].find("replaces the built-in one"), std::string::npos);
}

TEST(SchemaLoader, UnknownSyntaxesAndRulesAreNoted) {
  SchemaBuilder builder;
  builder.add_builtin();
  const auto added = builder.add_text(
      "ldapsyntax ( 1.2.3.1 DESC 'mine' X-SUBST '1.3.6.1.4.1.1466.115.121.1.27' )\n"
      "attributetype ( 1.2.3.2 NAME 'a' SYNTAX 1.2.3.1 )\n"
      "attributetype ( 1.2.3.3 NAME 'b' EQUALITY nosuchMatch SYNTAX 1.2.3.9 )\n"
      "attributetype ( 1.2.3.4 NAME 'x' EQUALITY nosuchMatch SUBSTR nosuchMatch SYNTAX "
      "1.3.6.1.4.1.1466.115.121.1.15 )\n"
      "attributetype ( 1.2.3.5 NAME 'd' SUP x )\n"
      "attributetype ( 1.2.3.6 NAME 'e' ORDERING integerMatch SYNTAX "
      "1.3.6.1.4.1.1466.115.121.1.27 )\n",
      "f");
  ASSERT_TRUE(added.has_value()) << added.error().message();
  const auto schema = builder.build();
  ASSERT_TRUE(schema.has_value());
  EXPECT_FALSE((*schema)->attribute_type("a")->syntax->validate("x", nullptr));
  EXPECT_TRUE((*schema)->attribute_type("a")->syntax->validate("5", nullptr));
  EXPECT_EQ((*schema)->attribute_type("b")->syntax->oid(), "1.2.3.9");
  EXPECT_EQ((*schema)->attribute_type("b")->equality->name(), "octetStringMatch");
  EXPECT_EQ((*schema)->attribute_type("x")->equality->name(), "caseIgnoreMatch");
  EXPECT_EQ((*schema)->attribute_type("d")->substrings->name(), "caseIgnoreSubstringsMatch");
  EXPECT_EQ((*schema)->attribute_type("e")->ordering->name(), "integerOrderingMatch");
  EXPECT_EQ(builder.warnings().size(), 5U) << ::testing::PrintToString(builder.warnings());
  for (const std::string& warning : builder.warnings()) {
    EXPECT_TRUE(warning.starts_with("f:")) << warning;
  }
}

// Such a type loads as in other servers, and its filters would be Undefined without a word.
TEST(SchemaLoader, RulesThatCannotCompareTheSyntaxAreNoted) {
  const struct {
    const char* fields;
    const char* expected;  // nullptr: no warning
  } cases[] = {
      {"EQUALITY integerMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15",
       "f:1:41: attribute type 'a': 'integerMatch' compares values of the syntax INTEGER, and the "
       "type's is Directory String; filters and indexes find no value that is not both"},
      {"ORDERING generalizedTimeOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.53",
       "f:1:41: attribute type 'a': 'generalizedTimeOrderingMatch' compares values of the syntax "
       "Generalized Time, and the type's is UTC Time"},
      {"EQUALITY distinguishedNameMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.26",
       "compares values of the syntax DN, and the type's is IA5 String"},
      {"EQUALITY caseIgnoreIA5Match SYNTAX 1.3.6.1.4.1.1466.115.121.1.15", nullptr},
      {"EQUALITY caseExactMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.40", nullptr},
      {"EQUALITY integerMatch SYNTAX 1.2.840.113556.1.4.906", nullptr},
      {"EQUALITY uniqueMemberMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.12", nullptr},
      {"EQUALITY octetStringMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27", nullptr},
  };
  for (const auto& one : cases) {
    SchemaBuilder builder;
    builder.add_builtin();
    ASSERT_TRUE(
        builder.add_text("attributetype ( 1.2.3 NAME 'a' " + std::string(one.fields) + " )", "f"));
    ASSERT_TRUE(builder.build());
    ASSERT_EQ(builder.warnings().size(), one.expected == nullptr ? 0U : 1U) << one.fields;
    if (one.expected != nullptr) {
      EXPECT_NE(builder.warnings()[0].find(one.expected), std::string::npos)
          << builder.warnings()[0];
    }
  }
}

// A file is shown to a terminal in parts; none of them may act on it.
TEST(SchemaLoader, ErrorsShowNoControlCharacters) {
  for (const std::string& text :
       {"attributetype ( 1.2.3 NAME 'z\0A' SUP name )"s, "attributetype ( \x1B[2J )"s,
        "\x1B]0;x ( )"s, "attributetype ( 1.2.3 NAME 'z' SUP \x1B )"s,
        "attributetype ( 1.2.3 \x1B )"s, "attributetype ( 1.2.3 X-\x1B x )"s,
        "attributetype ( 1.2.3 SYNTAX \x1B )"s, "attributetype ( 1.2.3 SYNTAX 1.2{\x1B} )"s,
        "objectidentifier a \x9B"s, "objectidentifier \x1B 1.2"s,
        "attributetype ( \x1B:1 NAME 'z' SUP name )"s, "objectclass ( 1.2.3 SUP \x1B\x1B )"s,
        "dn: cn=schema\nattributeTypes: ( \x1B )\n"s}) {
    SchemaBuilder builder;
    const auto added = builder.add_text(text, "f");
    ASSERT_FALSE(added.has_value()) << text::visible(text);
    EXPECT_TRUE(text::is_visible(added.error().message()))
        << text::visible(added.error().message());
    EXPECT_TRUE(added.error().message().starts_with("f:"));
  }
}

TEST(SchemaLoader, OnlineDefinitions) {
  SchemaBuilder builder;
  builder.add_builtin();
  EXPECT_TRUE(builder.add_definition("attributeTypes", "( 1.2.3 NAME 'zz' SUP name )", "modify")
                  .has_value());
  const auto cut = builder.add_definition("attributeTypes", "( 1.2.4 NAME 'z", "modify");
  ASSERT_FALSE(cut.has_value());
  EXPECT_EQ(cut.error().message(), "modify:1:14: the string that starts here has no closing quote");
  EXPECT_FALSE(builder.add_definition("cn", "x", "modify").has_value());
  EXPECT_NE((*builder.build())->attribute_type("zz"), nullptr);
}

TEST(SchemaLoader, SubschemaValuesAreCompleteAndWellFormed) {
  const auto schema = schema_with(
      "attributetype ( 1.2.3 NAME 'zz' SYNTAX 1.2.9 )\n"
      "ditcontentrule ( 2.5.6.6 NAME 'personRule' NOT description )\n");
  const std::pair<const char*, std::size_t> lists[] = {
      {"attributeTypes", schema->attribute_types().size()},
      {"OBJECTCLASSES", schema->object_classes().size()},
      {"ldapSyntaxes", 70},
      {"matchingRules", 50},
      {"matchingRuleUse", 20},
      {"dITContentRules", 1},
  };
  for (const auto& [name, least] : lists) {
    const auto values = schema->subschema_values(name);
    EXPECT_GE(values.size(), least) << name;
    DefinitionKind kind{};
    ASSERT_TRUE(kind_of(name, &kind));
    for (const std::string& value : values) {
      Definition definition;
      DefinitionError error;
      EXPECT_TRUE(parse_definition(kind, value, &definition, &error)) << value << error.message;
    }
  }
  EXPECT_TRUE(schema->subschema_values("cn").empty());
  EXPECT_TRUE(schema->subschema_values("nameForms").empty());
  const auto syntaxes = schema->subschema_values("ldapSyntaxes");
  EXPECT_EQ(syntaxes.back(), "( 1.2.9 )");
}

TEST(SchemaLoader, Files) {
  SchemaBuilder builder;
  builder.add_builtin();
  const auto missing = builder.add_file("/nonexistent/x.schema");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code(), ErrorCode::kNotFound);
  const std::string path =
      ::testing::TempDir() + "/kauri_schema_" + std::to_string(::getpid()) + ".schema";
  std::ofstream(path) << "attributetype ( 1.2.3 NAME 'a' SUP nosuch )\n";
  EXPECT_TRUE(builder.add_file(path).has_value());
  EXPECT_TRUE(builder.build().error().message().starts_with(path + ":1:36: "));
  std::remove(path.c_str());
}

TEST(SchemaLoader, AFileWithoutDefinitionsIsNoted) {
  SchemaBuilder builder;
  builder.add_builtin();
  EXPECT_TRUE(builder.add_text("dn: cn=schema\nobjectClass: top\n", "f").has_value());
  EXPECT_TRUE(builder.add_text("", "g").has_value());
  EXPECT_TRUE(builder.build().has_value());
  EXPECT_EQ(builder.warnings().size(), 2U);
}

}  // namespace
}  // namespace kauri::schema
