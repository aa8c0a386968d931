// Random histories, replayed: whatever happened, every state of it comes back. A failure prints the
// seed.
#include <gtest/gtest.h>

#include "backend/testing/backups.h"
#include "backend/testing/world.h"

namespace kauri::backend {
namespace {

constexpr int kSteps = 300;

class Driver {
 public:
  Driver(World& world, std::uint64_t seed) : world_(world), random_(seed) {
    EXPECT_EQ(world.add(kSuffix, {{"objectClass", {"domain", "extensibleObject"}}}), 0);
    names_ = {kSuffix};
  }

  // A request that may be refused, of any kind.
  void step() {
    const std::string dn = pick();
    switch (random_.next_u64() % 10) {
      case 0:
      case 1:
      case 2:
        return add(dn);
      case 3:
        if (dn != kSuffix && world_.erase(dn) == 0) std::erase(names_, dn);
        return;
      case 4:
        return rename(dn);
      default:
        return modify(dn);
    }
  }

 private:
  std::string pick() { return names_[random_.next_u64() % names_.size()]; }
  std::string pick_rdn() {
    const std::uint64_t dice = random_.next_u64();
    const std::string number = std::to_string(dice % 7);
    return dice % 5 == 0 ? "CN=N \\+ " + number + "+sn=s" : "cn=n" + number;
  }

  void add(const std::string& parent) {
    const std::string dn = pick_rdn() + "," + parent;
    Attributes attributes = {{"objectClass", {"person", "extensibleObject"}}, {"sn", {"s"}}};
    const std::vector<std::string> values = pick_values();
    if (!values.empty()) attributes.push_back({"description", values});
    if (world_.add(dn, attributes) == 0) names_.push_back(dn);
  }

  void rename(const std::string& dn) {
    const std::string rdn = pick_rdn();
    const bool move = random_.next_u64() % 2 == 0;
    const std::string parent = move ? pick() : dn.substr(dn.find(',') + 1);
    if (world_.rename(dn, rdn, random_.next_u64() % 2 == 0, move ? parent : "") != 0) return;
    const std::string new_dn = rdn + "," + parent;
    for (std::string& name : names_) {
      if (name == dn || name.ends_with("," + dn))
        name = name.substr(0, name.size() - dn.size()) + new_dn;
    }
  }

  // Different spellings of few values, sometimes so many that they leave the record.
  std::vector<std::string> pick_values() {
    const std::uint64_t dice = random_.next_u64() % 12;
    const std::size_t count = dice == 0 ? 150 + random_.next_u64() % 120 : dice % 5;
    std::vector<std::string> values;
    std::set<std::uint64_t> seen;
    while (values.size() < count) {
      const std::uint64_t value = random_.next_u64() % 400;
      if (!seen.insert(value).second) continue;
      const bool shouted = random_.next_u64() % 2 == 0;
      values.push_back((shouted ? "VALUE  " : "value ") + std::to_string(value));
    }
    return values;
  }

  void modify(const std::string& dn) {
    const char* const attributes[] = {"description", "description;lang-en", "memberUid", "cn",
                                      "telephoneNumber"};
    const std::string attribute = attributes[random_.next_u64() % std::size(attributes)];
    const std::vector<std::string> values = pick_values();
    std::vector<Change> changes;
    switch (random_.next_u64() % 4) {
      case 0:
        changes = {added(attribute, values)};
        break;
      case 1:
        changes = {deleted(attribute, values)};
        break;
      case 2:
        changes = {deleted(attribute), added(attribute, values), replaced("title", {"t"})};
        break;
      default:
        changes = {replaced(attribute, values)};
    }
    (void)world_.modify(dn, changes, random_.next_u64() % 2 == 0);
  }

  World& world_;
  SeededRandom random_;
  std::vector<std::string> names_;
};

class ReplayOfARandomHistory : public testing::TestWithParam<int> {};

TEST_P(ReplayOfARandomHistory, GivesEveryState) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  DatabaseOptions options;
  options.indexes = {{"cn", {true, true, true}}, {"description", {true, true, true}}};
  World world(options);
  Driver driver(world, static_cast<std::uint64_t>(GetParam()));
  std::string backup;
  std::string since;
  std::vector<std::pair<std::string, std::string>> points;
  for (int step = 0; step < kSteps; ++step) {
    world.clock().advance_micros(static_cast<std::int64_t>(step % 3));
    driver.step();
    if (step == 60) {
      backup = backup_of(world.database());
      since = world.database().context_csn();
    }
    if (step >= 60 && step % 40 == 0)
      points.emplace_back(world.database().context_csn(), content_of(world.database()));
  }
  points.emplace_back(world.database().context_csn(), content_of(world.database()));
  const std::string changes = changes_of(world.database(), since);
  EXPECT_GT(header_of(changes).records, 80U);
  for (const auto& [csn, content] : points) {
    RestoredPlace place(world.clock());
    place.options().until = csn;
    ASSERT_EQ(place.restore(backup, {changes}), "");
    ASSERT_EQ(content_of(place.open()), content) << csn;
    ASSERT_EQ(place.verify_text(), "") << csn;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ReplayOfARandomHistory, testing::Range(1, 7));

}  // namespace
}  // namespace kauri::backend
