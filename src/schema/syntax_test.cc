#include "schema/syntax.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "schema/number_value.h"
#include "schema/syntaxes/syntax_table.h"
#include "text/visible.h"

namespace kauri::schema {
namespace {

using std::string_literals::operator""s;

struct SyntaxCase {
  const char* oid;
  std::vector<std::string> good;
  std::vector<std::string> bad;
};

#define KAURI_RFC "1.3.6.1.4.1.1466.115.121.1."
const SyntaxCase kCases[] = {
    {KAURI_RFC "6", {"''B", "'0101111101'B"}, {"", "'", "''", "01", "'012'B", "'01'", "B", "'01B"}},
    {KAURI_RFC "7", {"TRUE", "FALSE"}, {"", "true", "True", "TRUE ", "1"}},
    {KAURI_RFC "11", {"US", "AU"}, {"", "U", "USA", "U*", "\xC3\x9C"}},
    {KAURI_RFC "12",
     {"", "cn=a", "CN=Lu\\C4\\8Di\\C4\\87", "1.3.6.1.4.1.1466.0=#04024869,DC=example,DC=com"},
     {"not a dn", "cn=", "=x", "cn=a,", "cn=\\"}},
    {KAURI_RFC "14",
     {"any", "telephone $ videotex", "MHS$ia5"},
     {"", "fax", "any $", "any any", " any", "any ", "mhs $ any "}},
    {KAURI_RFC "15",
     {"x", " ", "\xC3\xA9", "\xF0\x9F\x98\x80", "a\0b"s},
     {"", "\xC3", "a\xFF", "\xED\xA0\x80", "\xC0\x80"}},
    {KAURI_RFC "21",
     {"person#(sn$EQ)#oneLevel", "person # sn$EQ|(cn$SUBSTR&!l$GE)|?true # baseobject"},
     {"", "person", "person#sn$EQ", "person#sn$EQ#here", "#sn$EQ#oneLevel", "p#sn$#oneLevel",
      "p#(sn$EQ#oneLevel", "p#" + std::string(100, '(') + "#oneLevel",
      "p#" + std::string(200000, '!') + "#oneLevel"}},
    {KAURI_RFC "22",
     {"+1 512", "+1 512$fineResolution$b4Length"},
     {"", "$fineResolution", "+1 512$", "+1 512$x", "+1_512"}},
    {KAURI_RFC "24",
     {"199412161032Z", "199412160532-0500", "2024010112Z", "20240101120000.123456Z",
      "20240101120000,5+01", "20240229120000Z", "20231231235960Z", "2024010112.25Z"},
     {"", "20240101", "20240101120000", "20240101120000z", "20240230120000Z", "20230229120000Z",
      "20241301120000Z", "20240001120000Z", "20240101240000Z", "20240101126000Z", "20240101120061Z",
      "20240101120000.Z", "20240101120000+1", "20240101120000+2400", "20240101120000Zx",
      "00000101000000+0100", "99991231235959-0100", "2024-01-01T12:00:00Z"}},
    {KAURI_RFC "25", {"person#sn$EQ", "sn$EQ", "?false"}, {"", "#sn$EQ", "sn", "sn$EQ)"}},
    {KAURI_RFC "26", {"", "plain", "tab\t"}, {"\xC3\xA9", "a\x80"}},
    {KAURI_RFC "27",
     {"0", "1", "-1", "1321", "123456789012345678901234567890"},
     {"", "-", "-0", "+1", "01", "-01", "1 ", " 1", "1.0", "12abc", "0x1", "--1"}},
    {KAURI_RFC "34",
     {"", "cn=a", "cn=a#'0101'B", "1.3.6.1.4.1.1466.0=#04024869,O=Test,C=GB#'0101'B", "cn=a#b"},
     {"cn=a,#'01'B", "x#'01'B"}},
    {KAURI_RFC "36", {"15 079 672 281", " ", "0"}, {"", "12a", "1-2", "\xD9\xA1"}},
    {KAURI_RFC "38",
     {"1.2.3.4", "0.9.2342", "cn", "a-b-1"},
     {"", "1", "1.", "1..2", ".1", "01.2", "1.02", "-a", "1.2x", "a b", "c\xC3\xA9"}},
    {KAURI_RFC "39", {"MCIMail$me", "x$"}, {"", "$me", "MCIMail", "MCI*$me", "a$\x80"}},
    {KAURI_RFC "40", {"", "\0\xFF"s}, {}},
    {KAURI_RFC "41",
     {"1 Main St$City \\24 X$\\5C", "a", "a$$b", "\\5c"},
     {"", "a\\", "a\\2", "a\\41", "\xFF"}},
    {KAURI_RFC "44", {"This is a PrintableString.", "'()+,-./:?= "}, {"", "a*b", "a@b", "a_b"}},
    {KAURI_RFC "45", {"{}", "{ base \"ou=x\" }"}, {"", "{", "x"}},
    {KAURI_RFC "50", {"+1 512 315 0280", "+61 3 9896 7830"}, {"", "+1*", "\xC3\xA9"}},
    {KAURI_RFC "51", {"id", "id$graphic:x$private:"}, {"", "id$x:1", "id$graphic", "id$misc:a\\"}},
    {KAURI_RFC "52", {"1$US$abc"}, {"", "1", "1$US", "1$US$abc$d", "1$$abc", "1$U*$abc"}},
    {KAURI_RFC "53",
     {"9412161032Z", "941216103200Z", "9412161032-0500", "9412161032"},
     {"", "94121610", "9412161032+05", "9413161032Z", "9412161032Zx"}},
    {KAURI_RFC "58", {"*", "a*", "*b", "a*b*c", "\\2A*\\5c"}, {"", "a", "a**b", "\\*", "\\41*"}},
    {KAURI_RFC "8",
     {"\x30\x00"s, "\x30\x81\x01x"s},
     {"", "\x30", "\x30\x01", "\x31\x00"s, "\x30\x80\x00\x00"s, "\x30\x00x"s,
      "\x30\x84\xFF\xFF\xFF\xFF"s, "\x30\x89"s}},
    {"1.3.6.1.1.16.1",
     {"597ae2f6-16a6-1027-98f4-d28b5365dc14", "597AE2F6-16A6-1027-98F4-D28B5365DC14"},
     {"", "597ae2f616a6102798f4d28b5365dc14", "597ae2f6-16a6-1027-98f4-d28b5365dc1g",
      "597ae2f6-16a6-1027-98f4_d28b5365dc14", "597ae2f6-16a6-1027-98f4-d28b5365dc141"}},
    {"1.3.6.1.4.1.4203.666.11.2.1",
     {"20240101120000.000000Z#000000#000#000000", "20240101120000.123456Z#00000a#00F#FFFFFF"},
     {"", "20240101120000Z#000000#00#000000", "20240101120000.000000Z#00000g#000#000000",
      "20241301120000.000000Z#000000#000#000000"}},
    {"1.3.6.1.1.1.0.0",
     {"(host,user,domain)", "(,,)", "(-, u ,)"},
     {"", "host", "(a,b)", "(a,b,c,d)", "((,,)"}},
    {"1.3.6.1.1.1.0.1", {"root=fs:/export"}, {"", "root", "root=fs", "=fs:/x"}},
    {"1.2.840.113556.1.4.903",
     {"B:4:0aFF:cn=a", "B:0::cn=a"},
     {"", "B:4:0aF:cn=a", "B:99999999999999999999:00:cn=a", "X:0::cn=a", "B:2:zz:cn=a",
      "B:2:00cn=a", "B:2:00:notdn"}},
    {KAURI_RFC "3",
     {"( 2.5.4.3 NAME 'cn' SUP name )", "( 1.2.3 SYNTAX 1.2.3.4{5} )"},
     {"", "cn", "( 2.5.4.3 NAME 'cn' SUP name", "( 2.5.4.3 NAME 'cn' )"}},
    {KAURI_RFC "37",
     {"( 2.5.6.2 NAME 'country' SUP top STRUCTURAL MUST c MAY ( a $ b ) )"},
     {"", "( 2.5.6.2 MUST )"}},
    {KAURI_RFC "16", {"( 2.5.6.4 DESC 'rule' NOT ( x121Address $ telexNumber ) )"}, {"( x ) y"}},
    {KAURI_RFC "17", {"( 2 DESC 'rule' FORM 2.5.15.3 )"}, {"( 2 DESC 'rule' )"}},
    {KAURI_RFC "30", {"( 2.5.13.2 NAME 'm' SYNTAX 1.2.3 )"}, {"( 2.5.13.2 NAME 'm' )"}},
    {KAURI_RFC "31", {"( 2.5.13.16 APPLIES ( givenName $ surname ) )"}, {"( 2.5.13.16 )"}},
    {KAURI_RFC "35",
     {"( 2.5.15.3 NAME 'orgNameForm' OC organization MUST o )"},
     {"( 2.5.15.3 OC organization )", "( 2.5.15.3 MUST o )"}},
    {KAURI_RFC "54", {"( 1.2.3 DESC 'x' )"}, {"( 1.2.3 DESC x )"}},
};

TEST(Syntax, AcceptsWhatTheGrammarAllows) {
  for (const SyntaxCase& c : kCases) {
    const Syntax* syntax = find_syntax(c.oid);
    ASSERT_NE(syntax, nullptr) << c.oid;
    for (const std::string& value : c.good) {
      std::string why;
      EXPECT_TRUE(syntax->validate(value, &why)) << c.oid << " '" << value << "': " << why;
      EXPECT_TRUE(syntax->validate(value, nullptr));
    }
  }
}

TEST(Syntax, RefusesTheRestWithAReason) {
  for (const SyntaxCase& c : kCases) {
    const Syntax* syntax = find_syntax(c.oid);
    ASSERT_NE(syntax, nullptr) << c.oid;
    for (const std::string& value : c.bad) {
      std::string why;
      EXPECT_FALSE(syntax->validate(value, &why)) << c.oid << " '" << value.substr(0, 80) << "'";
      EXPECT_FALSE(why.empty()) << c.oid << " '" << value.substr(0, 80) << "'";
      EXPECT_LT(why.size(), 400U);
      EXPECT_FALSE(syntax->validate(value, nullptr));
    }
  }
}

TEST(Syntax, IntegersAreBounded) {
  for (const char* oid : {KAURI_RFC "27", "1.2.840.113556.1.4.906"}) {
    const Syntax* syntax = find_syntax(oid);
    EXPECT_TRUE(syntax->validate(std::string(kIntegerSizeMax, '9'), nullptr));
    EXPECT_TRUE(syntax->validate("-" + std::string(kIntegerSizeMax - 1, '9'), nullptr));
    for (const std::string& sign : {std::string("9"), std::string("-")}) {
      std::string why;
      EXPECT_FALSE(syntax->validate(sign + std::string(kIntegerSizeMax, '9'), &why));
      EXPECT_EQ(why, "an integer of 4097 octets, the limit is 4096");
    }
  }
}

// What a value holds reaches terminals and logs of others.
TEST(Syntax, ReasonsShowNoControlCharacters) {
  for (const Syntax* syntax : all_syntaxes()) {
    for (const std::string& value : {"\x1B"
                                     "[2J\0\xFF"s,
                                     "x$\x1B"s, "1$\x1B:2"s, "( \x1B )"s, "( 1.2 NAME \x1B )"s,
                                     "( 1.2 \x1B\0 )"s, "B:4:\x1B"s, "\x1B=x"s}) {
      std::string why;
      if (!syntax->validate(value, &why)) {
        EXPECT_TRUE(text::is_visible(why)) << syntax->oid() << ": " << text::visible(why);
      }
    }
  }
}

TEST(Syntax, EveryRfc4517SyntaxIsKnown) {
  for (const int number : {3,  6,  7,  11, 12, 14, 15, 16, 17, 21, 22, 23, 24, 25, 26, 27, 28,
                           30, 31, 34, 35, 36, 37, 38, 39, 40, 41, 44, 50, 51, 52, 53, 54, 58}) {
    EXPECT_NE(find_syntax(KAURI_RFC + std::to_string(number)), nullptr) << number;
  }
  EXPECT_EQ(find_syntax("1.2.3"), nullptr);
  EXPECT_EQ(find_syntax(""), nullptr);
}

TEST(Syntax, DefinitionsSayWhatIsBinary) {
  EXPECT_EQ(syntax_definition(*find_syntax(KAURI_RFC "28")),
            "( 1.3.6.1.4.1.1466.115.121.1.28 DESC 'JPEG' X-NOT-HUMAN-READABLE 'TRUE' )");
  const Syntax* descriptions = find_syntax(KAURI_RFC "54");
  for (const Syntax* syntax : all_syntaxes()) {
    EXPECT_TRUE(descriptions->validate(syntax_definition(*syntax), nullptr)) << syntax->oid();
  }
}

}  // namespace
}  // namespace kauri::schema
