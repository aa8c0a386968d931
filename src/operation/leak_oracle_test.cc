// The leak oracle: two directories that differ only in what somebody may not see give him the same
// answers to the same requests, whatever he asks. What they may differ in: time, the order of
// entries and of attributes, and the octets of cookies, entryUUID and entryCSN.
//
// KAURI_LEAK_SEQUENCES sets how many sequences are played, KAURI_SEED repeats a failure.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "ber/writer.h"
#include "ldap/client.h"
#include "ldap/oids.h"
#include "operation/paged_cookie.h"
#include "operation/testing/client.h"
#include "operation/testing/model_random.h"
#include "operation/testing/model_world.h"

namespace kauri::operation::testing {
namespace {

using Kind = ModelRequest::Kind;

const std::string kSuffix(kModelSuffix);

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// Hidden: the subtree ou=o4; of what is below ou=o3 that it exists, but not its attributes; kExact
// and givenName everywhere. Users write below ou=o1, where nothing hidden stands in the way: a name
// that is taken, or a parent that has children, refuses a change whoever asks.
const std::vector<std::string> kRules = {
    "to attrs=userPassword by self =w by anonymous auth by * none",
    "to attrs=kExact,givenName by * none",
    "to dn.subtree=\"ou=o4,dc=example,dc=com\" by * none",
    "to dn.children=\"ou=o3,dc=example,dc=com\" attrs=entry by * none",
    "to dn.subtree=\"ou=o1,dc=example,dc=com\" attrs=objectClass by * read",
    "to dn.subtree=\"ou=o1,dc=example,dc=com\" by users write by * search",
    "to * by users read by * search"};

class LeakWorld {
 public:
  LeakWorld() : world_(options()) {}

  // What both worlds have: `common` is the same for both; `secret` is not.
  void build(std::uint64_t common_seed, std::uint64_t secret_seed) {
    SeededChoices common(common_seed);
    SeededChoices secret(secret_seed);
    exact_percent_ = secret.chance(50) ? 50 : 0;
    given_percent_ = secret.chance(50) ? 50 : 0;
    add(kSuffix, {{"objectClass", {"domain"}}, {"dc", {"example"}}});
    for (const char* ou : {"ou=o1", "ou=o2", "ou=o3"})
      add(std::string(ou) + "," + kSuffix, {{"objectClass", {"organizationalUnit"}}});
    for (int i = 1; i <= 8; ++i) add_person(common, secret, i);
    add("cn=group,ou=o2," + kSuffix, {{"objectClass", {"groupOfNames"}}, {"member", members()}});
    // Aliases and referrals that lead to what is there, to what is hidden, and to nothing.
    const std::vector<std::string> targets = {
        "ou=o1," + kSuffix,       "ou=o4," + kSuffix,        "cn=h1,ou=o4," + kSuffix,
        "cn=h1,ou=o3," + kSuffix, "cn=al2,ou=o2," + kSuffix, "cn=nothing,ou=o2," + kSuffix};
    for (int i = 1; i <= 3; ++i)
      add_alias("cn=al" + std::to_string(i) + ",ou=o2," + kSuffix, common.one_of(targets));
    if (common.chance(30))
      add("cn=ref,ou=o2," + kSuffix, {{"objectClass", {"referral", "extensibleObject"}},
                                      {"ref", {"ldap://elsewhere.example/dc=x"}}});
    if (secret.chance(75)) {
      add("ou=o4," + kSuffix, {{"objectClass", {"organizationalUnit"}}});
      add_hidden(secret, "ou=o4," + kSuffix);
    }
    add_hidden(secret, "ou=o3," + kSuffix);
  }

  ModelReply ask(const ModelRequest& request) { return world_.ask(request, false); }
  ModelReply change_password(const std::string& dn, const std::string& password) {
    std::string value;
    ber::Writer writer(value);
    writer.begin(ber::kSequence);
    writer.octet_string(dn, ber::context(0));
    if (!password.empty()) writer.octet_string(password, ber::context(1));
    writer.octet_string("new", ber::context(2));
    writer.end();
    return extended(ldap::oids::kPasswordModify, value);
  }
  ModelReply who_am_i() { return extended(ldap::oids::kWhoAmI, std::nullopt); }
  // A change of what is hidden, between requests.
  void change_secret(Choices& secret) {
    ModelRequest request;
    request.kind = secret.chance(50) ? Kind::kDelete : Kind::kAdd;
    request.dn = "cn=h" + std::to_string(1 + secret.below(12)) +
                 (secret.chance(50) ? ",ou=o3," : ",ou=o4,") + kSuffix;
    request.changes = {{{}, "objectClass", {"person", "extensibleObject"}}, {{}, "sn", {"a"}}};
    (void)world_.ask(request, true);
  }

 private:
  using Attributes = std::vector<std::pair<std::string, std::vector<std::string>>>;

  static ModelWorldOptions options() {
    ModelWorldOptions options;
    options.rules = kRules;
    options.indexes = {{"objectClass", {false, true, false}}, {"cn", {true, true, true}},
                       {"sn", {true, true, false}},           {"kInt", {true, true, false}},
                       {"kExact", {true, true, true}},        {"givenName", {true, true, true}},
                       {"uid", {false, true, false}}};
    return options;
  }

  static std::vector<std::string> members() {
    std::vector<std::string> out;
    for (int i = 0; i < 210; ++i) out.push_back("cn=m" + std::to_string(i) + ",dc=x");
    return out;
  }

  void add(const std::string& dn, const Attributes& attributes) {
    ModelRequest request;
    request.kind = Kind::kAdd;
    request.dn = dn;
    for (const auto& [name, values] : attributes) request.changes.push_back({{}, name, values});
    const ModelReply reply = world_.ask(request, true);
    ASSERT_EQ(reply.code, 0) << dn << ": " << reply.diagnostic;
  }

  void add_alias(const std::string& dn, const std::string& target) {
    add(dn, {{"objectClass", {"alias", "extensibleObject"}}, {"aliasedObjectName", {target}}});
  }

  static std::string word(Choices& choices) {
    static const std::vector<std::string> kWords = {"a", "ab", "abc", "b", "b c", "n1"};
    return choices.one_of(kWords);
  }

  // Seen by all, but for kExact and givenName.
  void add_person(Choices& common, Choices& secret, int number) {
    Attributes attributes = {{"objectClass", {"inetOrgPerson", "kAux"}},
                             {"cn", {word(common)}},
                             {"sn", {word(common)}},
                             {"userPassword", {"pw"}},
                             {"kInt", {std::to_string(common.below(12))}}};
    if (common.chance(50)) attributes.push_back({"description", {word(common)}});
    if (secret.chance(exact_percent_)) attributes.push_back({"kExact", {word(secret), "Z"}});
    if (secret.chance(given_percent_)) {
      attributes.push_back({"givenName", {word(secret)}});
      if (secret.chance(30)) attributes.push_back({"givenName;lang-en", {word(secret)}});
    }
    add("uid=u" + std::to_string(number) + (number < 6 ? ",ou=o1," : ",ou=o2,") + kSuffix,
        attributes);
  }

  void add_hidden(Choices& secret, const std::string& parent) {
    const std::uint64_t count = secret.below(13);
    for (std::uint64_t i = 1; i <= count; ++i) {
      const std::string dn = "cn=h" + std::to_string(i) + "," + parent;
      switch (secret.below(8)) {
        case 0:
          add_alias(dn, (secret.chance(50) ? "ou=o1," : "uid=u7,ou=o2,") + kSuffix);
          break;
        case 1:
          add(dn, {{"objectClass", {"referral", "extensibleObject"}},
                   {"ref", {"ldap://secret.example/"}}});
          break;
        case 2:
          add(dn, {{"objectClass", {"groupOfNames"}}, {"member", members()}});
          break;
        default:
          add(dn, {{"objectClass", {"inetOrgPerson", "kAux"}},
                   {"sn", {word(secret)}},
                   {"description", {word(secret)}},
                   {"kInt", {std::to_string(secret.below(12))}},
                   {"userPassword", {secret.chance(50) ? "pw" : "secret"}}});
          if (secret.chance(30))
            add("uid=u1," + dn, {{"objectClass", {"account"}}, {"description", {word(secret)}}});
          break;
      }
    }
  }

  ModelReply extended(std::string_view oid, const std::optional<std::string>& value) {
    std::string message;
    std::optional<std::string_view> view;
    if (value) view = *value;
    ldap::append_extended_request(message, 1'000'000, {oid, view});
    return world_.exchange(message, 1'000'000, false);
  }

  ModelWorld world_;
  // Of the people, how many have what is hidden; in some worlds nobody has.
  unsigned exact_percent_ = 0;
  unsigned given_percent_ = 0;
};

std::string text_of(const ModelReply& reply) {
  std::string out = "code " + std::to_string(reply.code) + " matched '" + reply.matched_dn + "' (" +
                    reply.diagnostic + ")";
  for (const std::size_t page : reply.pages) out += " page " + std::to_string(page);
  std::vector<ShownEntry> entries = reply.entries;
  std::sort(entries.begin(), entries.end());
  for (const ShownEntry& entry : entries) {
    out += "\n  " + entry.dn;
    for (const auto& [name, values] : entry.attributes) {
      if (name == "entryUUID" || name == "entryCSN") continue;
      out += " | " + name + ":";
      for (const std::string& value : values) out += " '" + value + "'";
    }
  }
  std::vector<std::string> references = reply.references;
  std::sort(references.begin(), references.end());
  for (const std::string& uri : references) out += "\n  -> " + uri;
  if (!reply.value.empty()) out += "\n  = " + reply.value;
  return out;
}

// Who asks, in one sequence.
ModelRequest some_bind(Choices& dice) {
  ModelRequest bind;
  bind.kind = Kind::kBind;
  if (dice.chance(8)) return bind;
  bind.dn = "uid=u" + std::to_string(1 + dice.below(6)) + ",ou=o1," + kSuffix;
  bind.value = dice.chance(90) ? "pw" : "wrong";
  if (dice.chance(15)) {
    // A wrong password tells nothing of whether there is such a name; a right one has to.
    bind.dn = "cn=h" + std::to_string(1 + dice.below(12)) + ",ou=o4," + kSuffix;
    bind.value = "wrong";
  }
  return bind;
}

std::vector<std::string> all_names() {
  std::vector<std::string> names = {kSuffix};
  for (const char* ou : {"o1", "o2", "o3", "o4"})
    names.push_back("ou=" + std::string(ou) + "," + kSuffix);
  for (int i = 1; i <= 8; ++i)
    names.push_back("uid=u" + std::to_string(i) + (i < 6 ? ",ou=o1," : ",ou=o2,") + kSuffix);
  for (int i = 1; i <= 4; ++i) {
    const std::string number = std::to_string(i);
    names.push_back("cn=al" + number + ",ou=o2," + kSuffix);
    names.push_back("cn=h" + number + ",ou=o3," + kSuffix);
    names.push_back("cn=h" + number + ",ou=o4," + kSuffix);
    names.push_back("uid=u1,cn=h" + number + ",ou=o4," + kSuffix);
  }
  names.push_back("cn=ref,ou=o2," + kSuffix);
  names.push_back("cn=x,cn=ref,ou=o2," + kSuffix);
  names.push_back("cn=x,cn=al1,ou=o2," + kSuffix);
  return names;
}

class LeakOracle : public ::testing::Test {
 protected:
  // One pair of worlds, some sequences.
  void run(std::uint64_t seed, std::uint64_t sequences) {
    LeakWorld one;
    LeakWorld other;
    one.build(seed, seed * 2 + 1'000'000);
    other.build(seed, seed * 2 + 1'000'001);
    if (HasFatalFailure()) return;
    SeededChoices dice(seed);
    SeededChoices secret(seed + 77);
    for (std::uint64_t i = 0; i < sequences && !HasFailure(); ++i) {
      RandomRequests requests(dice);
      const ModelRequest bind = some_bind(dice);
      compare(seed, bind.text(), one.ask(bind), other.ask(bind));
      const std::uint64_t length = 5 + dice.below(20);
      for (std::uint64_t j = 0; j < length && !HasFailure(); ++j) {
        if (secret.chance(10)) (secret.chance(50) ? one : other).change_secret(secret);
        step(seed, dice, requests, one, other);
      }
    }
  }

  std::uint64_t requests_ = 0;
  std::uint64_t successes_ = 0;
  std::uint64_t found_ = 0;

 private:
  void step(std::uint64_t seed, Choices& dice, RandomRequests& requests, LeakWorld& one,
            LeakWorld& other) {
    static const std::vector<std::string> kNames = all_names();
    if (dice.chance(4)) {
      const std::string& dn = dice.one_of(kNames);
      const std::string old = dice.chance(50) ? "wrong" : "";
      return compare(seed, "change the password of " + dn, one.change_password(dn, old),
                     other.change_password(dn, old));
    }
    if (dice.chance(2)) return compare(seed, "who am I", one.who_am_i(), other.who_am_i());
    ModelRequest request = dice.chance(50) ? requests.search(kNames) : requests.next(kNames);
    if (request.kind == Kind::kBind) return;
    if (dice.chance(30)) request.deref = static_cast<ldap::DerefAliases>(dice.below(4));
    request.manage_dsa_it = dice.chance(20);
    if (dice.chance(15)) request.attributes = {"*", "+"};
    compare(seed, request.text(), one.ask(request), other.ask(request));
  }

  void compare(std::uint64_t seed, const std::string& what, const ModelReply& a,
               const ModelReply& b) {
    ++requests_;
    successes_ += a.code == 0 ? 1 : 0;
    found_ += a.entries.size();
    EXPECT_EQ(text_of(a), text_of(b)) << "KAURI_SEED=" << seed << ": " << what;
  }
};

// --- What it has found, each by itself ---

class LeaksFound : public ::testing::Test {
 protected:
  LeaksFound() : directory(options()) {
    Client admin = directory.admin();
    const auto add = [&](std::string_view dn, std::string_view text) {
      const Reply reply = admin.add(dn, text);
      EXPECT_EQ(reply.code, 0) << dn << ": " << reply.diagnostic;
    };
    const std::string container = "objectClass: organizationalUnit\n";
    add("ou=hidden,dc=example,dc=com", container);
    add("cn=h,ou=hidden,dc=example,dc=com", person("cn: same\n"));
    add("cn=v1,ou=p,dc=example,dc=com", person("description: same\n"));
    add("cn=v2,ou=p,dc=example,dc=com", person("description: same\n"));
    add("cn=zh,ou=p,dc=example,dc=com", person("description: same\n"));
    for (const auto& [name, target] :
         std::map<std::string, std::string>{{"toHidden", "cn=h,ou=hidden,dc=example,dc=com"},
                                            {"toNothing", "cn=x,ou=hidden,dc=example,dc=com"}})
      add("cn=" + name + ",ou=p,dc=example,dc=com",
          "objectClass: alias\nobjectClass: extensibleObject\naliasedObjectName: " + target + "\n");
    add("cn=zalias,ou=p,dc=example,dc=com",
        "objectClass: alias\nobjectClass: extensibleObject\n"
        "aliasedObjectName: ou=q,dc=example,dc=com\n");
    add("ou=q,dc=example,dc=com", container);
  }

  static DirectoryOptions options() {
    DirectoryOptions options;
    options.rules = {"to dn.subtree=\"ou=hidden,dc=example,dc=com\" by * none",
                     "to dn.base=\"cn=zh,ou=p,dc=example,dc=com\" by * none",
                     "to dn.base=\"cn=zalias,ou=p,dc=example,dc=com\" attrs=entry by * none",
                     "to attrs=userPassword by * auth",
                     "to attrs=kInt,kTime,kBool,kNum,kExact by * none",
                     "to * by self write by * read"};
    return options;
  }

  Reply search(Client& client, std::string_view base, ldap::DerefAliases deref) {
    ldap::SearchRequestText request;
    request.base = base;
    request.scope = ldap::Scope::kOneLevel;
    request.deref = deref;
    return client.search(request, "(objectClass=*)");
  }

  Directory directory;
};

TEST_F(LeaksFound, PagesEndWhereTheVisibleEntriesDo) {
  Client client = directory.client();
  const Reply first = client.page("(description=same)", 2, "");
  EXPECT_EQ(first.names(), "v1,v2");
  EXPECT_EQ(first.cookie, "");
  EXPECT_NE(client.page("(description=same)", 1, "").cookie, "");
}

TEST_F(LeaksFound, AliasesToHiddenEntriesLeadNowhere) {
  Client client = directory.client();
  const Reply hidden =
      search(client, "cn=toHidden,ou=p,dc=example,dc=com", ldap::DerefAliases::kAlways);
  const Reply nothing =
      search(client, "cn=toNothing,ou=p,dc=example,dc=com", ldap::DerefAliases::kAlways);
  EXPECT_EQ(hidden.code, 33);
  EXPECT_EQ(nothing.code, 33);
  EXPECT_EQ(hidden.matched_dn, "cn=toHidden,ou=p,dc=example,dc=com");
  EXPECT_EQ(nothing.matched_dn, "cn=toNothing,ou=p,dc=example,dc=com");
}

TEST_F(LeaksFound, HiddenAliasesLeadNowhere) {
  Client client = directory.client();
  EXPECT_EQ(search(client, P, ldap::DerefAliases::kInSearching).names(), "a,b,c,v1,v2");
  Client admin = directory.admin();
  EXPECT_EQ(search(admin, P, ldap::DerefAliases::kInSearching).names(), "a,b,c,h,q,v1,v2,zh");
}

TEST(PagedCookie, TellsNoPosition) {
  const RequestDigest digest = request_digest("request", "identity", 1, 1);
  const std::string cookie = make_cookie("key", digest, {7, 2, 0, "where: cn=hidden"});
  EXPECT_EQ(cookie.find("hidden"), std::string::npos);
  EXPECT_EQ(cookie.find(std::string(7, '\0')), std::string::npos);
}

TEST_F(LeaksFound, RefusalsDoNotCountOrNameWhatIsHidden) {
  Client admin = directory.admin();
  const std::string parent = "ou=t,dc=example,dc=com";
  ASSERT_EQ(admin.add(parent, "objectClass: organizationalUnit\n").code, 0);
  ASSERT_EQ(admin.add("cn=x," + parent, person("cn: x\n")).code, 0);
  const std::string one = admin.remove(parent).diagnostic;
  ASSERT_EQ(admin.add("cn=y," + parent, person("cn: y\n")).code, 0);
  const Reply two = admin.remove(parent);
  EXPECT_EQ(two.code, 66);
  EXPECT_EQ(two.diagnostic, one);

  // U has kInt and more of kAux that he may not see; what he may see is explained to him.
  Client user = directory.user();
  const Reply hidden = user.modify(U, {deleted("objectClass", {"kAux"})});
  EXPECT_EQ(hidden.code, 65);
  EXPECT_EQ(hidden.diagnostic.find("kInt"), std::string::npos) << hidden.diagnostic;
  const Reply shown = user.modify(U, {added("host", {"x"})});
  EXPECT_EQ(shown.code, 65);
  EXPECT_NE(shown.diagnostic.find("host"), std::string::npos) << shown.diagnostic;
}

// --- All kinds ---

TEST_F(LeakOracle, WhatIsHiddenChangesNoAnswer) {
  constexpr std::uint64_t kSequencesEach = 10;
  const std::uint64_t sequences = from_environment("KAURI_LEAK_SEQUENCES", 100);
  std::uint64_t done = 0;
  for (std::uint64_t seed = from_environment("KAURI_SEED", 1); done < sequences; ++seed) {
    run(seed, kSequencesEach);
    if (HasFailure()) return;
    done += kSequencesEach;
  }
  // Answers that are all refusals would show little.
  EXPECT_GT(successes_, requests_ / 5);
  EXPECT_GT(found_, requests_ / 4);
  RecordProperty("sequences", std::to_string(done));
  RecordProperty("requests", std::to_string(requests_));
}

}  // namespace
}  // namespace kauri::operation::testing
