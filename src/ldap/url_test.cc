#include "ldap/url.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.h"

namespace kauri::ldap {
namespace {

using namespace std::string_literals;

TEST(UrlTest, ExamplesOfTheStandard) {  // RFC 4516 section 4
  LdapUrl url = parse_url("ldap:///o=University%20of%20Michigan,c=US").value();
  EXPECT_EQ(url, (LdapUrl{.dn = "o=University of Michigan,c=US"}));
  url =
      parse_url("ldap://ldap1.example.net/o=University%20of%20Michigan,c=US?postalAddress").value();
  EXPECT_EQ(url.host, "ldap1.example.net");
  EXPECT_EQ(url.attributes, std::vector<std::string>{"postalAddress"});
  url =
      parse_url(
          "ldap://ldap1.example.net:6666/o=University%20of%20Michigan,c=US??sub?(cn=Babs%20Jensen)")
          .value();
  EXPECT_EQ(url.port, 6666);
  EXPECT_EQ(url.scope, Scope::kSubtree);
  EXPECT_EQ(url.filter, "(cn=Babs Jensen)");
  url = parse_url("LDAP://ldap1.example.com/c=GB?objectClass?ONE").value();
  EXPECT_EQ(url.scope, Scope::kOneLevel);
  EXPECT_EQ(parse_url("ldap://ldap2.example.com/o=Question%3f,c=US?mail").value().dn,
            "o=Question?,c=US");
  EXPECT_EQ(parse_url("ldap://ldap3.example.com/o=Babsco,c=US??\?(four-octet=%5c00%5c00%5c00%5c04)")
                .value()
                .filter,
            "(four-octet=\\00\\00\\00\\04)");
  EXPECT_EQ(parse_url("ldap://ldap.example.com/o=An%20Example%5C2C%20Inc.,c=US").value().dn,
            "o=An Example\\2C Inc.,c=US");
  const LdapUrl plain = parse_url("ldap://ldap.example.net").value();
  EXPECT_EQ(parse_url("ldap://ldap.example.net/").value(), plain);
  EXPECT_EQ(parse_url("ldap://ldap.example.net/?").value(), plain);
  url = parse_url("ldap:///??sub??e-bindname=cn=Manager%2cdc=example%2cdc=com").value();
  ASSERT_EQ(url.extensions.size(), 1U);
  EXPECT_FALSE(url.extensions[0].critical);
  EXPECT_EQ(url.extensions[0].type, "e-bindname");
  EXPECT_EQ(url.extensions[0].value, "cn=Manager,dc=example,dc=com");
  EXPECT_TRUE(parse_url("ldap:///??sub?\?!e-bindname=cn=Manager%2cdc=example%2cdc=com")
                  .value()
                  .extensions[0]
                  .critical);
}

TEST(UrlTest, HostsPortsAndSchemes) {
  EXPECT_EQ(parse_url("ldap://h").value().port_or_default(), 389);
  EXPECT_EQ(parse_url("ldaps://h").value().port_or_default(), 636);
  EXPECT_EQ(parse_url("ldap://h:0/").value().port_or_default(), 0);
  EXPECT_EQ(parse_url("ldap://h:/").value().port_or_default(), 389);
  const LdapUrl six = parse_url("ldap://[2001:db8::1]:1389/dc=x").value();
  EXPECT_EQ(six.host, "2001:db8::1");
  EXPECT_EQ(six.port, 1389);
  EXPECT_EQ(to_string(six), "ldap://[2001:db8::1]:1389/dc=x");
  const LdapUrl local = parse_url("ldapi://%2Fvar%2Frun%2Fldapi/dc=x").value();
  EXPECT_EQ(local.scheme, UrlScheme::kLdapi);
  EXPECT_EQ(local.host, "/var/run/ldapi");
  EXPECT_EQ(local.port_or_default(), 0);
  EXPECT_EQ(to_string(local), "ldapi://%2Fvar%2Frun%2Fldapi/dc=x");
  EXPECT_TRUE(has_ldap_scheme("LDAPS://x"));
  EXPECT_FALSE(has_ldap_scheme("http://x"));
  EXPECT_FALSE(has_ldap_scheme("ldap:/"));
}

TEST(UrlTest, CharactersThatShouldHaveBeenEncodedAreAccepted) {
  EXPECT_EQ(parse_url("ldap:///o=University of Michigan,c=US").value().dn,
            "o=University of Michigan,c=US");
  EXPECT_EQ(parse_url("ldap:///cn=J\xC3\xB6rg").value().dn, "cn=J\xC3\xB6rg");
  EXPECT_EQ(parse_url("ldap:///?*,+,@person,1.1,cn;lang-en").value().attributes.size(), 5U);
  EXPECT_EQ(parse_url("ldap:///????x=%00").value().extensions[0].value, "\0"s);
}

TEST(UrlTest, NamedMalformedUrlsAreRefused) {
  const struct {
    const char* name;
    std::string text;
    const char* why;
  } cases[] = {
      {"nothing", "", "\"ldap://\""},
      {"another scheme", "http://example.com/", "\"ldap://\""},
      {"one slash", "ldap:/h", "\"ldap://\""},
      {"percent and one digit (I04)", "ldap:///cn=name%B", "two hexadecimal digits"},
      {"percent at the end (I04)", "ldap:///cn=name%", "two hexadecimal digits"},
      {"percent and letters", "ldap:///cn=name%zz", "two hexadecimal digits"},
      {"percent in the host", "ldap://a%2/", "two hexadecimal digits"},
      {"percent in the filter", "ldap:///??\?(cn=%4", "two hexadecimal digits"},
      {"percent in an extension", "ldap:///????x=%", "two hexadecimal digits"},
      {"encoded NUL in the name", "ldap:///cn=a%00", "NUL"},
      {"encoded NUL in the host", "ldapi://%00/", "NUL"},
      {"raw NUL", "ldap:///cn=a\0"s, "control character"},
      {"line feed", "ldap:///cn=a\n", "control character"},
      {"bad UTF-8", "ldap:///cn=\xff", "UTF-8"},
      {"encoded bad UTF-8 in the name", "ldap:///cn=%ff", "UTF-8"},
      {"user part", "ldap://user@h/", "host name"},
      {"space in the host", "ldap://a b/", "host name"},
      {"encoded slash in the host", "ldap://a%2fb/", "host name"},
      {"IPv6 without brackets", "ldap://2001:db8::1/", "port is not a number"},
      {"IPv6 not closed", "ldap://[::1/", "']' is missing"},
      {"IPv4 in brackets", "ldap://[127.0.0.1]/", "IPv6"},
      {"letters behind the bracket", "ldap://[::1]x/", "port"},
      {"port is no number", "ldap://h:ldap/", "0 to 65535"},
      {"port 65536", "ldap://h:65536/", "0 to 65535"},
      {"negative port", "ldap://h:-1/", "0 to 65535"},
      {"port without a host", "ldap://:389/", "needs a host"},
      {"question mark without a slash", "ldap://h?cn", "'/' is expected"},
      {"no DN", "ldap:///not a dn", "'=' is expected"},
      {"attribute list ends in a comma", "ldap:///?cn,", "after ','"},
      {"empty attribute", "ldap:///?,cn", "not an attribute description"},
      {"attribute with a space", "ldap:///?c%20n", "not an attribute description"},
      {"unknown scope", "ldap:///??subtree", "none of base, one, sub"},
      {"broken filter", "ldap:///??\?(cn=a", "')' is expected"},
      {"extension without a type", "ldap:///???\?=x", "extension's type"},
      {"only an exclamation mark", "ldap:///???\?!", "extension's type"},
      {"extensions end in a comma", "ldap:///????x,", "after ','"},
      {"five question marks", "ldap:///????x?", "fifth question mark"},
  };
  for (const auto& c : cases) {
    const Result<LdapUrl> url = parse_url(c.text);
    ASSERT_FALSE(url.has_value()) << c.name;
    EXPECT_EQ(url.error().code(), ErrorCode::kInvalid) << c.name;
    EXPECT_NE(url.error().message().find(c.why), std::string::npos)
        << c.name << ": " << url.error().message();
    for (const char ch : url.error().message()) EXPECT_TRUE(ch >= ' ' && ch <= '~') << c.name;
  }
}

TEST(UrlTest, WritingLeavesOutWhatIsEmpty) {
  EXPECT_EQ(to_string(LdapUrl{.host = "h"}), "ldap://h/");
  EXPECT_EQ(to_string(LdapUrl{.host = "h", .dn = "o=a?b c,c=US"}), "ldap://h/o=a%3Fb%20c,c=US");
  EXPECT_EQ(to_string(LdapUrl{.dn = "dc=x", .scope = Scope::kSubordinate}), "ldap:///dc=x??subord");
  EXPECT_EQ(to_string(LdapUrl{.filter = "(cn=\\2a%)"}), "ldap:///??\?(cn=%5C2a%25)");
  EXPECT_EQ(to_string(LdapUrl{.extensions = {{true, "x", "a,b"}, {false, "y", {}}}}),
            "ldap:///???\?!x=a%2Cb,y");
}

TEST(UrlTest, RandomUrlsAreReadBack) {
  SeededRandom random(5);
  const auto pick = [&random](std::uint64_t n) { return random.next_u64() % n; };
  for (int round = 0; round < 1000; ++round) {
    LdapUrl url;
    url.scheme = static_cast<UrlScheme>(pick(3));
    constexpr const char* kHosts[] = {"", "h", "a.example", "::1"};
    url.host = kHosts[pick(4)];
    if (url.scheme == UrlScheme::kLdapi) url.host = "/tmp/a:b?c";
    if (url.scheme != UrlScheme::kLdapi && !url.host.empty() && pick(2) == 0) {
      url.port = static_cast<std::uint16_t>(pick(65536));
    }
    if (pick(2) == 0) url.dn = "cn=a\\2C #%?b,dc=\xC3\xB6";
    if (pick(2) == 0) url.attributes = {"cn", "*", "sn;lang-en"};
    if (pick(2) == 0) url.scope = static_cast<Scope>(pick(4));
    if (pick(2) == 0) url.filter = "(|(a=?%\\2a*)(b=c))";
    if (pick(2) == 0) {
      url.extensions.push_back({pick(2) == 0, "x-y", random.bytes(pick(5))});
      url.extensions.push_back({false, "1.2.3", {}});
    }
    const std::string text = to_string(url);
    const Result<LdapUrl> again = parse_url(text);
    ASSERT_TRUE(again.has_value()) << text << ": " << again.error().message();
    EXPECT_EQ(*again, url) << text;
  }
}

TEST(UrlTest, EveryPrefixIsReadWithoutOverrun) {
  const std::string text = "ldaps://[::1]:636/cn=a%5c%2c?cn,sn?sub?(cn=a%2a)?!x=%00,y";
  ASSERT_TRUE(parse_url(text + "=").has_value());
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const std::string cut = text.substr(0, size);
    const Result<LdapUrl> url = parse_url(cut);
    if (url.has_value()) {
      EXPECT_EQ(parse_url(to_string(*url)).value(), *url) << cut;
    }
  }
}

TEST(PercentTest, BothWays) {
  EXPECT_EQ(percent_encode("a b/\xff", "/"), "a%20b/%FF");
  EXPECT_EQ(percent_decode("a%20b%2F%fF").value(), "a b/\xff");
  EXPECT_FALSE(percent_decode("%").has_value());
  EXPECT_FALSE(percent_decode("%f").has_value());
  EXPECT_FALSE(percent_decode("%fg").has_value());
}

}  // namespace
}  // namespace kauri::ldap
