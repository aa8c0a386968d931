// Tests of the parts that stand by themselves.

#include <gtest/gtest.h>

#include <thread>

#include "operation/gate.h"
#include "operation/names.h"
#include "operation/paged_cookie.h"
#include "operation/referral.h"
#include "operation/session_impl.h"
#include "schema/schema_loader.h"

namespace kauri::operation {
namespace {

TEST(ReferralUri, KeepsWhatItMustAndTrimsTheRest) {
  const ReferralTarget plain{{}, "ou=r,dc=e", std::nullopt};
  EXPECT_EQ(referral_uri("ldap://h/ou=x?cn?one?(a=b) label", plain), "ldap://h/ou=x");
  EXPECT_EQ(referral_uri("ldap://h:389", plain), "ldap://h:389/ou=r,dc=e");
  EXPECT_EQ(referral_uri("ldap://h/ My server", plain), "ldap://h/ou=r,dc=e");
  EXPECT_EQ(referral_uri("ldap://h/ou=x?\?\?\?!1.2.3=y", plain), "ldap://h/ou=x?\?\?\?!1.2.3=y");
  EXPECT_EQ(referral_uri("http://h/page?a=b c", plain), "http://h/page?a=b");
  EXPECT_EQ(referral_uri("", plain), "");
}

TEST(ReferralUri, BelowTheObjectAndWithScope) {
  const ReferralTarget target{"cn=a b?,cn=\xC3\xA4", "ou=r", ldap::Scope::kSubtree};
  EXPECT_EQ(referral_uri("LDAPS://h/ou=x????e", target),
            "LDAPS://h/cn=a%20b%3F,cn=%C3%A4,ou=x??sub??e");
  EXPECT_EQ(referral_uri("ldap://h", target), "ldap://h/cn=a%20b%3F,cn=%C3%A4,ou=r??sub");
}

TEST(PagedCookie, OpensOnlyForItsRequest) {
  const RequestDigest digest = request_digest("body", "cn=a\x01", 7, 1);
  const std::string cookie = make_cookie("key", digest, {3, 4, 5, "walk"});
  const auto position = open_cookie("key", digest, cookie);
  ASSERT_TRUE(position.has_value());
  EXPECT_EQ(position->serial, 3U);
  EXPECT_EQ(position->sent, 4U);
  EXPECT_EQ(position->scope, 5U);
  EXPECT_EQ(position->walk, "walk");
  EXPECT_FALSE(open_cookie("other", digest, cookie).has_value());
  for (const RequestDigest& other :
       {request_digest("bodz", "cn=a\x01", 7, 1), request_digest("body", "cn=b\x01", 7, 1),
        request_digest("body", "cn=a\x01", 8, 1), request_digest("body", "cn=a\x01", 7, 2),
        request_digest("cn=a\x01"
                       "body",
                       "", 7, 1)}) {
    EXPECT_FALSE(open_cookie("key", other, cookie).has_value());
  }
  for (std::size_t i = 0; i < cookie.size(); ++i) {
    std::string changed = cookie;
    changed[i] = static_cast<char>(changed[i] ^ 0x40);
    EXPECT_FALSE(open_cookie("key", digest, changed).has_value()) << i;
    EXPECT_FALSE(open_cookie("key", digest, cookie.substr(0, i)).has_value()) << i;
  }
}

// Decrypting what nobody can have got took half a second for 16 MiB.
TEST(PagedCookie, LongerThanAnyWalkIsNotRead) {
  const RequestDigest digest = request_digest("body", "cn=a", 7, 1);
  const std::string longest(kWalkSizeMax, 'w');
  const auto position = open_cookie("key", digest, make_cookie("key", digest, {1, 0, 0, longest}));
  ASSERT_TRUE(position.has_value());
  EXPECT_EQ(position->walk, longest);
  EXPECT_FALSE(open_cookie("key", digest, make_cookie("key", digest, {1, 0, 0, longest + "w"})));
}

TEST(CookieWindow, EachSerialOnce) {
  CookieWindow window;
  EXPECT_FALSE(window.use(0));
  EXPECT_FALSE(window.use(1));
  const std::uint64_t first = window.issue();
  const std::uint64_t second = window.issue();
  EXPECT_TRUE(window.use(second));
  EXPECT_TRUE(window.use(first));
  EXPECT_FALSE(window.use(first));
  EXPECT_FALSE(window.use(second));
  const std::uint64_t old = window.issue();
  for (int i = 0; i < 1024; ++i) window.issue();
  EXPECT_FALSE(window.use(old));
  EXPECT_TRUE(window.use(old + 1));
}

TEST(Quoted, ShowsOneBoundedLine) {
  EXPECT_EQ(quoted("a"), "'a'");
  EXPECT_EQ(quoted("a\nb\x1B\x7F\xFF"), "'a\\0ab\\1b\\7f\\ff'");
  EXPECT_EQ(quoted("\xC3\xA4"), "'\xC3\xA4'");
  const std::string text = operation::quoted(std::string(100'000, 'x'));
  EXPECT_LT(text.size(), 300U);
  EXPECT_NE(text.find("100000 octets"), std::string::npos);
  // A character that the cut would halve is left out.
  EXPECT_NE(operation::quoted(std::string(199, 'x') + "\xC3\xA4").find("x...' (201 octets)"),
            std::string::npos);
}

TEST(Gate, WaitsForEveryPass) {
  Gate gate;
  Gate::Pass pass = gate.pass();
  std::atomic<bool> left{false};
  std::thread other([copy = pass, &left]() mutable {
    left = true;
    copy.reset();
  });
  pass.reset();
  gate.wait_until_empty();
  EXPECT_TRUE(left);
  other.join();
}

}  // namespace
}  // namespace kauri::operation
