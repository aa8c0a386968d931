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

TEST(Workload, ModifyAddsOrDeletesOneValue) {
  for (const auto change : {ldap::ModifyOperation::kAdd, ldap::ModifyOperation::kDelete}) {
    const Workload workload = make({.kind = WorkloadKind::kModify,
                                    .high = 9,
                                    .target = "cn=group,dc=x",
                                    .attribute = "member",
                                    .value = "uid=user.{n},dc=x",
                                    .change = change});
    Decoded decoded;
    decode(workload, 7, decoded);
    ldap::ModifyRequest request;
    ASSERT_TRUE(ldap::decode_modify(decoded.message.body, request).ok());
    ASSERT_EQ(request.modifications.size(), 1U);
    EXPECT_EQ(request.dn, "cn=group,dc=x");
    EXPECT_EQ(request.modifications[0].operation, change);
    EXPECT_EQ(request.modifications[0].attribute.description, "member");
    EXPECT_EQ(request.modifications[0].attribute.values.at(0), "uid=user.7,dc=x");
  }
  const auto which = make_workload(
      {.kind = WorkloadKind::kModify, .high = 9, .change = ldap::ModifyOperation::kDelete});
  ASSERT_FALSE(which);
  EXPECT_NE(which.error().message().find("the value must be given"), std::string::npos);
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

ldap::ModifyDnRequest rename_of(const RequestTemplate& requests, std::uint64_t number,
                                Decoded& out) {
  out = {};
  requests.append(out.octets, kMessageIdFirst, number, 1);
  ldap::ModifyDnRequest request;
  EXPECT_TRUE(ldap::decode_message(out.octets, out.message).ok());
  EXPECT_TRUE(ldap::decode_modify_dn(out.message.body, request).ok());
  return request;
}

TEST(Workload, ModrdnGoesThereAndBack) {
  const Workload workload = make({.kind = WorkloadKind::kModrdn, .high = 99});
  Decoded decoded;
  const auto there = rename_of(workload.requests, 42, decoded);
  EXPECT_EQ(there.dn, "uid=user.42,ou=People,dc=example,dc=com");
  EXPECT_EQ(there.new_rdn, "uid=user.42.renamed");
  EXPECT_TRUE(there.delete_old_rdn);
  EXPECT_FALSE(there.new_superior);
  ASSERT_TRUE(workload.requests_back);
  const auto back = rename_of(*workload.requests_back, 42, decoded);
  EXPECT_EQ(back.dn, "uid=user.42.renamed,ou=People,dc=example,dc=com");
  EXPECT_EQ(back.new_rdn, "uid=user.42");
  EXPECT_FALSE(back.new_superior);
}

TEST(Workload, ModrdnMovesThereAndBack) {
  const Workload workload = make({.kind = WorkloadKind::kModrdn,
                                  .high = 99,
                                  .target = "cn=a\\,{n},ou=Old,dc=x",
                                  .new_rdn = "cn=b{n}+sn=c",
                                  .new_superior = "ou=New,dc=x"});
  Decoded decoded;
  const auto there = rename_of(workload.requests, 7, decoded);
  EXPECT_EQ(there.dn, "cn=a\\,7,ou=Old,dc=x");
  EXPECT_EQ(there.new_rdn, "cn=b7+sn=c");
  EXPECT_EQ(there.new_superior, "ou=New,dc=x");
  const auto back = rename_of(*workload.requests_back, 7, decoded);
  EXPECT_EQ(back.dn, "cn=b7+sn=c,ou=New,dc=x");
  EXPECT_EQ(back.new_rdn, "cn=a\\,7");
  EXPECT_EQ(back.new_superior, "ou=Old,dc=x");
  EXPECT_FALSE(make({.kind = WorkloadKind::kModrdn, .keep_name = true}).requests_back);
}

TEST(Workload, LinesFeedIt) {
  const auto lines = *parse_value_lines("uid=a,dc=x\tsecret\nuid=bb,dc=y\tother\n", "people");
  const Workload workload = make({.kind = WorkloadKind::kBind,
                                  .low = 5,
                                  .high = 7,
                                  .values = lines,
                                  .target = "{v1}",
                                  .password = "{v2}"});
  EXPECT_TRUE(workload.by_line);
  EXPECT_EQ(workload.low, 0U);
  EXPECT_EQ(workload.high, 1U);
  Decoded decoded;
  decode(workload, 1, decoded);
  ldap::BindRequest request;
  ASSERT_TRUE(ldap::decode_bind(decoded.message.body, request).ok());
  EXPECT_EQ(request.name, "uid=bb,dc=y");
  EXPECT_EQ(request.password, "other");
  // Lines that nothing asks for change nothing.
  EXPECT_EQ(make({.low = 5, .high = 7, .values = lines, .filter = "(uid={n})"}).high, 7U);
}

TEST(Workload, Expectations) {
  EXPECT_FALSE(make({}).expected_entries(0));
  // In a mix all kinds are given it, and only searches have entries.
  EXPECT_FALSE(make({.kind = WorkloadKind::kModify, .expect_entries = "1"}).expected_entries(0));
  EXPECT_EQ(make({.expect_entries = "12"}).expected_entries(7), 12U);
  const auto lines = *parse_value_lines("a\t3\nb\t0\n", "file");
  const Workload workload =
      make({.values = lines, .filter = "(cn={v1})", .expect_entries = "{v2}"});
  EXPECT_EQ(workload.expected_entries(0), 3U);
  EXPECT_EQ(workload.expected_entries(1), 0U);
}

TEST(Workload, MixesAreParsed) {
  const auto mix = parse_mix("search=70,modify=29,modrdn=1");
  ASSERT_TRUE(mix) << mix.error().message();
  ASSERT_EQ(mix->size(), 3U);
  EXPECT_EQ((*mix)[1], std::pair(WorkloadKind::kModify, std::uint32_t{29}));
  const std::pair<const char*, const char*> table[] = {
      {"", "the part '' of a mix names no operation"},
      {"find=1", "'find=1' of a mix names no operation"},
      {"search", "'search' of a mix has no weight"},
      {"search=0", "'search=0' of a mix has no weight"},
      {"search=1000001", "from 1 to 1000000"},
      {"search=-1", "has no weight"},
      {"search=1,", "the part '' of"},
      {"search=1,add=1,search=2", "'search=2' of a mix names an operation for the second time"},
  };
  for (const auto& [text, expected] : table) {
    const auto wrong = parse_mix(text);
    ASSERT_FALSE(wrong) << text;
    EXPECT_NE(wrong.error().message().find(expected), std::string::npos) << wrong.error().message();
  }
}

TEST(Workload, MistakesAreNamed) {
  const auto lines = *parse_value_lines("(cn=a)\t1\n(cn=b\tx\n", "file");
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
      {{.filter = "{v}"}, "the file must be given"},
      {{.values = lines, .filter = "{v1}"}, "line 2 of file: the filter '(cn=b'"},
      {{.values = lines, .filter = "(cn={v3})"}, "line 1 of file has 2 columns"},
      {{.values = lines, .filter = "(a={v1})", .expect_entries = "{v2}"},
       "line 2 of file: the exp"},
      {{.expect_entries = "some"}, "number of entries 'some'"},
      {{.kind = WorkloadKind::kModrdn, .new_rdn = "cn={s}"}, "{s} in it"},
      {{.kind = WorkloadKind::kModrdn, .new_rdn = "nothing"}, "the new RDN 'nothing'"},
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
