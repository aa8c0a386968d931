#include "toolkit/endpoint.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/un.h>

namespace kauri::toolkit {
namespace {

TEST(Endpoint, ResolvesTcpAndSockets) {
  const auto tcp = resolve_uri("ldap://127.0.0.1:1389");
  ASSERT_TRUE(tcp) << tcp.error().message();
  EXPECT_EQ(ntohs(reinterpret_cast<const sockaddr_in*>(&tcp->address)->sin_port), 1389);
  const auto local = resolve_uri("ldapi://%2Ftmp%2Fkauri.sock");
  ASSERT_TRUE(local) << local.error().message();
  EXPECT_STREQ(reinterpret_cast<const sockaddr_un*>(&local->address)->sun_path, "/tmp/kauri.sock");
  const auto v6 = resolve_host_port("[::1]:0");
  ASSERT_TRUE(v6) << v6.error().message();
  EXPECT_EQ(v6->address.ss_family, AF_INET6);
}

TEST(Endpoint, MistakesAreNamed) {
  EXPECT_NE(resolve_uri("ldaps://127.0.0.1").error().message().find("TLS"), std::string::npos);
  EXPECT_FALSE(resolve_uri("http://127.0.0.1"));
  EXPECT_FALSE(resolve_uri("ldapi://" + std::string(200, 'x')));
  EXPECT_FALSE(resolve_host_port("127.0.0.1"));
  EXPECT_FALSE(resolve_host_port(":389"));
  EXPECT_FALSE(resolve_host_port("127.0.0.1:70000"));
  EXPECT_FALSE(resolve_host_port("127.0.0.1:12x"));
}

TEST(Endpoint, ConnectsToAListenerAndNamesARefusal) {
  const auto any = resolve_host_port("127.0.0.1:0");
  ASSERT_TRUE(any);
  auto listener = listen_on(*any);
  ASSERT_TRUE(listener) << listener.error().message();
  const auto port = local_port(listener->get());
  ASSERT_TRUE(port);
  const auto there = resolve_uri("ldap://127.0.0.1:" + std::to_string(*port));
  ASSERT_TRUE(there);
  EXPECT_TRUE(connect_to(*there, 5));
  listener->reset();
  const auto refused = connect_to(*there, 5);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find(there->text), std::string::npos)
      << refused.error().message();
}

}  // namespace
}  // namespace kauri::toolkit
