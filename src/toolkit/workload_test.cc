#include "toolkit/workload.h"

#include <gtest/gtest.h>

#include "ldap/client.h"
#include "toolkit/message_head.h"

namespace kauri::toolkit {
namespace {

// The request of `workload` for one number, decoded by the server's own reader.
struct Decoded {
  std::string octets;
  ldap::Message message;
};
void decode(const Workload& workload, std::uint64_t number, Decoded& out) {
  workload.requests.append(out.octets, kMessageIdFirst + 5, number, 0xAB);
  const auto result = ldap::decode_message(out.octets, out.message);
  ASSERT_TRUE(result.ok()) << result.why;
  EXPECT_EQ(out.message.id, kMessageIdFirst + 5);
}

Workload make(const WorkloadOptions& options) {
  auto workload = make_workload(options);
  EXPECT_TRUE(workload) << workload.error().message();
  return workload ? *std::move(workload) : Workload{};
}

TEST(Workload, Search) {
  const Workload workload = make({.high = 99,
                                  .filter = "(&(uid=user.{n})(sn=*{n:03}))",
                                  .scope = ldap::Scope::kOneLevel,
                                  .attributes = {"cn", "mail"}});
  Decoded decoded;
  decode(workload, 42, decoded);
  ldap::SearchRequest request;
  ASSERT_TRUE(ldap::decode_search(decoded.message.body, request).ok());
  EXPECT_EQ(request.base, "dc=example,dc=com");
  EXPECT_EQ(request.scope, ldap::Scope::kOneLevel);
  EXPECT_EQ(ldap::to_string(request.filter), "(&(uid=user.42)(sn=*042))");
  EXPECT_EQ(request.attributes, (std::vector<std::string_view>{"cn", "mail"}));
  EXPECT_EQ(workload.answer_tag, ber::application_constructed(5));
  EXPECT_EQ(workload.right_code, 0);
}

TEST(Workload, Bind) {
  const Workload workload = make({.kind = WorkloadKind::kBind, .high = 9, .password = "secret{n}"});
  Decoded decoded;
  decode(workload, 7, decoded);
  ldap::BindRequest request;
  ASSERT_TRUE(ldap::decode_bind(decoded.message.body, request).ok());
  EXPECT_EQ(request.name, "uid=user.7,ou=People,dc=example,dc=com");
  EXPECT_EQ(request.password, "secret7");
}

TEST(Workload, ModifyHasAValueThatNeverRepeats) {
  const Workload workload = make({.kind = WorkloadKind::kModify, .high = 9});
  Decoded decoded;
  decode(workload, 7, decoded);
  ldap::ModifyRequest request;
  ASSERT_TRUE(ldap::decode_modify(decoded.message.body, request).ok());
  ASSERT_EQ(request.modifications.size(), 1U);
  EXPECT_EQ(request.modifications[0].operation, ldap::ModifyOperation::kReplace);
  EXPECT_EQ(request.modifications[0].attribute.description, "description");
  EXPECT_EQ(request.modifications[0].attribute.values.at(0), "load test value 00000000000000ab");
}

TEST(Workload, CompareAsksForTheNamingValue) {
  const Workload workload = make({.kind = WorkloadKind::kCompare, .high = 9});
  Decoded decoded;
  decode(workload, 3, decoded);
  ldap::CompareRequest request;
  ASSERT_TRUE(ldap::decode_compare(decoded.message.body, request).ok());
  EXPECT_EQ(request.attribute, "uid");
  EXPECT_EQ(request.value, "user.3");
  EXPECT_EQ(workload.right_code, 6);
}

TEST(Workload, Delete) {
  const Workload workload =
      make({.kind = WorkloadKind::kDelete, .high = 9, .target = "cn={n:04},dc=x"});
  Decoded decoded;
  decode(workload, 3, decoded);
  EXPECT_EQ(decoded.message.tag, ldap::kDelRequestTag);
  EXPECT_EQ(decoded.message.body, "cn=0003,dc=x");
}

TEST(Workload, AddBuiltinEntryTakesTheNameFromTheTarget) {
  const Workload workload =
      make({.kind = WorkloadKind::kAdd, .high = 9, .target = "cn=p{n},ou=Team,dc=x"});
  Decoded decoded;
  decode(workload, 3, decoded);
  ldap::AddRequest request;
  ASSERT_TRUE(ldap::decode_add(decoded.message.body, request).ok());
  EXPECT_EQ(request.dn, "cn=p3,ou=Team,dc=x");
  std::size_t names = 0;
  for (const auto& attribute : request.attributes) {
    if (attribute.description == "cn") {
      EXPECT_EQ(attribute.values, (std::vector<std::string_view>{"p3"}));
      ++names;
    }
    if (attribute.description == "objectClass") {
      EXPECT_EQ(attribute.values.size(), 4U);
    }
    if (attribute.description == "uid") {
      EXPECT_EQ(attribute.values.at(0), "bench.3");
    }
  }
  EXPECT_EQ(names, 1U);
}

TEST(Workload, AddTemplateFile) {
  const Workload workload = make(
      {.kind = WorkloadKind::kAdd,
       .high = 999,
       .entry =
           "dn: cn=a{n},dc=x\nobjectClass: device\ncn: a{n}\nCN: b{s}\nserialNumber: {n:06}\n"});
  Decoded decoded;
  decode(workload, 123, decoded);
  ldap::AddRequest request;
  ASSERT_TRUE(ldap::decode_add(decoded.message.body, request).ok());
  EXPECT_EQ(request.dn, "cn=a123,dc=x");
  ASSERT_EQ(request.attributes.size(), 3U);
  EXPECT_EQ(request.attributes[1].values,
            (std::vector<std::string_view>{"a123", "b00000000000000ab"}));
  EXPECT_EQ(request.attributes[2].values.at(0), "000123");
}

TEST(Workload, MistakesAreNamed) {
  const std::pair<WorkloadOptions, const char*> table[] = {
      {{.filter = "(uid=user.{n}"}, "the filter '(uid=user.1'"},
      {{.filter = "(uid={n:5})"}, "the filter: the field '{n:5}'"},
      {{.kind = WorkloadKind::kDelete, .target = "{n:x}"}, "the target"},
      {{.kind = WorkloadKind::kAdd, .target = "nonsense"}, "nonsense"},
      {{.kind = WorkloadKind::kAdd, .entry = "dn: cn=x\nobjectClass device\n"}, "the entry's LDIF"},
      {{.kind = WorkloadKind::kAdd, .entry = "dn: cn=x\ncn: x\n\ndn: cn=y\ncn: y\n"},
       "more than one"},
      {{.kind = WorkloadKind::kAdd, .entry = "# nothing\n"}, "no entry"},
      {{.kind = WorkloadKind::kCompare, .attribute = "cn"}, "needs a value"},
      {{.low = 2, .high = 1}, "the range 2:1"},
  };
  for (const auto& [options, expected] : table) {
    const auto workload = make_workload(options);
    ASSERT_FALSE(workload) << expected;
    EXPECT_NE(workload.error().message().find(expected), std::string::npos)
        << workload.error().message();
  }
}

}  // namespace
}  // namespace kauri::toolkit
