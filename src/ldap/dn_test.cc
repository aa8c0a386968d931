#include "ldap/dn.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/limits.h"
#include "base/random.h"
#include "text/utf8.h"

namespace kauri::ldap {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

// The value of the only AVA of a name with one RDN.
std::string value_of(std::string_view text) {
  const Result<Dn> dn = parse_dn(text);
  if (!dn) return "error: " + dn.error().message();
  if (dn->rdns.size() != 1 || dn->rdns[0].avas.size() != 1) return "error: another shape";
  return dn->rdns[0].avas[0].value;
}

TEST(DnTest, Values) {
  const struct {
    std::string_view text;
    std::string value;
  } cases[] = {
      {"cn=John Smith"sv, "John Smith"},
      {"cn=John\\20Smith"sv, "John Smith"},  // A01
      {"cn=T\\\\"sv, "T\\"},                 // A04
      {"cn=T\\5C"sv, "T\\"},
      {"cn=T\\5c"sv, "T\\"},
      {"cn=a#b"sv, "a#b"},  // A11
      {"cn=\\#x"sv, "#x"},
      {"uid=a\\00"sv, "a\0"s},  // A16
      {"cn=Before\\0dAfter"sv, "Before\rAfter"},
      {"sn=Lu\\C4\\8Di\\C4\\87"sv, "Lu\xC4\x8Di\xC4\x87"},
      {"sn=Lu\xC4\x8Di\xC4\x87"sv, "Lu\xC4\x8Di\xC4\x87"},
      {"1.3.6.1.4.1.1466.0=#04024869"sv, "Hi"},
      {"cn=#0C024869"sv, "Hi"},
      {"cn=#04020400"sv, "\x04\0"s},
      {"CN=L. Eagle"sv, "L. Eagle"},
      {"cn=James \\\"Jim\\\" Smith\\, III"sv, "James \"Jim\" Smith, III"},
      {"cn=a=b"sv, "a=b"},
      {"cn=a\\=b"sv, "a=b"},
      {"cn=\\ a\\ "sv, " a "},
      {"cn=  a  "sv, "a"},
      {"cn=a \\  "sv, "a  "},
      {"cn=\\20"sv, " "},
      {" cn = a "sv, "a"},
      {"cn=\"a, b+c\""sv, "a, b+c"},
      {"cn=\" a \" "sv, " a "},
      {"cn=\"a\\\"b\\2c\""sv, "a\"b,"},
      {"cn=\"#\""sv, "#"},
      {"OID.2.5.4.3=a"sv, "a"},
      {"2.5.4.3=a"sv, "a"},
      {"cn=\\ff"sv, "\xff"},
      {"cn=\x01"sv, "\x01"},
      {"cn=a\xF0\x9F\x98\x80"sv, "a\xF0\x9F\x98\x80"},
  };
  for (const auto& c : cases) EXPECT_EQ(value_of(c.text), c.value) << c.text;
}

TEST(DnTest, Shapes) {
  const Dn root = parse_dn("").value();
  EXPECT_TRUE(root.empty());
  EXPECT_TRUE(parse_dn("   ").value().empty());
  const Dn dn = parse_dn("cn=a+sn=b , ou=x\\,y;  dc=example").value();
  ASSERT_EQ(dn.rdns.size(), 3U);
  ASSERT_EQ(dn.rdns[0].avas.size(), 2U);
  EXPECT_EQ(dn.rdns[0].avas[1].type, "sn");
  EXPECT_EQ(dn.rdns[1].avas[0].value, "x,y");
  EXPECT_EQ(to_string(dn), "cn=a+sn=b,ou=x\\,y,dc=example");
  // A04: the escaped backslash does not eat the separator.
  EXPECT_EQ(parse_dn("cn=T\\\\,ou=p").value().rdns.size(), 2U);
  // A05: RFC 2253's spaces.
  EXPECT_EQ(to_string(*parse_dn("uid=a, ou=p, dc=example, dc=com")),
            "uid=a,ou=p,dc=example,dc=com");
  // A06 is for the schema to judge; as text it is two assertions.
  EXPECT_EQ(parse_rdn("cn=x+cn=y").value().avas.size(), 2U);
  EXPECT_EQ(parse_dn("OID.2.5.4.3=a").value().rdns[0].avas[0].type, "2.5.4.3");
}

struct Malformed {
  const char* name;
  std::string text;
  const char* why;
};

std::vector<Malformed> malformed() {
  std::string many_rdns = "dc=a";
  for (std::size_t i = 0; i < limits::kDnRdnsMax; ++i) many_rdns += ",c=a";
  std::string many_avas = "dc=a";
  for (std::size_t i = 0; i < limits::kRdnAvasMax; ++i) many_avas += "+c=a";
  return {
      {"empty value (A09)", "cn=", "empty"},
      {"empty value before a comma (A09)", "cn=,dc=x", "empty"},
      {"empty quoted value", "cn=\"\"", "empty"},
      {"empty hexadecimal value", "cn=#0400", "empty"},
      {"only spaces", "cn=   ,dc=x", "empty"},
      {"ends in a comma (A15)", "uid=a,", "after the last separator"},
      {"ends in a comma behind more (A15)", "uid=a,ou=p,dc=x,", "after the last separator"},
      {"ends in a semicolon", "uid=a;", "after the last separator"},
      {"ends in a plus", "uid=a+", "attribute type is expected"},
      {"ends in a backslash (T14)", "uid=a\\", "backslash ends"},
      {"backslash and one digit", "uid=a\\4", "two hexadecimal digits"},
      {"backslash and a letter", "uid=a\\zz", "two hexadecimal digits"},
      {"two commas", "uid=a,,dc=x", "attribute type is expected"},
      {"comma first", ",uid=a", "attribute type is expected"},
      {"no equals sign", "uid", "'=' is expected"},
      {"not a dn", "not a dn", "'=' is expected"},
      {"no type", "=a", "attribute type is expected"},
      {"type with a space", "u id=a", "'=' is expected"},
      {"type starts with a digit", "1a=b", "neither a name nor a dotted OID"},
      {"one number", "2=b", "neither a name nor a dotted OID"},
      {"OID with a leading zero", "2.05=b", "neither a name nor a dotted OID"},
      {"OID ends in a dot", "2.5.=b", "neither a name nor a dotted OID"},
      {"type with an option", "cn;lang-en=b", "'=' is expected"},
      {"type is no ASCII", "c\xC3\xA4=b", "'=' is expected"},
      {"raw NUL (A16)", "uid=a\0,dc=x"s, "NUL"},
      {"raw NUL in quotation marks", "uid=\"a\0\""s, "NUL"},
      {"raw NUL in the type", "u\0id=a"s, "'=' is expected"},
      {"hash is not hexadecimal (A11)", "cn=#x", "hexadecimal digits are expected"},
      {"hash alone", "cn=#", "hexadecimal digits are expected"},
      {"hash, odd digits", "cn=#040", "odd number"},
      {"hash, length past the end", "cn=#0403aa", "not one whole BER element"},
      {"hash, octets behind", "cn=#0401aabb", "not one whole BER element"},
      {"hash, an integer", "cn=#020101", "not of a BER string type"},
      {"hash, a sequence", "cn=#30030401aa", "not of a BER string type"},
      {"hash, letters behind", "cn=#0401aaz", "separator"},
      {"quotation mark inside", "cn=a\"b", "must be escaped"},
      {"angle bracket", "cn=<a>", "must be escaped"},
      {"quotation mark not closed", "cn=\"a", "closing quotation mark"},
      {"letters behind the quotation mark", "cn=\"a\"b", "separator"},
      {"bad UTF-8", "cn=\xff", "UTF-8"},
      {"cut UTF-8", "cn=\xC3", "UTF-8"},
      {"UTF-8 surrogate", "cn=\xED\xA0\x80", "UTF-8"},
      {"too many RDNs", many_rdns, "more than 128 RDNs"},
      {"too many AVAs", many_avas, "more than 16 attribute values"},
      {"too many octets", "cn=" + std::string(limits::kDnSizeMax, 'a'), "the limit is 8192"},
  };
}

TEST(DnTest, NamedMalformedNamesAreRefused) {
  for (const Malformed& c : malformed()) {
    const Result<Dn> dn = parse_dn(c.text);
    ASSERT_FALSE(dn.has_value()) << c.name;
    EXPECT_EQ(dn.error().code(), ErrorCode::kInvalid) << c.name;
    EXPECT_NE(dn.error().message().find(c.why), std::string::npos)
        << c.name << ": " << dn.error().message();
    // The sentence is one printable line of bounded length.
    EXPECT_LT(dn.error().message().size(), 600U) << c.name;
    for (const char ch : dn.error().message()) EXPECT_TRUE(ch >= ' ' && ch <= '~') << c.name;
    EXPECT_FALSE(parse_rdn(c.text).has_value()) << c.name;
  }
}

TEST(DnTest, LimitsThemselvesAreAccepted) {
  std::string rdns = "dc=a";
  for (std::size_t i = 1; i < limits::kDnRdnsMax; ++i) rdns += ",c=a";
  EXPECT_TRUE(parse_dn(rdns).has_value());
  std::string avas = "dc=a";
  for (std::size_t i = 1; i < limits::kRdnAvasMax; ++i) avas += "+c=a";
  EXPECT_TRUE(parse_dn(avas).has_value());
  EXPECT_TRUE(parse_dn("cn=" + std::string(limits::kDnSizeMax - 3, 'a')).has_value());
}

TEST(DnTest, SingleRdn) {
  EXPECT_EQ(parse_rdn("cn=a").value().avas[0].value, "a");
  EXPECT_FALSE(parse_rdn("uid=x,ou=y").has_value());  // A08
  EXPECT_FALSE(parse_rdn("").has_value());            // F13
  EXPECT_FALSE(parse_rdn("cn=").has_value());
  EXPECT_EQ(to_string(*parse_rdn(" cn = a + sn = b ")), "cn=a+sn=b");
}

TEST(DnTest, EscapesOnWriting) {
  EXPECT_EQ(escape_value("plain value"), "plain value");
  EXPECT_EQ(escape_value(" a "), "\\20a\\20");
  EXPECT_EQ(escape_value(" "), "\\20");
  EXPECT_EQ(escape_value("#a#"), "\\#a#");
  EXPECT_EQ(escape_value("a,b+c;d<e>f\"g\\h=i"), "a\\,b\\+c\\;d\\<e\\>f\\\"g\\\\h=i");
  EXPECT_EQ(escape_value("a\0b\r\n\x7f"sv), "a\\00b\\0D\\0A\\7F");
  EXPECT_EQ(escape_value("\xC4\x8D"), "\xC4\x8D");
  EXPECT_EQ(escape_value("\xC4\xff"), "\\C4\\FF");
  EXPECT_EQ(join_dn("cn=a", "dc=x"), "cn=a,dc=x");
  EXPECT_EQ(join_dn("cn=a", ""), "cn=a");
}

TEST(DnTest, RandomNamesAreReadBackAsTheSameOctets) {
  SeededRandom random(2024);
  for (int round = 0; round < 3000; ++round) {
    Dn dn;
    for (std::uint64_t i = random.next_u64() % 4; i > 0; --i) {
      Rdn& rdn = dn.rdns.emplace_back();
      for (std::uint64_t j = 1 + random.next_u64() % 3; j > 0; --j) {
        Ava& ava = rdn.avas.emplace_back();
        ava.type = random.next_u64() % 2 == 0 ? "cn" : "2.5.4.3";
        ava.value = random.bytes(1 + random.next_u64() % 6);
        if (random.next_u64() % 3 == 0) {
          constexpr std::string_view kNasty = " #\"+,;<=>\\";
          for (char& c : ava.value) c = kNasty[static_cast<unsigned char>(c) % kNasty.size()];
        }
        ava.hex = random.next_u64() % 4 == 0;
      }
    }
    const std::string text = to_string(dn);
    EXPECT_TRUE(text::is_valid_utf8(text));
    const Result<Dn> again = parse_dn(text);
    ASSERT_TRUE(again.has_value()) << text << again.error().message();
    ASSERT_EQ(again->rdns.size(), dn.rdns.size());
    for (std::size_t i = 0; i < dn.rdns.size(); ++i) {
      ASSERT_EQ(again->rdns[i].avas.size(), dn.rdns[i].avas.size());
      for (std::size_t j = 0; j < dn.rdns[i].avas.size(); ++j) {
        EXPECT_EQ(again->rdns[i].avas[j].type, dn.rdns[i].avas[j].type);
        EXPECT_EQ(again->rdns[i].avas[j].value, dn.rdns[i].avas[j].value);
        EXPECT_EQ(again->rdns[i].avas[j].hex, dn.rdns[i].avas[j].hex);
      }
    }
  }
}

TEST(DnTest, EveryPrefixOfANameIsReadWithoutOverrun) {
  const std::string text = "cn=\"a\\\"b\\2c\" + sn=#0401aa , ou=x\\,y\\C4\\8D;  dc=example";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const std::string cut = text.substr(0, size);
    const Result<Dn> dn = parse_dn(cut);
    if (dn.has_value()) {
      EXPECT_TRUE(parse_dn(to_string(*dn)).has_value()) << cut;
    }
  }
}

}  // namespace
}  // namespace kauri::ldap
