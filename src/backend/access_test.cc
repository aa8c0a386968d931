// Which rights each operation needs, and what those without them learn.
#include <gtest/gtest.h>

#include <tuple>

#include "backend/testing/world.h"

namespace kauri::backend {
namespace {

// Allows what the rules name: "(normal dn head) (pseudo or attribute) (right)".
class RuleBook final : public query::Authorizer {
 public:
  using Rule =
      std::function<bool(query::AccessTarget&, const query::AccessAttribute&, query::Right)>;
  explicit RuleBook(Rule rule) : rule_(std::move(rule)) {}
  const query::Identity& identity() const override { return identity_; }

 protected:
  Verdict decide(query::AccessTarget& target, const query::AccessAttribute& attribute,
                 query::Right right) override {
    return rule_(target, attribute, right) ? Verdict::kAllow : Verdict::kDeny;
  }

 private:
  Rule rule_;
  query::Identity identity_{"uid=a,ou=p,dc=example,dc=com", "x", false};
};

class AccessTest : public ::testing::Test {
 protected:
  void SetUp() override { world_.add_fixture(); }
  void allow(RuleBook::Rule rule) {
    world_.set_authorizer([rule] { return std::make_unique<RuleBook>(rule); });
  }
  World world_;
};

TEST_F(AccessTest, HiddenIsMissing) {
  const auto all = [&](const std::string& uid) {
    const std::string dn = "uid=" + uid + "," + kPeople;
    std::vector<std::tuple<int, std::string, std::string>> answers;
    const auto note = [&](int code) {
      answers.emplace_back(code, world_.last().matched_dn, world_.last().diagnostic);
    };
    note(world_.erase(dn));
    note(world_.modify(dn, {replaced("description", {"x"})}));
    note(world_.rename(dn, "uid=new", true));
    note(world_.add("cn=x," + dn, {{"objectClass", {"person"}}, {"sn", {"x"}}}));
    note(world_.rename("uid=c," + kPeople, "uid=c", true, dn));
    return answers;
  };
  // Nobody may know of b; everything else is visible, and c may be changed.
  allow([](query::AccessTarget& target, const query::AccessAttribute&, query::Right right) {
    if (target.id() == EntryId(4)) return false;
    return right <= query::Right::kRead || target.id() == EntryId(5) || target.id() == EntryId(2);
  });
  EXPECT_EQ(all("b"), all("missing"));
  const auto answers = all("b");
  EXPECT_EQ(std::get<0>(answers.front()), 32);
  EXPECT_EQ(std::get<1>(answers.front()), kPeople);
  // The parent hidden too: only the suffix may be named.
  allow([](query::AccessTarget& target, const query::AccessAttribute&, query::Right right) {
    return target.id() == EntryId(1) && right <= query::Right::kRead;
  });
  EXPECT_EQ(all("b"), all("missing"));
  EXPECT_EQ(std::get<1>(all("b").front()), kSuffix);
  EXPECT_EQ(world_.read("uid=b," + kPeople, false)->count("description"), 0U);
}

TEST_F(AccessTest, EachOperationNeedsItsRights) {
  using Pseudo = query::AccessAttribute::Pseudo;
  // One missing right at a time: everything but that is allowed.
  const auto deny = [&](EntryId id, Pseudo pseudo, query::Right denied) {
    allow([=](query::AccessTarget& target, const query::AccessAttribute& attribute,
              query::Right right) {
      return !(target.id() == id && attribute.pseudo == pseudo && right == denied);
    });
  };
  const std::string dn = "cn=n," + kPeople;
  const Attributes attributes = {{"objectClass", {"person"}}, {"sn", {"x"}}};
  deny(EntryId(2), Pseudo::kChildren, query::Right::kAdd);
  EXPECT_EQ(world_.add(dn, attributes), 50);
  EXPECT_EQ(world_.rename(kA, "uid=z", true), 50);
  EXPECT_EQ(world_.rename(kA, "uid=a", true, kPeople), 50);
  deny(EntryId(0), Pseudo::kEntry, query::Right::kAdd);
  EXPECT_EQ(world_.add(dn, attributes), 50);
  deny(EntryId(2), Pseudo::kChildren, query::Right::kDelete);
  EXPECT_EQ(world_.erase(kA), 50);
  EXPECT_EQ(world_.rename(kA, "uid=z", true), 50);
  EXPECT_EQ(world_.rename(kA, "uid=a", true, kSuffix), 50);
  deny(EntryId(3), Pseudo::kEntry, query::Right::kDelete);
  EXPECT_EQ(world_.erase(kA), 50);
  deny(EntryId(3), Pseudo::kEntry, query::Right::kWrite);
  EXPECT_EQ(world_.rename(kA, "uid=z", true), 50);
  deny(EntryId(1), Pseudo::kChildren, query::Right::kAdd);
  EXPECT_EQ(world_.rename(kA, "uid=a", true, kSuffix), 50);
  deny(EntryId(3), Pseudo::kNone, query::Right::kAdd);
  EXPECT_EQ(world_.modify(kA, {added("description", {"x"})}), 50);
  EXPECT_EQ(world_.rename(kA, "uid=z", false), 50);
  deny(EntryId(3), Pseudo::kNone, query::Right::kDelete);
  EXPECT_EQ(world_.modify(kA, {deleted("description")}), 50);
  EXPECT_EQ(world_.rename(kA, "uid=z", true), 50);
  deny(EntryId(3), Pseudo::kNone, query::Right::kWrite);
  EXPECT_EQ(world_.modify(kA, {replaced("description", {"x"})}), 50);
  EXPECT_EQ(world_.modify(kA, {replaced("pager")}), 50);  // E02
  EXPECT_EQ(world_.modify(kA, {incremented("kInt", "1")}), 50);
  allow([](query::AccessTarget&, const query::AccessAttribute&, query::Right) { return true; });
  EXPECT_EQ(world_.add(dn, attributes), 0);
  EXPECT_EQ(world_.values(dn, "creatorsName"), std::multiset<std::string>{kA});
}

}  // namespace
}  // namespace kauri::backend
