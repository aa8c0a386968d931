#include "config/listen_uri.h"

#include <gtest/gtest.h>

namespace kauri::config {
namespace {

std::string error_of(std::string_view uri) {
  const Result<ListenAddress> parsed = parse_listen_uri(uri);
  return parsed ? "accepted" : parsed.error().message();
}

TEST(ListenUri, ReadsHostsAndPorts) {
  struct Case {
    std::string_view uri;
    std::string_view host;
    std::uint16_t port;
  };
  for (const Case& c :
       {Case{"ldap://127.0.0.1:1389", "127.0.0.1", 1389},
        Case{"LDAP://directory.example.com", "directory.example.com", 389},
        Case{"ldap://", "", 389}, Case{"ldap:///", "", 389}, Case{"ldap://:0", "", 0},
        Case{"ldap://host:65535/", "host", 65535}, Case{"ldap://[::1]:389", "::1", 389},
        Case{"ldap://[fe80::1%eth0]", "fe80::1%eth0", 389}}) {
    const Result<ListenAddress> parsed = parse_listen_uri(c.uri);
    ASSERT_TRUE(parsed) << parsed.error().message();
    EXPECT_EQ(parsed->kind, ListenAddress::Kind::kTcp);
    EXPECT_EQ(parsed->host, c.host) << c.uri;
    EXPECT_EQ(parsed->port, c.port) << c.uri;
  }
}

TEST(ListenUri, ReadsSocketPaths) {
  for (const auto& [uri, path] : {
           std::pair<std::string_view, std::string_view>{"ldapi://%2Frun%2Fldapi", "/run/ldapi"},
           {"ldapi://%2frun%2fldapi/", "/run/ldapi"},
           {"ldapi:///run/ldapi", "/run/ldapi"},
           {"ldapi:///run/with%20space", "/run/with space"},
           {"ldapi://ldapi.sock", "ldapi.sock"},
       }) {
    const Result<ListenAddress> parsed = parse_listen_uri(uri);
    ASSERT_TRUE(parsed) << parsed.error().message();
    EXPECT_EQ(parsed->kind, ListenAddress::Kind::kUnix);
    EXPECT_EQ(parsed->path, path) << uri;
  }
}

TEST(ListenUri, MistakesAreNamed) {
  EXPECT_EQ(error_of(""),
            "'' is no address to listen on; expected ldap://HOST:PORT or ldapi://%2FPATH");
  EXPECT_EQ(error_of("127.0.0.1:389"),
            "'127.0.0.1:389' is no address to listen on; expected ldap://HOST:PORT or "
            "ldapi://%2FPATH");
  EXPECT_EQ(error_of("ldap://x:12abc"),
            "'ldap://x:12abc' has the port '12abc'; expected a number from 0 to 65535");
  EXPECT_EQ(error_of("ldap://x:"),
            "'ldap://x:' has the port ''; expected a number from 0 to 65535");
  EXPECT_EQ(error_of("ldap://x:65536"),
            "'ldap://x:65536' has the port '65536'; expected a number from 0 to 65535");
  EXPECT_EQ(error_of("ldap://x:-1"),
            "'ldap://x:-1' has the port '-1'; expected a number from 0 to 65535");
  EXPECT_EQ(error_of("ldap://::1:389"),
            "'ldap://::1:389' has more than one ':'; an IPv6 address stands in '[' and ']'");
  EXPECT_EQ(error_of("ldap://[::1"), "'ldap://[::1' lacks the ']' after the IPv6 address");
  EXPECT_EQ(error_of("ldap://[]"), "'ldap://[]' has no IPv6 address between '[' and ']'");
  EXPECT_EQ(error_of("ldap://[::1]x"), "'ldap://[::1]x' has text between ']' and ':'");
  EXPECT_EQ(error_of("ldap://x/dc=a"), "'ldap://x/dc=a' has a path; expected ldap://HOST:PORT");
  EXPECT_EQ(error_of("ldap://a b"), "'ldap://a b' has no host name or address before the port");
  EXPECT_EQ(error_of("ldaps://x"),
            "'ldaps://x' asks for TLS, which is not available in this version");
  EXPECT_EQ(error_of("ldapi://"),
            "'ldapi://' names no socket; expected ldapi://%2FPATH or ldapi:///PATH");
  EXPECT_EQ(error_of("ldapi:///"),
            "'ldapi:///' names no socket; expected ldapi://%2FPATH or ldapi:///PATH");
  EXPECT_EQ(error_of("ldapi://%2"),
            "'ldapi://%2' has a '%' without two hexadecimal digits after it");
  EXPECT_EQ(error_of("ldapi://%2Fa%00b"), "'ldapi://%2Fa%00b' names a path with a NUL in it");
  EXPECT_EQ(
      error_of("ldapi:///" + std::string(108, 'a')),
      "'ldapi:///" + std::string(108, 'a') + "' names a path of 109 octets; the system allows 107");
}

}  // namespace
}  // namespace kauri::config
