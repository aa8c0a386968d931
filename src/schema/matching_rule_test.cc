#include "schema/matching_rule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "schema/certificate_value.h"
#include "schema/matching_rules/rule_table.h"
#include "schema/number_value.h"
#include "schema/schema_testing.h"
#include "schema/time_value.h"
#include "text/base64.h"

namespace kauri::schema {
namespace {

using std::string_literals::operator""s;
using testing::match;
using testing::normal;
using testing::normal_assertion;
using testing::part;

constexpr SubstringPosition kInitial = SubstringPosition::kInitial;
constexpr SubstringPosition kAny = SubstringPosition::kAny;
constexpr SubstringPosition kFinal = SubstringPosition::kFinal;

TEST(MatchingRule, EveryRuleOfTheStandardsIsFoundByNameAndOid) {
  const std::pair<const char*, const char*> rules[] = {
      {"2.5.13.0", "objectIdentifierMatch"},
      {"2.5.13.1", "distinguishedNameMatch"},
      {"2.5.13.2", "caseIgnoreMatch"},
      {"2.5.13.3", "caseIgnoreOrderingMatch"},
      {"2.5.13.4", "caseIgnoreSubstringsMatch"},
      {"2.5.13.5", "caseExactMatch"},
      {"2.5.13.6", "caseExactOrderingMatch"},
      {"2.5.13.7", "caseExactSubstringsMatch"},
      {"2.5.13.8", "numericStringMatch"},
      {"2.5.13.9", "numericStringOrderingMatch"},
      {"2.5.13.10", "numericStringSubstringsMatch"},
      {"2.5.13.11", "caseIgnoreListMatch"},
      {"2.5.13.12", "caseIgnoreListSubstringsMatch"},
      {"2.5.13.13", "booleanMatch"},
      {"2.5.13.14", "integerMatch"},
      {"2.5.13.15", "integerOrderingMatch"},
      {"2.5.13.16", "bitStringMatch"},
      {"2.5.13.17", "octetStringMatch"},
      {"2.5.13.18", "octetStringOrderingMatch"},
      {"2.5.13.20", "telephoneNumberMatch"},
      {"2.5.13.21", "telephoneNumberSubstringsMatch"},
      {"2.5.13.23", "uniqueMemberMatch"},
      {"2.5.13.27", "generalizedTimeMatch"},
      {"2.5.13.28", "generalizedTimeOrderingMatch"},
      {"2.5.13.29", "integerFirstComponentMatch"},
      {"2.5.13.30", "objectIdentifierFirstComponentMatch"},
      {"2.5.13.31", "directoryStringFirstComponentMatch"},
      {"2.5.13.32", "wordMatch"},
      {"2.5.13.33", "keywordMatch"},
      {"1.3.6.1.4.1.1466.109.114.1", "caseExactIA5Match"},
      {"1.3.6.1.4.1.1466.109.114.2", "caseIgnoreIA5Match"},
      {"1.3.6.1.4.1.1466.109.114.3", "caseIgnoreIA5SubstringsMatch"},
      {"1.3.6.1.1.16.2", "uuidMatch"},
      {"1.3.6.1.1.16.3", "uuidOrderingMatch"},
      {"1.2.840.113556.1.4.803", "integerBitAndMatch"},
      {"1.2.840.113556.1.4.804", "integerBitOrMatch"},
  };
  for (const auto& [oid, name] : rules) {
    const MatchingRule* rule = find_matching_rule(oid);
    ASSERT_NE(rule, nullptr) << oid;
    EXPECT_EQ(rule->name(), name);
    std::string upper = name;
    std::transform(upper.begin(), upper.end(), upper.begin(), ::toupper);
    EXPECT_EQ(find_matching_rule(upper), rule);
  }
  EXPECT_EQ(find_matching_rule("nosuchMatch"), nullptr);
  EXPECT_EQ(find_matching_rule(""), nullptr);
}

TEST(MatchingRule, FamiliesShareOneNormalForm) {
  const std::pair<const char*, const char*> pairs[] = {
      {"caseIgnoreMatch", "caseIgnoreOrderingMatch"},
      {"caseIgnoreMatch", "caseIgnoreSubstringsMatch"},
      {"caseIgnoreIA5Match", "caseIgnoreIA5SubstringsMatch"},
      {"caseExactMatch", "caseExactOrderingMatch"},
      {"numericStringMatch", "numericStringOrderingMatch"},
      {"integerMatch", "integerOrderingMatch"},
      {"generalizedTimeMatch", "generalizedTimeOrderingMatch"},
      {"octetStringMatch", "octetStringOrderingMatch"},
      {"octetStringMatch", "octetStringSubstringsMatch"},
      {"telephoneNumberMatch", "telephoneNumberSubstringsMatch"},
      {"caseIgnoreListMatch", "caseIgnoreListSubstringsMatch"},
      {"uuidMatch", "uuidOrderingMatch"},
      {"CSNMatch", "CSNOrderingMatch"},
  };
  for (const auto& [a, b] : pairs) {
    EXPECT_EQ(find_matching_rule(a)->normal_form(), find_matching_rule(b)->normal_form()) << a;
  }
}

// C09: runs of spaces.
TEST(MatchingRule, InsignificantSpaces) {
  const std::string stored = "Babs   is a   big  fan";
  EXPECT_TRUE(match("caseIgnoreMatch", stored, "  babs is a BIG fan "));
  EXPECT_FALSE(match("caseIgnoreMatch", stored, "babsis a big fan"));
  const std::string value = normal("caseIgnoreSubstringsMatch", stored);
  const auto contains = [&value](std::string_view text) {
    return value.find(part("caseIgnoreSubstringsMatch", kAny, text)) != std::string::npos;
  };
  EXPECT_TRUE(contains("is a big"));
  EXPECT_TRUE(contains("is  a BIG "));
  EXPECT_FALSE(contains("isa big"));
  EXPECT_TRUE(value.starts_with(part("caseIgnoreSubstringsMatch", kInitial, " Babs is")));
  EXPECT_FALSE(value.starts_with(part("caseIgnoreSubstringsMatch", kInitial, "is")));
  EXPECT_TRUE(value.ends_with(part("caseIgnoreSubstringsMatch", kFinal, "big FAN  ")));
}

// C22: the exact rule on a type whose own rule ignores case.
TEST(MatchingRule, CaseExactAndCaseIgnore) {
  EXPECT_FALSE(match("caseExactMatch", "A", "a"));
  EXPECT_TRUE(match("2.5.13.5", "A", "A"));
  EXPECT_TRUE(match("caseIgnoreMatch", "A", "a"));
}

// C10: telephone numbers, and one that is nothing but insignificant characters.
TEST(MatchingRule, TelephoneNumbers) {
  EXPECT_TRUE(match("telephoneNumberMatch", "+1 234-567", "+1-234 567"));
  EXPECT_FALSE(match("telephoneNumberMatch", "+1 234-567", " - "));
  EXPECT_EQ(normal("telephoneNumberMatch", " - "), "");
  EXPECT_EQ(normal("telephoneNumberMatch", "1*2"), "(none)");
  EXPECT_EQ(part("telephoneNumberSubstringsMatch", kAny, "3-4"), "34");
}

// C13: numbers in numeric order, of any size.
TEST(MatchingRule, IntegersSortAsNumbers) {
  std::vector<std::string> ascending;
  ascending.push_back("-1" + std::string(300, '0'));
  ascending.push_back("-1" + std::string(126, '0'));
  ascending.push_back("-" + std::string(126, '9'));
  for (const char* text : {"-9223372036854775809", "-100", "-99", "-10", "-9", "-5", "-1", "0", "1",
                           "9", "10", "11", "99", "100", "101", "65535", "18446744073709551616"}) {
    ascending.emplace_back(text);
  }
  ascending.push_back(std::string(126, '9'));
  ascending.push_back("1" + std::string(126, '0'));
  ascending.push_back("2" + std::string(126, '0'));
  ascending.push_back("1" + std::string(300, '0'));
  for (std::size_t i = 0; i + 1 < ascending.size(); ++i) {
    const std::string a = normal("integerMatch", ascending[i]);
    const std::string b = normal("integerOrderingMatch", ascending[i + 1]);
    EXPECT_LT(a, b) << ascending[i] << " and " << ascending[i + 1];
    EXPECT_EQ(a, normal("integerOrderingMatch", ascending[i]));
  }
}

// E19: text that is no number is never taken as 0.
TEST(MatchingRule, NonIntegersHaveNoNormalForm) {
  for (const char* text : {"12abc", "", "abc", "1 2", "+1", "00"}) {
    EXPECT_EQ(normal("integerMatch", text), "(none)") << text;
    EXPECT_EQ(normal("1.2.840.113556.1.4.803", text), "(none)") << text;
  }
}

// C18 and the forms of RFC 4517 section 3.3.13.
TEST(MatchingRule, TimesAreOneInstant) {
  const std::pair<const char*, const char*> same[] = {
      {"20240101120000Z", "20240101130000+0100"}, {"199412161032Z", "199412160532-0500"},
      {"20240101120000Z", "202401011200Z"},       {"20240101120000Z", "2024010112Z"},
      {"20240101123000Z", "2024010112.5Z"},       {"20240101123000Z", "2024010112,50000+00"},
      {"20240101120030Z", "202401011200.5Z"},     {"20240101120000.5Z", "20240101120000.500Z"},
      {"20240101000000Z", "20231231233000-0030"}, {"20240301000000Z", "20240229230000-0100"},
  };
  for (const auto& [a, b] : same) {
    EXPECT_EQ(normal("generalizedTimeMatch", a), normal("generalizedTimeMatch", b)) << b;
  }
  EXPECT_EQ(normal("generalizedTimeMatch", "20240101120000Z"), "20240101120000");
  EXPECT_EQ(normal("generalizedTimeMatch", "2024010112.0001Z"), "2024010112000036");
  // A fraction of an hour stays exact however long it is: 1/9 of an hour is 400 seconds.
  EXPECT_EQ(normal("generalizedTimeMatch", "2024010112." + std::string(40, '1') + "Z"),
            "20240101120639" + std::string(37, '9') + "6");
}

TEST(MatchingRule, TimesSort) {
  const char* ascending[] = {"00000101000000Z",    "19991231235959Z",  "19991231235959.5Z",
                             "19991231235959.51Z", "19991231235960Z",  "20000101000000Z",
                             "20240101120000Z",    "99991231235959.9Z"};
  for (std::size_t i = 0; i + 1 < std::size(ascending); ++i) {
    EXPECT_LT(normal("generalizedTimeMatch", ascending[i]),
              normal("generalizedTimeOrderingMatch", ascending[i + 1]));
  }
  EXPECT_EQ(normal("uTCTimeMatch", "9412161032Z"), normal("generalizedTimeMatch", "199412161032Z"));
  EXPECT_EQ(normal("uTCTimeMatch", "4912161032Z"), "20491216103200");
  EXPECT_EQ(normal("uTCTimeMatch", "5012161032Z"), "19501216103200");
}

// C20: bits of numbers in two's complement.
TEST(MatchingRule, BitRules) {
  const char* kAnd = "1.2.840.113556.1.4.803";
  const char* kOr = "1.2.840.113556.1.4.804";
  EXPECT_FALSE(match(kAnd, "9", "2"));
  EXPECT_TRUE(match(kAnd, "10", "2"));
  EXPECT_TRUE(match(kAnd, "-5", "2"));
  EXPECT_TRUE(match(kAnd, "-5", "0"));
  EXPECT_FALSE(match(kAnd, "10", "3"));
  EXPECT_TRUE(match(kOr, "10", "3"));
  EXPECT_FALSE(match(kOr, "8", "3"));
  EXPECT_FALSE(match(kOr, "8", "0"));
  // A group type of Active Directory: bit 31 asserted as a positive number.
  EXPECT_TRUE(match(kAnd, "-2147483646", "2147483648"));
  EXPECT_TRUE(match(kAnd, "18446744073709551615", "18446744073709551615"));
  EXPECT_TRUE(match(kAnd, "18446744073709551617", "1"));
  EXPECT_EQ(normal_assertion(kAnd, "18446744073709551616"), "(none)");
  EXPECT_EQ(normal_assertion(kAnd, "-9223372036854775809"), "(none)");
  EXPECT_FALSE(find_matching_rule(kAnd)->is_octet_equality());
}

// C28: composed and decomposed forms, ligatures and full width.
TEST(MatchingRule, UnicodeForms) {
  EXPECT_TRUE(match("caseIgnoreMatch", "Jose\u0301", "jos\u00E9"));
  EXPECT_TRUE(match("caseIgnoreMatch", "\uFB01ne \uFF21", "fine a"));
  EXPECT_TRUE(match("caseIgnoreMatch", "Stra\u00DFe", "STRASSE"));
  EXPECT_FALSE(match("caseExactMatch", "Stra\u00DFe", "STRASSE"));
  // E13: characters outside the basic plane.
  EXPECT_TRUE(match("caseIgnoreMatch", "\U0001F600", "\U0001F600"));
  EXPECT_FALSE(match("caseIgnoreMatch", "\U0001F600", "\U0001F601"));
  EXPECT_EQ(normal("caseIgnoreMatch", "\uFFFD"), "(none)");
  EXPECT_EQ(normal("caseIgnoreMatch", "\xC3"), "(none)");
}

// C30: octets are octets.
TEST(MatchingRule, OctetStrings) {
  const std::string value = "\x5C\x30\x31\xFF\x00"s;
  EXPECT_EQ(normal("octetStringMatch", value), value);
  EXPECT_TRUE(match("octetStringMatch", value, value));
  EXPECT_FALSE(match("octetStringMatch", value, "\x5C\x30\x31\xFF"s));
  EXPECT_EQ(part("octetStringSubstringsMatch", kAny, "\xFF\x00"s), "\xFF\x00"s);
  EXPECT_LT(normal("octetStringOrderingMatch", "\x01\xFF"s),
            normal("octetStringOrderingMatch", "\x02"s));
}

// E11: empty values, and values of spaces only.
TEST(MatchingRule, EmptyAndBlankValues) {
  EXPECT_EQ(normal("caseIgnoreMatch", ""), "(none)");
  EXPECT_EQ(normal("caseIgnoreIA5Match", ""), "  ");
  EXPECT_TRUE(match("caseIgnoreMatch", "   ", " "));
  EXPECT_EQ(normal("caseIgnoreListMatch", ""), "(none)");
  EXPECT_EQ(normal("octetStringMatch", ""), "");
}

// K11: spaces in numeric strings.
TEST(MatchingRule, NumericStrings) {
  EXPECT_TRUE(match("numericStringMatch", "1 2 3", "12 3"));
  EXPECT_EQ(normal("numericStringMatch", "12a"), "(none)");
  const std::string value = normal("numericStringSubstringsMatch", "1 2 3");
  EXPECT_TRUE(value.starts_with(part("numericStringSubstringsMatch", kInitial, "1")));
  EXPECT_TRUE(value.ends_with(part("numericStringSubstringsMatch", kFinal, " 3 ")));
  EXPECT_NE(value.find(part("numericStringSubstringsMatch", kAny, "2 3")), std::string::npos);
}

// K13: escapes in the lines of a postal address.
TEST(MatchingRule, PostalAddresses) {
  const std::string stored = "1 Main St$City \\24 X$\\5C";
  EXPECT_TRUE(match("caseIgnoreListMatch", stored, "1  main st$city \\24 x$\\5c"));
  EXPECT_FALSE(match("caseIgnoreListMatch", stored, "1 main st$city \\24 x"));
  EXPECT_FALSE(match("caseIgnoreListMatch", stored, "1 main st city$\\24 x$\\5c"));
  const std::string value = normal("caseIgnoreListMatch", stored);
  const auto contains = [&value](std::string_view text) {
    return value.find(part("caseIgnoreListSubstringsMatch", kAny, text)) != std::string::npos;
  };
  EXPECT_TRUE(contains("CITY $ X"));
  EXPECT_TRUE(contains("\\"));
  EXPECT_FALSE(contains("st city"));  // Never across lines.
  EXPECT_FALSE(contains("stcity"));
}

TEST(MatchingRule, ObjectIdentifiers) {
  EXPECT_EQ(normal("objectIdentifierMatch", "PERSON"), "2.5.6.6");
  EXPECT_EQ(normal("objectIdentifierMatch", "2.5.6.6"), "2.5.6.6");
  EXPECT_EQ(normal("objectIdentifierMatch", "commonName"), "2.5.4.3");
  EXPECT_EQ(normal("objectIdentifierMatch", "NoSuch"), "nosuch");
  EXPECT_EQ(normal_assertion("objectIdentifierMatch", "NoSuch"), "(none)");
  EXPECT_EQ(normal_assertion("objectIdentifierMatch", "1.2.3"), "1.2.3");
  EXPECT_EQ(normal("objectIdentifierMatch", "1.02"), "(none)");
  EXPECT_TRUE(match("objectIdentifierFirstComponentMatch", "( 2.5.4.3 NAME 'cn' SUP name )", "cn"));
  EXPECT_TRUE(match("objectIdentifierFirstComponentMatch", "(2.5.6.6 NAME 'person' )", "2.5.6.6"));
  EXPECT_FALSE(match("objectIdentifierFirstComponentMatch", "( 2.5.4.3 )", "sn"));
  EXPECT_EQ(normal("objectIdentifierFirstComponentMatch", "2.5.4.3"), "(none)");
  EXPECT_TRUE(match("integerFirstComponentMatch", "( 2 FORM 2.5.15.3 )", "2"));
  EXPECT_TRUE(match("directoryStringFirstComponentMatch", "( 'Foo Bar' $ 1 )", "foo  bar"));
}

TEST(MatchingRule, FirstComponentsAreThoseOfDescriptions) {
  const auto fits = [](const char* rule, std::string_view syntax) {
    return rules::rule_fits_syntax(*find_matching_rule(rule), syntax);
  };
  EXPECT_TRUE(fits("integerFirstComponentMatch", "1.3.6.1.4.1.1466.115.121.1.17"));
  EXPECT_TRUE(fits("objectIdentifierFirstComponentMatch", "1.3.6.1.4.1.1466.115.121.1.3"));
  EXPECT_TRUE(fits("objectIdentifierFirstComponentMatch", "1.3.6.1.4.1.1466.115.121.1.54"));
  EXPECT_FALSE(fits("integerFirstComponentMatch", rules::kInteger));
  EXPECT_FALSE(fits("integerFirstComponentMatch", "1.3.6.1.4.1.1466.115.121.1.37"));
  EXPECT_FALSE(fits("objectIdentifierFirstComponentMatch", rules::kOid));
  EXPECT_FALSE(fits("directoryStringFirstComponentMatch", rules::kDirectoryString));
}

// A05, E18: two spellings of one name.
TEST(MatchingRule, DistinguishedNames) {
  EXPECT_TRUE(match("distinguishedNameMatch", "uid=a, ou=p, dc=example, dc=com",
                    "UID=A,OU=P,DC=example,DC=com"));
  EXPECT_TRUE(match("distinguishedNameMatch", "cn=X, dc=example", "CN=x,dc=EXAMPLE"));
  // C05: an escaped comma, and an escape in hexadecimal.
  EXPECT_TRUE(match("distinguishedNameMatch", "cn=Smith\\, J,dc=example,dc=com",
                    "CN=smith\\2c  j, DC=Example,dc=com"));
  EXPECT_EQ(normal("distinguishedNameMatch", "not a dn"), "(none)");
  EXPECT_EQ(normal("distinguishedNameMatch", ""), "");
}

TEST(MatchingRule, UniqueMembers) {
  EXPECT_TRUE(match("uniqueMemberMatch", "cn=A,dc=x", "CN=a, DC=X"));
  EXPECT_TRUE(match("uniqueMemberMatch", "cn=A#'01'B", "cn=a#'01'B"));
  EXPECT_FALSE(match("uniqueMemberMatch", "cn=A#'01'B", "cn=a"));
  EXPECT_FALSE(match("uniqueMemberMatch", "cn=A#'01'B", "cn=a#'010'B"));
  EXPECT_FALSE(match("uniqueMemberMatch", "cn=A#''B", "cn=a"));
}

TEST(MatchingRule, UuidsAndCsns) {
  const std::string value = normal("uuidMatch", "597ae2f6-16a6-1027-98f4-D28B5365DC14");
  EXPECT_EQ(value, "\x59\x7a\xe2\xf6\x16\xa6\x10\x27\x98\xf4\xd2\x8b\x53\x65\xdc\x14"s);
  EXPECT_EQ(normal("uuidMatch", "597ae2f616a6102798f4d28b5365dc14"), "(none)");
  EXPECT_TRUE(match("CSNMatch", "20240101120000.000000Z#00000A#000#000000",
                    "20240101120000.000000Z#00000a#000#000000"));
}

TEST(MatchingRule, BooleansAndBits) {
  EXPECT_TRUE(match("booleanMatch", "TRUE", "true"));
  EXPECT_FALSE(match("booleanMatch", "TRUE", "FALSE"));
  EXPECT_EQ(normal("booleanMatch", "yes"), "(none)");
  EXPECT_TRUE(match("bitStringMatch", "'0101'B", "'0101'B"));
  EXPECT_FALSE(match("bitStringMatch", "'0101'B", "'01010'B"));
  EXPECT_EQ(normal("bitStringMatch", "0101"), "(none)");
}

TEST(MatchingRule, Words) {
  EXPECT_TRUE(match("wordMatch", "The quick, brown fox", "BROWN"));
  EXPECT_FALSE(match("wordMatch", "The quick, brown fox", "row"));
  EXPECT_FALSE(match("wordMatch", "The quick, brown fox", "  "));
  EXPECT_TRUE(match("keywordMatch", "red;green", "green"));
  EXPECT_TRUE(match("wordMatch", "\u00C9cole", "\u00E9cole"));
  EXPECT_TRUE(match("storedPrefixMatch", "+44 20", "+44 20 7946"));
  EXPECT_FALSE(match("storedPrefixMatch", "+44 20", "+44"));
}

// Serial number 17429726349691885448, issuer CN=Kauri Té,O=Acme "x"\\, Ltd,C=NZ.
constexpr std::string_view kCertificate =
    "MIIBvTCCAWKgAwIBAgIJAPHi08S1ppeIMAoGCCqGSM49BAMCMDkxCzAJBgNVBAYTAk5aMRYwFAYDVQQKDA1BY21l"
    "ICJ4IiwgTHRkMRIwEAYDVQQDDAlLYXVyaSBUw6kwHhcNMjYxMTMwMjAwNDE5WhcNMzYxMTI3MjAwNDE5WjA5MQsw"
    "CQYDVQQGEwJOWjEWMBQGA1UECgwNQWNtZSAieCIsIEx0ZDESMBAGA1UEAwwJS2F1cmkgVMOpMFkwEwYHKoZIzj0C"
    "AQYIKoZIzj0DAQcDQgAE4D3WGeqtYoOburioIZDfJWJdCN9Vc0CqqmcHtCGf2ZYYChlyOkZW/oANX5ctoyxKpeJp"
    "VF//OXK5fktICMJJoaNTMFEwHQYDVR0OBBYEFKT8YZJRyQEdbVRz1U1O5gbfOhYGMB8GA1UdIwQYMBaAFKT8YZJR"
    "yQEdbVRz1U1O5gbfOhYGMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSQAwRgIhAOifdqsewzdC61Oc7DPq"
    "Q7JQUoxuDwV8fyc5fKGVj9S7AiEAk0AjGvEhqj5Ft6Hs44/n1Sug4q0ZjgCXYWkg287HMJ8=";

TEST(MatchingRule, Certificates) {
  const std::string der = *text::decode_base64(kCertificate);
  const char* rule = "certificateExactMatch";
  EXPECT_TRUE(match(rule, der, der));
  for (const char* same :
       {"{ serialNumber 17429726349691885448, issuer "
        "rdnSequence:\"cn=Kauri T\u00C9,o=ACME \\\"\"x\\\"\"\\, Ltd,c=nz\" }",
        "17429726349691885448$cn=kauri t\\c3\\a9, o=acme \\\"x\\\"\\, ltd, c=NZ"}) {
    EXPECT_TRUE(match(rule, der, same)) << same;
  }
  for (const char* other : {"17429726349691885449$cn=kauri t\u00E9,o=acme \\\"x\\\"\\, ltd,c=NZ",
                            "-17429726349691885448$cn=kauri t\u00E9,o=acme \\\"x\\\"\\, ltd,c=NZ",
                            "17429726349691885448$cn=kauri,c=NZ"}) {
    EXPECT_FALSE(match(rule, der, other)) << other;
    EXPECT_NE(normal_assertion(rule, other), "(none)");
  }
  // Every cut of a certificate is refused, or compares as octets where its length still fits.
  for (std::size_t size = 0; size < der.size(); ++size) {
    EXPECT_EQ(normal(rule, std::string_view(der).substr(0, size)), "(none)") << size;
  }
  EXPECT_EQ(normal(rule, "\x30\x02\x05\x00"s), "\xFF\x30\x02\x05\x00"s);
  EXPECT_EQ(parse_certificate_assertion("-1$")->serial, "\xFF"s);
  EXPECT_EQ(parse_certificate_assertion("128$")->serial, "\x00\x80"s);
  EXPECT_EQ(parse_certificate_assertion("-128$")->serial, "\x80"s);
  EXPECT_EQ(parse_certificate_assertion("-129$")->serial, "\xFF\x7F"s);
  EXPECT_EQ(parse_certificate_assertion("256$")->serial, "\x01\x00"s);
  EXPECT_EQ(parse_certificate_assertion("0$")->serial, "\x00"s);
}

TEST(MatchingRule, CertificateAssertionsThatDoNotFit) {
  // T13: unbalanced text of the GSER form is an unfit assertion.
  for (const char* text : {"{ serialNumber 1", "{ issuer rdnSequence:\"cn=", "}", "", "1$cn=",
                           "$cn=x", "x$cn=x", "{ serialNumber 1, issuer rdnSequence:\"cn=x\" } x",
                           "{ serialNumber 1, issuer rdnSequence:\"cn=x }", "{serialNumber",
                           "{ serialNumber 1, issuer }", "1$not a dn"}) {
    EXPECT_EQ(normal_assertion("certificateExactMatch", text), "(none)") << text;
  }
  EXPECT_EQ(normal_assertion("certificateExactMatch", std::string(101, '9') + "$cn=x"), "(none)");
}

TEST(MatchingRule, DefinitionsAreWellFormed) {
  const Syntax* syntax = find_syntax("1.3.6.1.4.1.1466.115.121.1.30");
  for (const MatchingRule* rule : rules::all_matching_rules()) {
    std::string why;
    EXPECT_TRUE(syntax->validate(rules::rule_definition(*rule), &why)) << rule->name() << why;
    EXPECT_NE(find_syntax(rule->assertion_syntax()), nullptr) << rule->name();
  }
}

TEST(NumberValue, LowBits) {
  EXPECT_EQ(integer_low_bits("-1"), ~0ULL);
  EXPECT_EQ(integer_bits("9223372036854775808"), 1ULL << 63U);
  EXPECT_EQ(integer_bits("-9223372036854775808"), 1ULL << 63U);
}

TEST(TimeValue, SaysWhatIsWrong) {
  std::string out;
  std::string why;
  EXPECT_FALSE(normalize_generalized_time("20240230120000Z", out, &why));
  EXPECT_EQ(why, "at offset 6: the month has no day 30");
  EXPECT_FALSE(normalize_generalized_time("20240101120000", out, &why));
  EXPECT_EQ(why, "at offset 14: expected 'Z' or a difference from UTC");
}

}  // namespace
}  // namespace kauri::schema
