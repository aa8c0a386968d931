// Cases of groups E (modify, compare) and F (add, delete, rename).

#include <gtest/gtest.h>

#include "backend/testing/backups.h"
#include "ldap/oids.h"
#include "operation/testing/client.h"
#include "text/base64.h"

namespace kauri::operation::testing {
namespace {

using CasesE = DirectoryCase;
using CasesF = DirectoryCase;

// The whole entry, operational attributes too: what a refused change must not touch.
std::map<std::string, std::vector<std::string>> whole(Client& client, std::string_view dn) {
  const Reply reply = client.read(dn, {"*", "+"});
  return reply.entries.size() == 1 ? reply.entries[0].attributes
                                   : std::map<std::string, std::vector<std::string>>();
}

TEST_F(CasesE, E01_DeleteOfWhatIsNotThere) {
  EXPECT_EQ(admin.modify(U, {deleted("description", {"zzz"})}).code, 16);
  EXPECT_EQ(admin.modify(U, {deleted("pager")}).code, 16);
  const ldap::Control permissive = control(ldap::oids::kPermissiveModify);
  EXPECT_EQ(admin.modify(U, {deleted("description", {"zzz"})}, {permissive}).code, 0);
  EXPECT_EQ(admin.modify(U, {deleted("pager")}, {permissive}).code, 0);
  EXPECT_EQ(admin.modify(U, {added("uid", {"a"})}).code, 20);
  EXPECT_EQ(admin.modify(U, {added("uid", {"a"})}, {permissive}).code, 0);
  EXPECT_EQ(admin.value(U, "description"), "Babs   is a   big  fan");
}

TEST_F(CasesE, E02_ReplaceWithoutValues) {
  EXPECT_EQ(admin.modify(U, {replaced("pager")}).code, 0);
  EXPECT_EQ(admin.modify(U, {added("pager", {"1"})}).code, 0);
  EXPECT_EQ(admin.modify(U, {replaced("pager")}).code, 0);
  EXPECT_EQ(admin.value(U, "pager"), "");
  EXPECT_FALSE(admin.read(U).entries.at(0).has("pager"));
  Client user = directory.user();
  EXPECT_EQ(user.modify(U, {replaced("pager")}).code, 50);
}

TEST_F(CasesE, E04_Increment) {
  ASSERT_EQ(admin.modify(U, {added("kIntSub", {"5"})}).code, 0);
  ASSERT_EQ(admin.modify(U, {incremented("kIntSub", "1")}).code, 0);
  EXPECT_EQ(admin.value(U, "kIntSub"), "6");
}

TEST_F(CasesE, E07_ModifyIsAtomic) {
  EXPECT_EQ(admin.modify(U, {deleted("sn"), added("sn", {"new"})}).code, 0);
  EXPECT_EQ(admin.value(U, "sn"), "new");
  const auto before = whole(admin, U);
  EXPECT_EQ(admin.modify(U, {added("kSingle", {"1"}), added("kSingle", {"2"})}).code, 19);
  EXPECT_EQ(whole(admin, U), before);
  EXPECT_EQ(admin.modify(U, {added("kSingle", {"1"}), replaced("kSingle", {"2"})}).code, 0);
  EXPECT_EQ(admin.value(U, "kSingle"), "2");
}

TEST_F(CasesE, E08_SchemaErrors) {
  const auto before = whole(admin, U);
  EXPECT_EQ(admin.modify(U, {deleted("sn")}).code, 65);
  EXPECT_EQ(admin.modify(U, {added("dc", {"x"})}).code, 65);
  EXPECT_EQ(admin.modify(U, {added("nosuch", {"x"})}).code, 17);
  EXPECT_EQ(admin.modify(U, {replaced("createTimestamp", {"20240101000000Z"})}).code, 19);
  const int organization = admin.modify(U, {added("objectClass", {"organization"})}).code;
  EXPECT_TRUE(organization == 65 || organization == 69) << organization;
  const int nosuch = admin.modify(U, {added("objectClass", {"nosuch"})}).code;
  EXPECT_TRUE(nosuch == 21 || nosuch == 17) << nosuch;
  EXPECT_EQ(whole(admin, U), before);
}

TEST_F(CasesE, E11_EmptyValues) {
  EXPECT_EQ(admin.modify(U, {replaced("description", {""})}).code, 21);
  EXPECT_EQ(admin.modify(U, {replaced("description", {"   "})}).code, 0);
  EXPECT_EQ(admin.value(U, "description"), "   ");
  EXPECT_EQ(admin.find("(description= )"), "a");
  const int postal = admin.modify(U, {replaced("postalAddress", {""})}).code;
  EXPECT_TRUE(postal == 21 || postal == 0) << postal;
}

TEST_F(CasesE, E13_FourOctetCharacters) {
  const std::string smile = "\xF0\x9F\x98\x80";
  EXPECT_EQ(admin.modify(U, {replaced("description", {smile})}).code, 0);
  EXPECT_EQ(admin.find("(description=" + smile + ")"), "a");
  EXPECT_EQ(admin.rename(U, "cn=" + smile, false).code, 0);
  const Reply renamed = admin.read("cn=" + smile + ",ou=p,dc=example,dc=com");
  ASSERT_EQ(renamed.entries.size(), 1U);
  EXPECT_EQ(renamed.entries[0].attributes.at("cn"), (std::vector<std::string>{"A", smile}));
}

TEST_F(CasesE, E16_Compare) {
  EXPECT_EQ(admin.compare(U, "cn", "  a ").code, 6);
  EXPECT_EQ(admin.compare(U, "cn", "x").code, 5);
  EXPECT_EQ(admin.compare(U, "pager", "x").code, 16);
  EXPECT_EQ(admin.compare(U, "nosuch", "x").code, 17);
  EXPECT_EQ(admin.compare(U, "kInt", "abc").code, 21);
  const Reply missing = admin.compare("uid=zz,ou=p,dc=example,dc=com", "cn", "x");
  EXPECT_EQ(missing.code, 32);
  EXPECT_EQ(missing.matched_dn, P);
  EXPECT_EQ(admin.compare(U, "name", "sa").code, 6);  // a subtype's value
  EXPECT_EQ(admin.compare(U, "kNoEq", "x").code, 18);
  EXPECT_EQ(admin.compare(U, "entryDN", U).code, 6);
}

TEST_F(CasesE, E18_DnValues) {
  EXPECT_EQ(admin.modify(U, {replaced("seeAlso", {"cn=X, dc=example", "CN=x,dc=EXAMPLE"})}).code,
            20);
  EXPECT_EQ(admin.modify(U, {replaced("seeAlso", {"not a dn"})}).code, 21);
  EXPECT_EQ(admin.value(U, "seeAlso"), "");
}

TEST_F(CasesE, E19_IntegersAreParsedWhole) {
  EXPECT_EQ(admin.modify(U, {replaced("kInt", {"12abc"})}).code, 21);
  EXPECT_EQ(admin.modify(U, {replaced("kInt", {""})}).code, 21);
  EXPECT_EQ(admin.value(U, "kInt"), "9");
  const std::string long_number(5000, '7');
  const Reply refused = admin.modify(U, {replaced("kInt", {long_number})});
  EXPECT_EQ(refused.code, 21);
  EXPECT_NE(refused.diagnostic.find("an integer of 5000 octets, the limit is 4096"),
            std::string::npos)
      << refused.diagnostic;
  EXPECT_EQ(admin.modify(U, {incremented("kInt", long_number)}).code, 21);
  EXPECT_EQ(admin
                .add("uid=i,ou=p,dc=example,dc=com",
                     "objectClass: inetOrgPerson\nobjectClass: kAux\nuid: i\ncn: i\nsn: i\nkInt: " +
                         long_number)
                .code,
            21);
  EXPECT_EQ(admin.value(U, "kInt"), "9");
}

TEST_F(CasesE, E21_ChangesInOrder) {
  ASSERT_EQ(admin
                .modify(U, {replaced("description", {"1"}), added("description", {"2"}),
                            deleted("description", {"1"})})
                .code,
            0);
  EXPECT_EQ(admin.value(U, "description"), "2");
}

TEST_F(CasesE, MalformedModifications) {
  EXPECT_EQ(admin.modify(U, {added("description", {})}).code, 2);
  EXPECT_EQ(admin.modify(U, {{ldap::ModifyOperation::kIncrement, "kInt", {"1", "2"}}}).code, 2);
  EXPECT_EQ(admin.modify("cn=Subschema", {replaced("description", {"x"})}).code, 53);
  EXPECT_EQ(admin.modify("not a dn", {replaced("description", {"x"})}).code, 34);
}

TEST_F(CasesF, F01_NamingValueIsAdded) {
  ASSERT_EQ(admin.add("cn=imp,ou=p,dc=example,dc=com", "objectClass: person\nsn: x").code, 0);
  EXPECT_EQ(admin.value("cn=imp,ou=p,dc=example,dc=com", "cn"), "imp");
}

TEST_F(CasesF, F02_AttributeWithoutValues) {
  std::string message;
  ldap::append_add_request(message, admin.next_id(), "cn=n,ou=p,dc=example,dc=com",
                           {{"objectClass", {"person"}}, {"sn", {"x"}}, {"description", {}}});
  EXPECT_EQ(admin.exchange(message, admin.next_id() - 1).code, 2);
  EXPECT_EQ(admin.find("(cn=n)"), "");
}

TEST_F(CasesF, F05_AddWhereItCannotBe) {
  const Reply orphan = admin.add("uid=q,ou=none,dc=example,dc=com", person("uid: q\ncn: q"));
  EXPECT_EQ(orphan.code, 32);
  EXPECT_EQ(orphan.matched_dn, S);
  const int outside = admin.add("dc=org", "objectClass: domain\ndc: org").code;
  EXPECT_TRUE(outside == 32 || outside == 53 || outside == 10) << outside;
  EXPECT_EQ(admin.add(U, person("uid: a\ncn: A")).code, 68);
  EXPECT_EQ(admin.find("(|(uid=q)(dc=org))"), "");
}

TEST_F(CasesF, F06_DeleteWhatCannotBe) {
  EXPECT_EQ(admin.remove(P).code, 66);
  EXPECT_EQ(admin.value(P, "numSubordinates"), "3");
  const Reply missing = admin.remove("uid=zz,ou=q,ou=p,dc=example,dc=com");
  EXPECT_EQ(missing.code, 32);
  EXPECT_EQ(missing.matched_dn, P);
  EXPECT_EQ(admin.remove(U).code, 0);
  EXPECT_EQ(admin.read(U).code, 32);
}

TEST_F(CasesF, F07_DeleteOldRdn) {
  ASSERT_EQ(admin.add("uid=r1,ou=p,dc=example,dc=com", person("uid: r1\ncn: r")).code, 0);
  ASSERT_EQ(admin.rename("uid=r1,ou=p,dc=example,dc=com", "uid=r2", false).code, 0);
  EXPECT_EQ(admin.value("uid=r2,ou=p,dc=example,dc=com", "uid"), "r1|r2");
  ASSERT_EQ(admin.rename("uid=r2,ou=p,dc=example,dc=com", "uid=r3", true).code, 0);
  EXPECT_EQ(admin.value("uid=r3,ou=p,dc=example,dc=com", "uid"), "r1|r3");
}

TEST_F(CasesF, F09_RenameAndMove) {
  ASSERT_EQ(admin.rename(B, "uid=b2", true, S).code, 0);
  EXPECT_EQ(admin.value("uid=b2,dc=example,dc=com", "uid"), "b2");
  EXPECT_EQ(admin.read(B).code, 32);
}

TEST_F(CasesF, F12_RenameToTheSameName) {
  ASSERT_EQ(admin.rename(U, "uid=A", true).code, 0);
  ASSERT_EQ(admin.rename(U, "uid=A", true).code, 0);
  const Reply reply = admin.read(U, {"uid"});
  ASSERT_EQ(reply.entries.size(), 1U);
  EXPECT_EQ(reply.entries[0].dn, "uid=A,ou=p,dc=example,dc=com");
  EXPECT_EQ(reply.entries[0].attributes.at("uid"), std::vector<std::string>{"A"});
}

TEST_F(CasesF, F13_RenameCodes) {
  const auto before = whole(admin, B);
  EXPECT_EQ(admin.rename(B, "uid=c", true).code, 68);
  EXPECT_EQ(admin.rename(B, "uid=b", true, "ou=none,dc=example,dc=com").code, 32);
  EXPECT_EQ(admin.rename(B, "dc=x", false).code, 65);
  EXPECT_EQ(admin.rename(B, "", true).code, 34);
  EXPECT_EQ(admin.rename(B, "nosuch=x", false).code, 17);
  EXPECT_EQ(whole(admin, B), before);
}

TEST_F(CasesF, F17_LastMember) {
  ASSERT_EQ(admin
                .add("cn=g,ou=p,dc=example,dc=com",
                     "objectClass: groupOfNames\ncn: g\nmember: " + std::string(U))
                .code,
            0);
  EXPECT_EQ(admin.modify("cn=g,ou=p,dc=example,dc=com", {deleted("member", {std::string(U)})}).code,
            65);
  EXPECT_EQ(admin.value("cn=g,ou=p,dc=example,dc=com", "member"), U);
}

TEST_F(CasesF, MoveBetweenDatabases) {
  DirectoryOptions options;
  options.further_suffixes = {"dc=other"};
  Directory two(options);
  Client client = two.admin();
  ASSERT_EQ(client.add("dc=other", "objectClass: domain\ndc: other").code, 0);
  EXPECT_EQ(client.rename(U, "uid=a", true, "dc=other").code, 71);
  EXPECT_EQ(client.search("dc=other", ldap::Scope::kSubtree, "(objectClass=*)").names(), "other");
  EXPECT_EQ(client.value("", "namingContexts"), "dc=example,dc=com|dc=other");
}

// Passwords arrive in clear and are stored as hashes.
TEST_F(CasesE, ClearPasswordsAreHashed) {
  ASSERT_EQ(admin.modify(U, {replaced("userPassword", {"new password"})}).code, 0);
  const std::string stored = admin.value(U, "userPassword");
  EXPECT_EQ(stored.substr(0, 6), "{SSHA}");
  Client user = directory.client();
  EXPECT_EQ(user.bind(U, "new password").code, 0);
  ASSERT_EQ(admin.modify(U, {replaced("userPassword", {stored})}).code, 0);
  EXPECT_EQ(admin.value(U, "userPassword"), stored);
  EXPECT_EQ(admin.modify(U, {replaced("userPassword", {std::string(5000, 'x')})}).code, 19);
}

// What another server marks as clear is hashed without the mark, never stored readable.
TEST_F(CasesE, MarkedClearPasswordsAreHashed) {
  ASSERT_EQ(admin.modify(U, {replaced("userPassword", {"{CLEAR}marked one"})}).code, 0);
  EXPECT_EQ(admin.value(U, "userPassword").substr(0, 6), "{SSHA}");
  Client user = directory.client();
  EXPECT_EQ(user.bind(U, "marked one").code, 0);
  EXPECT_EQ(user.bind(U, "{CLEAR}marked one").code, 49);
  EXPECT_EQ(admin.modify(U, {replaced("userPassword", {"{ClearText}"})}).code, 19);
  const std::string added = "uid=clear,ou=p,dc=example,dc=com";
  const std::string entry = "objectClass: inetOrgPerson\nuid: clear\ncn: c\nsn: c\nuserPassword: ";
  ASSERT_EQ(admin.add(added, entry + "{CLEARTEXT}marked two").code, 0);
  EXPECT_EQ(admin.value(added, "userPassword").substr(0, 6), "{SSHA}");
  EXPECT_EQ(user.bind(added, "marked two").code, 0);
}

// More combining marks in a row than can be prepared: refused wherever it would be stored or has
// to be compared, with the limit; no entry matches it in a filter, nor its negation.
class Marks : public DirectoryCase {
 protected:
  static std::string marks(int count) {
    std::string out = "q";
    for (int i = 0; i < count; ++i) out += "\u0301";
    return out;
  }
  static void expect_refused(const Reply& reply, int code) {
    EXPECT_EQ(reply.code, code) << reply.diagnostic;
    EXPECT_NE(reply.diagnostic.find("more than 30 combining marks"), std::string::npos)
        << reply.diagnostic;
  }
  const std::string most = marks(30);
  const std::string more = marks(31);
};

TEST_F(Marks, AreRefusedAlike) {
  const std::string name = "ou=p,dc=example,dc=com";
  const auto entry = whole(admin, U);
  expect_refused(admin.modify(U, {added("description", {more})}), 21);
  expect_refused(admin.modify(U, {replaced("description", {more, more})}), 21);
  expect_refused(admin.modify(U, {added("seeAlso", {"cn=" + more + "," + name})}), 21);
  expect_refused(admin.add("uid=m," + name, std::string(kPerson) + "uid: m\ncn: " + more), 21);
  expect_refused(admin.add("cn=" + more + "," + name, std::string(kPerson) + "cn: x"), 34);
  expect_refused(admin.rename(U, "cn=" + more, false), 34);
  expect_refused(admin.compare(U, "description", more), 21);
  expect_refused(admin.read("cn=" + more + "," + name), 34);
  EXPECT_EQ(admin.find("(description=" + more + ")"), "");
  EXPECT_EQ(admin.find("(!(description=" + more + "))"), "");
  EXPECT_EQ(whole(admin, U), entry);

  EXPECT_EQ(admin.modify(U, {replaced("description", {most})}).code, 0);
  EXPECT_EQ(admin.compare(U, "description", most).code, 6);
  EXPECT_EQ(admin.find("(description=" + most + ")"), "a");
  EXPECT_EQ(admin.modify(U, {deleted("description", {more})}).code, 16);
}

// A database of an earlier version holds such values: they are shown, kept, and can be deleted.
TEST_F(Marks, OfEarlierVersionsStay) {
  backend::World& world = directory.world();
  ASSERT_EQ(world.modify(std::string(U), {backend::replaced("description", {more})}), 0);
  EXPECT_EQ(admin.value(U, "description"), more);
  EXPECT_EQ(admin.find("(description=" + more + ")"), "");
  EXPECT_EQ(admin.find("(description=*)"), "a");
  EXPECT_EQ(admin.modify(U, {replaced("title", {"x"})}).code, 0) << "of another attribute";
  EXPECT_EQ(admin.modify(U, {added("description", {"another"})}).code, 0);
  EXPECT_EQ(admin.rename(U, "uid=z", true).code, 0);
  EXPECT_EQ(admin.rename("uid=z,ou=p,dc=example,dc=com", "uid=a", true).code, 0);
  EXPECT_EQ(world.verify_text(), "");

  const std::string content = backend::content_of(world.database());
  EXPECT_NE(content.find(text::encode_base64(more)), std::string::npos);
  backend::RestoredPlace place(world.clock());
  ASSERT_EQ(place.restore(backend::backup_of(world.database())), "");
  EXPECT_EQ(backend::content_of(place.open()), content);
  EXPECT_EQ(place.verify_text(), "");

  EXPECT_EQ(admin.modify(U, {deleted("description", {more})}).code, 0);
  EXPECT_EQ(admin.value(U, "description"), "another");
  EXPECT_EQ(world.verify_text(), "");
}

// The changes that brought them are done again by a restore to a later moment.
TEST_F(Marks, OfEarlierVersionsAreReplayed) {
  backend::World& world = directory.world();
  const std::string backup = backend::backup_of(world.database());
  const std::string since = backend::header_of(backup).csn;
  ASSERT_EQ(world.modify(std::string(U), {backend::replaced("description", {more})}), 0);
  backend::RestoredPlace place(world.clock());
  ASSERT_EQ(place.restore(backup, {backend::changes_of(world.database(), since)}), "");
  EXPECT_EQ(backend::content_of(place.open()), backend::content_of(world.database()));
  EXPECT_EQ(place.verify_text(), "");
}

}  // namespace
}  // namespace kauri::operation::testing
