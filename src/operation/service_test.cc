// Tests of Service: what it refuses to start with, and reload.

#include "operation/service.h"

#include <gtest/gtest.h>

#include "operation/testing/client.h"

namespace kauri::operation::testing {
namespace {

using ServiceTest = DirectoryCase;

ServiceOptions options_for(Directory& directory) {
  ServiceOptions options;
  options.databases = {&directory.database()};
  options.schema = directory.schema();
  options.access = security::AccessPolicy::defaults(directory.schema());
  return options;
}

TEST_F(ServiceTest, RefusesWhatCannotWork) {
  EXPECT_TRUE(Service::make(options_for(directory)));
  ServiceOptions options = options_for(directory);
  options.databases.clear();
  EXPECT_FALSE(Service::make(options));
  options = options_for(directory);
  options.schema = nullptr;
  EXPECT_FALSE(Service::make(options));
  options = options_for(directory);
  options.access = nullptr;
  EXPECT_FALSE(Service::make(options));
  options = options_for(directory);
  options.databases.push_back(options.databases[0]);
  const auto twice = Service::make(options);
  ASSERT_FALSE(twice);
  EXPECT_NE(twice.error().message().find("dc=example,dc=com"), std::string::npos);
  options = options_for(directory);
  options.admin_dn = "nonsense";
  const auto nonsense = Service::make(options);
  ASSERT_FALSE(nonsense);
  EXPECT_NE(nonsense.error().message().find("'nonsense'"), std::string::npos);
}

TEST_F(ServiceTest, ReloadTakesEffectOnOpenConnections) {
  EXPECT_EQ(client.read(U).code, 32);
  auto open = security::AccessPolicy::compile({"to * by * read"}, directory.schema());
  ASSERT_TRUE(open);
  ServiceLimits limits;
  limits.search_size_max = 1;
  directory.service().reload(*open, limits, "");
  EXPECT_EQ(client.read(U).names(), "a");
  EXPECT_EQ(client.search(P, ldap::Scope::kSubtree, "(objectClass=*)").code, 4);
  // Without a password the administrator cannot bind any more; who has bound stays.
  EXPECT_EQ(client.bind(kAdmin, kAdminPassword).code, 49);
  EXPECT_EQ(admin.who_am_i(), "dn:" + std::string(kAdmin));
}

TEST_F(ServiceTest, AdministratorWithAnEntryButNoConfiguredPassword) {
  directory.service().reload(security::AccessPolicy::defaults(directory.schema()), {}, "");
  add(kAdmin, person("cn: admin\nuserPassword: from-the-entry"));
  EXPECT_EQ(client.bind(kAdmin, "from-the-entry").code, 0);
  EXPECT_EQ(client.modify(U, {replaced("description", {"x"})}).code, 0);
}

TEST_F(ServiceTest, ManyCompletionsWakeTheWorkerOnce) {
  const std::size_t before = directory.executor().posted();
  constexpr int kWrites = 200;
  for (ldap::MessageId id = 1000; id < 1000 + kWrites; ++id) {
    admin.send(replace_message(id, U, "description", "x"));
  }
  for (ldap::MessageId id = 1000; id < 1000 + kWrites; ++id) EXPECT_EQ(admin.wait(id).code, 0);
  // While a wake-up is on its way, further completions join it: the worker takes them together.
  EXPECT_LT(directory.executor().posted() - before, kWrites);
}

}  // namespace
}  // namespace kauri::operation::testing
