// The path of a simple search, as most requests take it: nothing may be allocated once it is warm
// (DESIGN section 4).

#include <gtest/gtest.h>

#include "base/testing/cost.h"
#include "operation/testing/client.h"

namespace kauri::operation::testing {
namespace {

class HotPath : public DirectoryCase {
 protected:
  static std::string search(std::string_view base, ldap::Scope scope, std::string_view filter,
                            std::vector<std::string> attributes = {}) {
    return search_message(77, base, filter, std::move(attributes), scope);
  }
  // Allocations of one more such request, after some.
  static std::size_t allocations(Client& client, const std::string& message) {
    std::string out;
    out.reserve(1U << 20U);
    for (int i = 0; i < 3; ++i) client.session().handle(message, 0, out);
    EXPECT_GT(out.size(), 50U);
    const std::size_t before = allocation_count();
    client.session().handle(message, 0, out);
    return allocation_count() - before;
  }
};

TEST_F(HotPath, SearchAllocatesNothing) {
  Client user = directory.user();
  const std::string by_index = search(S, ldap::Scope::kSubtree, "(uid=b)");
  EXPECT_EQ(allocations(admin, by_index), 0U);
  EXPECT_EQ(allocations(user, by_index), 0U);
  EXPECT_EQ(allocations(admin, search(U, ldap::Scope::kBase, "(objectClass=*)")), 0U);
  EXPECT_EQ(allocations(admin, search(S, ldap::Scope::kSubtree, "(uid=b)", {"1.1"})), 0U);
}

}  // namespace
}  // namespace kauri::operation::testing
