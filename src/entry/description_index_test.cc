#include "entry/description_index.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "entry/test_support.h"

namespace kauri::entry {
namespace {

// Descriptions of one type with one option each, as a client makes them that tries to fill the
// dictionary.
class World {
 public:
  void add(const std::string& text) {
    auto item = std::make_unique<DictionaryItem>();
    item->number = AttributeNumber(static_cast<std::uint32_t>(items_.size() + 1));
    item->description = describe(text);
    item->text = text;
    index_.add(item.get());
    items_.push_back(std::move(item));
  }
  const DictionaryItem* find(const std::string& text, std::uint64_t* compared = nullptr) const {
    const schema::AttributeDescription description = describe(text);
    return index_.find(*description.type, description.options, compared);
  }
  const DescriptionIndex& index() const { return index_; }

 private:
  SeededRandom random_{7};
  DescriptionIndex index_{random_};
  std::vector<std::unique_ptr<DictionaryItem>> items_;
};

std::string name_of(std::size_t number) {
  return "description;x-opt-" + std::to_string(number);
}

TEST(DescriptionIndexTest, FindsWhatWasAddedAndNothingElse) {
  World world;
  EXPECT_EQ(world.find("cn;x-a"), nullptr);
  world.add("cn;x-a");
  world.add("sn;x-a");
  world.add("cn;x-a;x-b");
  for (std::size_t i = 0; i < 100; ++i) world.add(name_of(i));
  ASSERT_NE(world.find("sn;x-a"), nullptr);
  EXPECT_EQ(world.find("sn;x-a")->text, "sn;x-a");
  EXPECT_EQ(world.find("cn;x-b;x-a")->text, "cn;x-a;x-b");
  for (std::size_t i = 0; i < 100; ++i) {
    ASSERT_NE(world.find(name_of(i)), nullptr) << i;
    EXPECT_EQ(world.find(name_of(i))->text, name_of(i));
  }
  EXPECT_EQ(world.find("cn;x-b"), nullptr);
  EXPECT_EQ(world.find("cn;x-ax;-b"), nullptr);
  EXPECT_EQ(world.find(name_of(100)), nullptr);
}

// What a further description costs does not depend on how many there are: counted, not timed.
TEST(DescriptionIndexTest, WorkGrowsWithTheNumberOfDescriptionsOnly) {
  constexpr std::size_t kFew = 5000;
  World world;
  std::size_t done = 0;
  for (const std::size_t count : {kFew, 2 * kFew, 4 * kFew}) {
    std::uint64_t compared = 0;
    for (; done < count; ++done) {
      ASSERT_EQ(world.find(name_of(done), &compared), nullptr);
      world.add(name_of(done));
    }
    // Every description is written once and moved once for each doubling: less than four writes,
    // and as many steps over taken slots.
    EXPECT_LE(world.index().slots_written(), 8 * count) << count;
    EXPECT_LE(compared, 2 * count) << count;
    compared = 0;
    for (std::size_t i = 0; i < count; ++i) ASSERT_NE(world.find(name_of(i), &compared), nullptr);
    EXPECT_LE(compared, 4 * count) << count;
  }
}

}  // namespace
}  // namespace kauri::entry
