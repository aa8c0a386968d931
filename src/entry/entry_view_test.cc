#include "entry/entry_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <functional>

#include "base/digest.h"
#include "base/random.h"
#include "entry/entry_format.h"
#include "entry/test_support.h"

namespace kauri::entry {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> strings(const ValueRange& range) {
  std::vector<std::string> values;
  for (const std::string_view value : range) values.emplace_back(value);
  return values;
}

void fix_checksum(std::string& record) {
  const std::uint32_t crc = crc32c(std::string_view(record).substr(format::kVersionAt));
  std::memcpy(record.data() + format::kCrc, &crc, sizeof crc);
}

template <class T>
void set(std::string& record, std::size_t at, T value) {
  std::memcpy(record.data() + at, &value, sizeof value);
}

class EntryViewTest : public testing::Test {
 protected:
  // objectClass, cn, sn inline; member external; createTimestamp operational.
  std::string example() {
    Entry entry = make_entry("cn=Ann", {{"objectClass", {"top", "person"}},
                                        {"cn", {"Ann"}},
                                        {"createTimestamp", {"20240102030405Z"}},
                                        {"sn;lang-en", {"Lee"}}});
    return encode_entry(entry, dictionary_, {{dictionary_.intern(describe("member")), 100'000}});
  }
  AttributeNumber number(std::string_view text) const {
    return dictionary_.find(describe(text)).value();
  }

  Dictionary dictionary_{schema::builtin_schema()};
};

TEST_F(EntryViewTest, ShowsWhatWasEncoded) {
  const std::string record = example();
  const auto view = EntryView::parse(record);
  ASSERT_TRUE(view.has_value()) << view.error().message();
  EXPECT_TRUE(view->check_values().has_value());
  EXPECT_EQ(view->parent(), EntryId(1));
  EXPECT_EQ(view->rdn(), "cn=Ann");
  EXPECT_TRUE(view->has_external());
  ASSERT_EQ(view->attribute_count(), 5U);

  const AttributeSlot classes = view->attribute(0);
  EXPECT_EQ(classes.number, number("objectClass"));
  EXPECT_EQ(classes.value_count, 2U);
  EXPECT_FALSE(classes.operational);
  EXPECT_FALSE(classes.external);
  EXPECT_THAT(strings(classes.values), ElementsAre("top", "person"));
  EXPECT_EQ(classes.encoded, "\x30\x1c\x04\x0bobjectClass\x31\x0d\x04\x03top\x04\x06person");

  EXPECT_THAT(strings(view->attribute(1).values), ElementsAre("Ann"));
  EXPECT_EQ(view->attribute(2).number, number("sn;lang-en"));
  const AttributeSlot member = view->attribute(3);
  EXPECT_TRUE(member.external);
  EXPECT_FALSE(member.operational);
  EXPECT_EQ(member.value_count, 100'000U);
  EXPECT_TRUE(member.encoded.empty());
  EXPECT_TRUE(member.values.empty());
  const AttributeSlot created = view->attribute(4);
  EXPECT_TRUE(created.operational);
  EXPECT_THAT(strings(created.values), ElementsAre("20240102030405Z"));

  EXPECT_EQ(view->user_encoded(), std::string(classes.encoded) +
                                      std::string(view->attribute(1).encoded) +
                                      std::string(view->attribute(2).encoded));
  EXPECT_EQ(view->operational_encoded(), created.encoded);
  EXPECT_EQ(view->find(number("sn;lang-en"))->encoded, view->attribute(2).encoded);
  EXPECT_TRUE(view->find(number("member"))->external);
  EXPECT_FALSE(view->find(AttributeNumber(99)).has_value());
}

TEST_F(EntryViewTest, DecodesToTheSameEntry) {
  const std::string record = example();
  std::vector<ExternalAttribute> external;
  const Entry entry = decode_entry(EntryView::parse(record).value(), dictionary_, &external);
  ASSERT_EQ(external.size(), 1U);
  EXPECT_EQ(external[0].number, number("member"));
  EXPECT_EQ(external[0].value_count, 100'000U);
  ASSERT_NE(entry.find(describe("member")), nullptr);
  EXPECT_TRUE(entry.find(describe("member"))->values.empty());
  EXPECT_EQ(encode_entry(entry, dictionary_, external), record);
}

TEST_F(EntryViewTest, EmptyEntryAndLeftOutAttributes) {
  Entry entry = make_entry("", {{"description", {}}});
  const std::string record = encode_entry(entry, dictionary_);
  EXPECT_EQ(record.size(), format::kHeaderSize);
  const auto view = EntryView::parse(record);
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->attribute_count(), 0U);
  EXPECT_FALSE(view->has_external());
  EXPECT_TRUE(view->user_encoded().empty());
}

TEST_F(EntryViewTest, LengthsOfEverySize) {
  for (const std::size_t size : {0U, 1U, 127U, 128U, 255U, 256U, 65535U, 65536U, 70000U}) {
    const Entry entry = make_entry("cn=x", {{"description", {std::string(size, 'v'), "w"}}});
    const std::string record = encode_entry(entry, dictionary_);
    const auto view = EntryView::parse(record);
    ASSERT_TRUE(view.has_value());
    ASSERT_TRUE(view->check_values().has_value()) << view->check_values().error().message();
    EXPECT_THAT(strings(view->attribute(0).values), ElementsAre(std::string(size, 'v'), "w"));
  }
}

TEST_F(EntryViewTest, MoreValuesThanASlotCounts) {
  Entry entry = make_entry("cn=x", {{"description", {}}});
  for (int i = 0; i < 70'000; ++i) entry.attributes[0].values.push_back(std::to_string(i));
  const std::string record = encode_entry(entry, dictionary_);
  const auto view = EntryView::parse(record);
  ASSERT_TRUE(view.has_value());
  EXPECT_EQ(view->attribute(0).value_count, 70'000U);
  EXPECT_TRUE(view->check_values().has_value());
}

// Every single octet and every cut is noticed.
TEST_F(EntryViewTest, ChecksumNoticesAnyChange) {
  const std::string record = example();
  for (std::size_t i = 0; i < record.size(); ++i) {
    for (const unsigned bit : {0U, 7U}) {
      std::string damaged = record;
      damaged[i] = static_cast<char>(static_cast<unsigned char>(damaged[i]) ^ (1U << bit));
      const auto view = EntryView::parse(damaged);
      ASSERT_FALSE(view.has_value()) << i;
      EXPECT_EQ(view.error().code(), ErrorCode::kCorruption);
    }
    EXPECT_FALSE(EntryView::parse(std::string_view(record).substr(0, i)).has_value());
  }
  EXPECT_FALSE(EntryView::parse(record + '\0').has_value());
}

struct Damage {
  const char* name;
  std::function<void(std::string&)> change;
  const char* message;
};

constexpr std::size_t slot(std::size_t index, std::size_t field) {
  return format::kHeaderSize + index * format::kSlotSize + field;
}

// Records whose checksum is right and whose structure is not. Slots of the example: 0 objectClass,
// 1 cn, 2 sn;lang-en, 3 member (external), 4 createTimestamp.
TEST_F(EntryViewTest, DamagedStructure) {
  const Damage table[] = {
      {"version", [](auto& r) { r[format::kVersionAt] = 2; }, "format version 2"},
      {"reserved", [](auto& r) { r[format::kReserved] = 1; }, "reserved octet"},
      {"rdn size", [](auto& r) { set<std::uint16_t>(r, format::kRdnSize, 0xffff); },
       "its parts make"},
      {"user size", [](auto& r) { set<std::uint32_t>(r, format::kUserSize, 0xffffffff); },
       "its parts make"},
      {"operational size",
       [](auto& r) { set<std::uint32_t>(r, format::kOperationalSize, 0xffffffff); },
       "its parts make"},
      {"user slots", [](auto& r) { set<std::uint16_t>(r, format::kUserInline, 0xffff); },
       "its parts make"},
      {"external slots", [](auto& r) { set<std::uint16_t>(r, format::kUserExternal, 0xffff); },
       "its parts make"},
      {"operational slots", [](auto& r) { set<std::uint16_t>(r, format::kOperationalInline, 9); },
       "its parts make"},
      {"slot moved between sections",
       [](auto& r) {
         set<std::uint16_t>(r, format::kOperationalInline, 0);
         set<std::uint16_t>(r, format::kOperationalExternal, 1);
       },
       "there are attributes that no slot names"},
      {"cut", [](auto& r) { r.resize(r.size() - 1); }, "its parts make"},
      {"longer", [](auto& r) { r += 'x'; }, "its parts make"},
      {"header only", [](auto& r) { r.resize(format::kHeaderSize); }, "its parts make"},
      {"first offset", [](auto& r) { set<std::uint32_t>(r, slot(0, format::kOffset), 1); },
       "does not start at 0"},
      {"offset behind the end",
       [](auto& r) { set<std::uint32_t>(r, slot(1, format::kOffset), 0xfffffff0); },
       "outside of its place"},
      {"offsets not in order", [](auto& r) { set<std::uint32_t>(r, slot(2, format::kOffset), 1); },
       "outside of its place"},
      {"empty attribute", [](auto& r) { set<std::uint32_t>(r, slot(1, format::kOffset), 0); },
       "outside of its place"},
      {"values behind the attribute",
       [](auto& r) { set<std::uint16_t>(r, slot(4, format::kValuesAt), 0xffff); },
       "values start outside"},
      {"number 0", [](auto& r) { set<std::uint32_t>(r, slot(1, format::kNumber), 0); }, "number 0"},
      {"external number 0", [](auto& r) { set<std::uint32_t>(r, slot(3, format::kNumber), 0); },
       "number 0"},
      {"external with a place",
       [](auto& r) { set<std::uint16_t>(r, slot(3, format::kValuesAt), 1); }, "must be 0"},
  };
  for (const Damage& damage : table) {
    std::string record = example();
    damage.change(record);
    fix_checksum(record);
    const auto view = EntryView::parse(record);
    ASSERT_FALSE(view.has_value()) << damage.name;
    EXPECT_EQ(view.error().code(), ErrorCode::kCorruption);
    EXPECT_THAT(view.error().message(), HasSubstr(damage.message)) << damage.name;
  }
  EXPECT_THAT(EntryView::parse("").error().message(), HasSubstr("fewer than its header"));
}

// What parse() leaves to the checksum: walking is safe, check_values() tells.
TEST_F(EntryViewTest, DamagedValues) {
  const std::size_t body =
      format::kHeaderSize + 5 * format::kSlotSize + std::string_view("cn=Ann").size();
  const Damage table[] = {
      {"no sequence", [&](auto& r) { r[body] = 0x31; }, "is not one SEQUENCE"},
      {"sequence too long", [&](auto& r) { r[body + 1] = 0x7f; }, "is not one SEQUENCE"},
      {"indefinite length", [&](auto& r) { r[body + 1] = '\x80'; }, "is not one SEQUENCE"},
      {"length of lengths", [&](auto& r) { r[body + 1] = '\xff'; }, "is not one SEQUENCE"},
      {"type's tag", [&](auto& r) { r[body + 2] = 0x0c; }, "has no type"},
      {"set's tag", [&](auto& r) { r[body + 15] = 0x30; }, "does not end with a SET"},
      {"value's tag", [&](auto& r) { r[body + 17] = 0x0c; }, "value 1 is not an OCTET STRING"},
      {"value too long", [&](auto& r) { r[body + 18] = 0x7f; }, "value 1 is not an OCTET STRING"},
      {"last value too short", [&](auto& r) { r[body + 23] = 0x05; },
       "value 3 is not an OCTET STRING"},
      {"values' place", [](auto& r) { set<std::uint16_t>(r, slot(0, format::kValuesAt), 22); },
       "another place"},
      {"count", [](auto& r) { set<std::uint16_t>(r, slot(0, format::kValueCount), 3); },
       "the slot says 3"},
      {"number twice",
       [](auto& r) {
         std::memcpy(r.data() + slot(1, format::kNumber), r.data() + slot(0, format::kNumber), 4);
       },
       "two slots have the attribute number"},
  };
  for (const Damage& damage : table) {
    std::string record = example();
    damage.change(record);
    fix_checksum(record);
    const auto view = EntryView::parse(record);
    ASSERT_TRUE(view.has_value()) << damage.name << ": " << view.error().message();
    for (std::size_t i = 0; i < view->attribute_count(); ++i) strings(view->attribute(i).values);
    const auto checked = view->check_values();
    ASSERT_FALSE(checked.has_value()) << damage.name;
    EXPECT_THAT(checked.error().message(), HasSubstr(damage.message)) << damage.name;
  }
}

TEST_F(EntryViewTest, RandomEntriesSurvive) {
  SeededRandom random(5);
  const auto& types = schema::builtin_schema()->attribute_types();
  for (int round = 0; round < 200; ++round) {
    Entry entry;
    entry.rdn = random.bytes(random.next_u64() % 50);
    entry.parent = EntryId(random.next_u64());
    for (std::size_t i = random.next_u64() % 12; i > 0; --i) {
      const schema::AttributeDescription description{types[random.next_u64() % types.size()], {}};
      if (entry.find(description) != nullptr) continue;
      Attribute& attribute = entry.find_or_add(description);
      for (std::size_t k = 1 + random.next_u64() % 4; k > 0; --k)
        attribute.values.push_back(random.bytes(random.next_u64() % 300));
    }
    const std::string record = encode_entry(entry, dictionary_);
    const auto view = EntryView::parse(record);
    ASSERT_TRUE(view.has_value());
    ASSERT_TRUE(view->check_values().has_value());
    const Entry decoded = decode_entry(*view, dictionary_, nullptr);
    ASSERT_EQ(decoded.rdn, entry.rdn);
    ASSERT_EQ(decoded.parent, entry.parent);
    ASSERT_EQ(decoded.attributes.size(), entry.attributes.size());
    for (const Attribute& attribute : entry.attributes)
      ASSERT_EQ(decoded.find(attribute.description)->values, attribute.values);
  }
}

// The worked example of docs/formats/entry.md: lines "offset: octets | remark" inside its ```hex
// block.
TEST_F(EntryViewTest, WorkedExampleOfTheFormatDocument) {
  std::ifstream file(KAURI_SOURCE_DIR "/docs/formats/entry.md");
  ASSERT_TRUE(file.is_open());
  std::string documented;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) inside = line == "```hex";
    if (!inside || line.starts_with("```")) continue;
    ASSERT_EQ(std::stoul(line.substr(0, 4), nullptr, 16), documented.size()) << line;
    const std::string octets = line.substr(5, line.find('|') - 5);
    for (std::size_t i = 0; i + 2 < octets.size(); i += 3)
      if (octets[i + 1] != ' ')
        documented += static_cast<char>(std::stoul(octets.substr(i, 3), nullptr, 16));
  }
  const std::string record = example();
  ASSERT_EQ(documented.size(), record.size());
  EXPECT_EQ(documented, record);
}

}  // namespace
}  // namespace kauri::entry
