#include "toolkit/server_probe.h"

#include <gtest/gtest.h>

#include "ldap/client.h"
#include "toolkit/testing/servers.h"

namespace kauri::toolkit {
namespace {

using testing::OneAnswer;

std::string root_dse(const std::string& vendor, const std::string& version) {
  std::string attributes;
  ldap::append_attribute(attributes, "vendorName", {vendor});
  if (!version.empty()) ldap::append_attribute(attributes, "vendorVersion", {version});
  std::string out;
  ldap::append_search_entry_head(out, 1, "", attributes.size());
  return out + attributes;
}

std::string done(ldap::ResultCode code = ldap::ResultCode::kSuccess) {
  std::string out;
  ldap::OperationResult result;
  result.code = code;
  ldap::append_result(out, 1, ldap::Operation::kSearchResultDone, result);
  return out;
}

TEST(ServerProbe, ReadsVendorAndVersion) {
  const OneAnswer server(root_dse("Example", "Example 1.2") + done());
  const auto software = probe_server(server.endpoint(), 5);
  ASSERT_TRUE(software) << software.error().message();
  EXPECT_EQ(software->vendor, "Example");
  EXPECT_EQ(software->version, "Example 1.2");
}

TEST(ServerProbe, AServerNeedNotSayAnything) {
  const OneAnswer server(done());
  const auto software = probe_server(server.endpoint(), 5);
  ASSERT_TRUE(software) << software.error().message();
  EXPECT_EQ(software->vendor, "");
}

TEST(ServerProbe, BadAnswersAreErrors) {
  const std::pair<std::string, const char*> table[] = {
      {"nonsense, and more of it", "not LDAP"},
      {done(ldap::ResultCode::kInsufficientAccessRights), "insufficientAccessRights"},
      {std::string("\x30\x05", 2), "closed the connection"},
      {"", "closed the connection"},
  };
  for (const auto& [answer, expected] : table) {
    const OneAnswer server(answer, true);
    const auto software = probe_server(server.endpoint(), 5);
    ASSERT_FALSE(software) << expected;
    EXPECT_NE(software.error().message().find(expected), std::string::npos)
        << software.error().message();
  }
  std::string endless;
  for (int i = 0; i < 20'000; ++i) endless += root_dse(std::string(60, 'v'), "");
  const OneAnswer server(endless, true);
  const auto software = probe_server(server.endpoint(), 5);
  ASSERT_FALSE(software);
  EXPECT_NE(software.error().message().find("larger than 1048576"), std::string::npos)
      << software.error().message();
}

}  // namespace
}  // namespace kauri::toolkit
