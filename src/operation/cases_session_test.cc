// Cases of group H: sessions, binds, extended operations, the wire.

#include <gtest/gtest.h>

#include "ber/writer.h"
#include "ldap/oids.h"
#include "ldap/testing/long_lengths.h"
#include "operation/testing/client.h"

namespace kauri::operation::testing {
namespace {

using CasesH = DirectoryCase;

std::string password_modify(std::optional<std::string_view> identity,
                            std::optional<std::string_view> old_password,
                            std::optional<std::string_view> new_password) {
  std::string value;
  ber::Writer writer(value);
  writer.begin(ber::kSequence);
  if (identity) writer.octet_string(*identity, ber::context(0));
  if (old_password) writer.octet_string(*old_password, ber::context(1));
  if (new_password) writer.octet_string(*new_password, ber::context(2));
  writer.end();
  return value;
}

std::string cancel_value(std::int64_t id) {
  std::string value;
  ber::Writer writer(value);
  writer.begin(ber::kSequence);
  writer.integer(id);
  writer.end();
  return value;
}

TEST_F(CasesH, H01_EmptyPassword) {
  EXPECT_EQ(client.bind(U, "").code, 53);
  EXPECT_EQ(client.who_am_i(), "");
  // Whoever was bound before is nobody now.
  EXPECT_EQ(admin.bind(kAdmin, "").code, 53);
  EXPECT_EQ(admin.who_am_i(), "");
  EXPECT_FALSE(admin.session().authenticated());
}

TEST_F(CasesH, AnonymousBind) {
  EXPECT_EQ(client.bind("", "").code, 0);
  EXPECT_EQ(client.who_am_i(), "");
  EXPECT_EQ(client.bind("", "password").code, 49);
  EXPECT_FALSE(client.session().authenticated());
}

TEST_F(CasesH, H03_FailedRebindIsAnonymous) {
  DirectoryOptions options;
  options.rules = {"to attrs=userPassword by anonymous auth", "to * by * read"};
  Directory open(options);
  Client rebound = open.client();
  ASSERT_EQ(rebound.bind(kAdmin, kAdminPassword).code, 0);
  EXPECT_EQ(rebound.who_am_i(), "dn:" + std::string(kAdmin));
  EXPECT_EQ(rebound.bind(kAdmin, "wrong").code, 49);
  EXPECT_EQ(rebound.who_am_i(), "");
  EXPECT_EQ(rebound.modify(U, {replaced("description", {"x"})}).code, 50);

  // Under the default rules nobody may even know of the entry.
  ASSERT_EQ(client.bind(kAdmin, kAdminPassword).code, 0);
  EXPECT_EQ(client.bind(kAdmin, "wrong").code, 49);
  EXPECT_EQ(client.modify(U, {replaced("description", {"x"})}).code, 32);
}

TEST_F(CasesH, H05_WrongCredentialsLookAlike) {
  const Reply unknown = client.bind("uid=nosuch,ou=p,dc=example,dc=com", "x");
  const Reply wrong = client.bind(U, "x");
  const Reply without = client.bind(P, "x");
  const Reply outside = client.bind("cn=x,dc=org", "x");
  EXPECT_EQ(unknown.code, 49);
  EXPECT_EQ(wrong.code, 49);
  EXPECT_EQ(without.code, 49);
  EXPECT_EQ(outside.code, 49);
  EXPECT_EQ(unknown.diagnostic, wrong.diagnostic);
  EXPECT_EQ(unknown.diagnostic, without.diagnostic);
  EXPECT_EQ(unknown.matched_dn, "");
  EXPECT_EQ(wrong.matched_dn, "");
  EXPECT_EQ(client.bind("not a dn", "x").code, 34);
}

TEST_F(CasesH, BindOfAnEntry) {
  EXPECT_EQ(client.bind("UID=A, ou=P,dc=example,dc=com", "pw-a").code, 0);
  EXPECT_EQ(client.who_am_i(), "dn:" + std::string(U));
  EXPECT_TRUE(client.session().authenticated());
  EXPECT_GT(client.session().message_size_max(), limits::kMessageSizeAnonymousMax);
}

TEST_F(CasesH, PasswordOverClearText) {
  Client remote = directory.client(false);
  EXPECT_EQ(remote.bind(U, "pw-a").code, 13);
  EXPECT_EQ(remote.bind("", "").code, 0);
  DirectoryOptions options;
  options.allow_cleartext_bind = true;
  Directory lenient(options);
  Client allowed = lenient.client(false);
  EXPECT_EQ(allowed.bind(U, "pw-a").code, 0);
}

TEST_F(CasesH, BindVersionAndMethod) {
  std::string body;
  ber::Writer writer(body);
  writer.integer(2);
  writer.octet_string(U);
  writer.octet_string("pw-a", ber::context(0));
  std::string message;
  ldap::append_request(message, client.next_id(), ber::application_constructed(0), body);
  EXPECT_EQ(client.exchange(message, 1).code, 2);
  message.clear();
  ldap::append_sasl_bind_request(message, client.next_id(), "", "DIGEST-MD5", std::nullopt);
  const Reply sasl = client.exchange(message, 2);
  EXPECT_EQ(sasl.code, 7);
  EXPECT_NE(sasl.diagnostic.find("DIGEST-MD5"), std::string::npos);
}

TEST_F(CasesH, H09_NothingAfterUnbind) {
  admin.send(search_message(1, P, "(uid=a)"));
  std::string unbind;
  ldap::append_unbind_request(unbind, 2);
  admin.send(unbind);
  EXPECT_TRUE(admin.session().closing());
  admin.received().clear();
  admin.send(search_message(3, P, "(uid=a)"));
  const std::string modify = replace_message(4, U, "description", "late");
  admin.send(modify);
  EXPECT_TRUE(admin.received().empty());
  EXPECT_EQ(admin.session().operations_in_flight(), 0U);
  EXPECT_EQ(directory.admin().value(U, "description"), "Babs   is a   big  fan");
}

TEST_F(CasesH, H11_Cancel) {
  const ldap::MessageId own = client.next_id() + 1;
  const int code = client.extended(ldap::oids::kCancel, cancel_value(own)).code;
  EXPECT_TRUE(code == 121 || code == 119 || code == 0) << code;
  EXPECT_EQ(client.extended(ldap::oids::kCancel, cancel_value(99)).code, 119);
  EXPECT_EQ(client.extended(ldap::oids::kCancel, "x").code, 2);
  EXPECT_EQ(client.extended(ldap::oids::kCancel).code, 2);
}

TEST_F(CasesH, H13_UnknownExtendedOperation) {
  EXPECT_EQ(client.extended("1.2.3.4").code, 2);
  EXPECT_EQ(client.extended("abc..").code, 2);
  EXPECT_EQ(client.extended(ldap::oids::kStartTls).code, 2);
  EXPECT_EQ(client.who_am_i(), "");
}

TEST_F(CasesH, H14_LongFormLengths) {
  const std::string filter = "(&(cn=A)(|(uid=a)(sn=*a*))(!(kInt:1.2.840.113556.1.4.803:=2)))";
  const std::string message = ldap::with_long_lengths(search_message(70, S, filter));
  EXPECT_EQ(message.substr(0, 2), "\x30\x84");
  const Reply reply = admin.exchange(message, 70);
  EXPECT_EQ(reply.code, 0);
  EXPECT_EQ(reply.names(), "a");
  std::string modify;
  ldap::append_modify_request(modify, 71, U,
                              {{ldap::ModifyOperation::kReplace, {"description", {"x", "y"}}}});
  EXPECT_EQ(admin.exchange(ldap::with_long_lengths(modify), 71).code, 0);
  EXPECT_EQ(admin.value(U, "description"), "x|y");
}

TEST_F(CasesH, BrokenEnvelope) {
  client.send(std::string("\x30\x03\x02\x01\x00", 5));
  const Reply reply = client.wait(1);
  EXPECT_TRUE(reply.notice);
  EXPECT_EQ(reply.code, 2);
  EXPECT_TRUE(client.session().closing());
}

TEST_F(CasesH, ResponseInsteadOfRequest) {
  std::string message;
  ldap::append_result(message, 1, ldap::Operation::kSearchResultDone, {});
  const Reply reply = client.exchange(message, 1);
  EXPECT_TRUE(reply.notice);
  EXPECT_TRUE(client.session().closing());
}

TEST_F(CasesH, BrokenBodyIsAnswered) {
  std::string message;
  ldap::append_request(message, client.next_id(), ber::application_constructed(3), "\x04\x00");
  EXPECT_EQ(client.exchange(message, 1).code, 2);
  EXPECT_FALSE(client.session().closing());
}

TEST_F(CasesH, H23_OddStoredHashes) {
  for (const std::string stored : {"{SMD5}AAAA", "{SSHA}", "*", "{NOSUCH}x", "{SSHA}****",
                                   "{CRYPT}*", "{}x", "x", "{ARGON2}$argon2id$v=19$m=1"}) {
    // Past the handler, which would hash what is no hash: as an import of foreign data leaves it.
    ASSERT_EQ(directory.world().modify(std::string(U), {replaced("userPassword", {stored})}), 0);
    ASSERT_EQ(admin.value(U, "userPassword"), stored);
    EXPECT_EQ(client.bind(U, "x").code, 49) << stored;
    EXPECT_EQ(client.bind(U, stored).code, 49) << stored;
    EXPECT_EQ(client.bind(U, "").code, 53) << stored;
  }
  // Over the protocol they are passwords or hashes that fit; either way "x" is not enough.
  for (const char* sent : {"{SMD5}AAAA", "{SSHA}", "*", "{NOSUCH}x"}) {
    EXPECT_EQ(admin.modify(U, {replaced("userPassword", {sent})}).code, 0) << sent;
    EXPECT_EQ(client.bind(U, "x").code, 49) << sent;
  }
}

TEST_F(CasesH, H26_PasswordModifyOfAnother) {
  Client user = directory.user();
  const Reply reply =
      user.extended(ldap::oids::kPasswordModify, password_modify(B, std::nullopt, "new"));
  EXPECT_EQ(reply.code, 50);
  EXPECT_EQ(user.who_am_i(), "dn:" + std::string(U));
  EXPECT_EQ(admin.value(B, "userPassword"), "");
}

TEST_F(CasesH, PasswordModify) {
  Client user = directory.user();
  EXPECT_EQ(user.extended(ldap::oids::kPasswordModify, password_modify({}, "wrong", "new")).code,
            49);
  EXPECT_EQ(user.extended(ldap::oids::kPasswordModify, password_modify({}, "pw-a", "new")).code, 0);
  EXPECT_EQ(client.bind(U, "pw-a").code, 49);
  EXPECT_EQ(client.bind(U, "new").code, 0);

  // Without a new password one is made and returned.
  const Reply reply = user.extended(ldap::oids::kPasswordModify);
  ASSERT_EQ(reply.code, 0) << reply.diagnostic;
  ASSERT_TRUE(reply.value.has_value());
  ber::Reader value(*reply.value);
  ber::Reader fields = value.nested(ber::kSequence);
  const std::string made(fields.octet_string(ber::context(0)));
  EXPECT_EQ(made.size(), 16U);
  EXPECT_EQ(client.bind(U, made).code, 0);

  EXPECT_EQ(user.extended(ldap::oids::kPasswordModify, password_modify({}, {}, "")).code, 19);
  EXPECT_EQ(user.extended(ldap::oids::kPasswordModify, "broken").code, 2);
  EXPECT_EQ(directory.client().extended(ldap::oids::kPasswordModify).code, 53);
  EXPECT_EQ(directory.admin().extended(ldap::oids::kPasswordModify).code, 53);
  EXPECT_EQ(
      admin.extended(ldap::oids::kPasswordModify, password_modify("dn:" + std::string(U), {}, "n"))
          .code,
      0);
  EXPECT_EQ(client.bind(U, "n").code, 0);
}

TEST_F(CasesH, SlowHashesOnThePool) {
  DirectoryOptions options;
  options.scheme = security::PasswordScheme::kArgon2id;
  options.hash_pool = true;
  Directory slow(options);
  Client admin = slow.admin();
  EXPECT_EQ(admin.value(U, "userPassword").substr(0, 8), "{ARGON2}");
  Client user = slow.client();
  EXPECT_EQ(user.bind(U, "wrong").code, 49);
  std::string message;
  ldap::append_simple_bind_request(message, user.next_id(), U, "pw-a");
  user.send(message);
  // Nothing is read while the password is checked; what comes all the same waits.
  EXPECT_TRUE(user.session().reading_paused());
  EXPECT_EQ(user.session().operations_in_flight(), 1U);
  EXPECT_EQ(user.who_am_i(), "dn:" + std::string(U));
  EXPECT_EQ(user.wait(2).code, 0);
  EXPECT_FALSE(user.session().reading_paused());
}

TEST_F(CasesH, BindWaitsForOperationsInFlight) {
  Client user = directory.user();
  const std::string message = replace_message(user.next_id(), U, "userPassword", "changed");
  const ldap::MessageId modify = 2;
  std::string bind;
  ldap::append_simple_bind_request(bind, 3, U, "changed");
  user.send(message);
  user.send(bind);
  EXPECT_TRUE(user.session().reading_paused());
  EXPECT_EQ(user.wait(modify).code, 0);
  // It saw the change that was in flight before it.
  EXPECT_EQ(user.wait(3).code, 0);
  EXPECT_FALSE(user.session().reading_paused());
}

TEST_F(CasesH, MessageIdInUse) {
  const std::string message = replace_message(50, U, "description", "x");
  admin.send(message);
  admin.send(search_message(50, "cn=Subschema", "(cn=x)"));
  EXPECT_EQ(admin.wait(50).code, 2);
  EXPECT_EQ(admin.wait(50).code, 0);
}

TEST_F(CasesH, AbandonedWriteGivesNoAnswer) {
  admin.send(replace_message(60, U, "description", "gone"));
  std::string abandon;
  ldap::append_abandon_request(abandon, 61, 60);
  admin.send(abandon);
  EXPECT_EQ(admin.wait(60).code, -1);
  EXPECT_EQ(admin.value(U, "description"), "gone");
}

TEST_F(CasesH, AnonymousOperationsInFlightAreBounded) {
  DirectoryOptions options;
  options.rules = {"to * by * write"};
  Directory open(options);
  Client anonymous = open.client();
  for (ldap::MessageId id = 1; id <= 40; ++id) {
    anonymous.send(replace_message(id, U, "description", std::to_string(id)));
  }
  EXPECT_TRUE(anonymous.session().reading_paused());
  for (ldap::MessageId id = 1; id <= 40; ++id) EXPECT_EQ(anonymous.wait(id).code, 0) << id;
  EXPECT_FALSE(anonymous.session().reading_paused());
}

TEST_F(CasesH, ConnectionGoneWhileWriting) {
  const std::string message = replace_message(70, U, "description", "late");
  admin.send(message);
  admin.session().closed();
  admin.drop();
  Client other = directory.admin();
  for (int i = 0; i < 1000 && other.value(U, "description") != "late"; ++i) {
  }
  EXPECT_EQ(other.value(U, "description"), "late");
}

}  // namespace
}  // namespace kauri::operation::testing
