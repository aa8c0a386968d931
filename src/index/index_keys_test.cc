#include "index/index_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/limits.h"
#include "base/random.h"
#include "schema/schema_loader.h"

namespace kauri::index {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr AttributeNumber kNumber(7);

// Values around the limit, with zeros, with each other as heads, and with octets next to the marks.
std::vector<std::string> tricky_values() {
  std::vector<std::string> values = {"",
                                     std::string(1, '\0'),
                                     std::string(2, '\0'),
                                     "a",
                                     std::string("a\0", 2),
                                     std::string("a\0\xff", 3),
                                     "a\1",
                                     "a\2",
                                     "a\xff",
                                     "a\xff\xff",
                                     "b",
                                     "\xff"};
  const std::size_t limit = limits::kKeyValueMax;
  for (std::size_t size = limit - 3; size <= limit + 3; ++size) {
    for (const char fill : {'a', '\0', '\1', '\xff'}) {
      values.emplace_back(size, fill);
      values.emplace_back(size, 'a').back() = fill;
      values.emplace_back(size, 'a')[size - 2] = fill;
    }
  }
  for (std::size_t size = limit / 2 - 2; size <= limit / 2 + 2; ++size)
    values.emplace_back(size, '\0');
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

bool in(const KeyRange& range, const std::string& key) {
  return range.first <= key && key < range.last;
}

TEST(IndexKeys, DifferentValuesHaveKeysThatAreNoPrefixesOfEachOther) {
  std::vector<std::string> keys;
  for (const std::string& value : tricky_values()) keys.push_back(equality_key(kNumber, value));
  std::sort(keys.begin(), keys.end());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    // A block's key has 8 octets more.
    EXPECT_LE(keys[i].size() + 8, limits::kKeySizeMax);
    if (i > 0) {
      EXPECT_FALSE(keys[i].starts_with(keys[i - 1])) << i;
    }
  }
}

TEST(IndexKeys, RangesHoldWhatTheyShould) {
  const std::vector<std::string> values = tricky_values();
  for (const std::string& asserted : values) {
    const KeyRange from = equality_keys_from(kNumber, asserted);
    const KeyRange through = equality_keys_through(kNumber, asserted);
    const KeyRange prefix = equality_keys_with_prefix(kNumber, asserted);
    const bool exact = !is_truncated(asserted);
    for (const std::string& value : values) {
      const std::string key = equality_key(kNumber, value);
      EXPECT_TRUE(in(all_equality_keys(kNumber), key));
      const auto check = [&](bool wanted, const KeyRange& range, const char* which) {
        const bool found = in(range, key);
        EXPECT_TRUE(found == wanted || (!exact && found))
            << which << " asserted " << asserted.size() << " value " << value.size();
      };
      check(value >= asserted, from, "from");
      check(value <= asserted, through, "through");
      check(value.starts_with(asserted), prefix, "prefix");
    }
  }
}

TEST(IndexKeys, KindsAndNumbersDoNotMix) {
  const std::string other = equality_key(AttributeNumber(8), "a");
  for (const std::string& key : {presence_key(kNumber), gram_key(kNumber, "abc"),
                                 gramless_key(kNumber), unnormalized_key(kNumber), other}) {
    EXPECT_FALSE(in(all_equality_keys(kNumber), key));
    EXPECT_FALSE(in(equality_keys_from(kNumber, "a"), key));
    EXPECT_FALSE(in(equality_keys_through(kNumber, "\xff"), key));
  }
  EXPECT_TRUE(in(gram_keys_with_prefix(kNumber, "ab"), gram_key(kNumber, "abc")));
  EXPECT_TRUE(in(gram_keys_with_prefix(kNumber, "\xff\xff"), gram_key(kNumber, "\xff\xff\xff")));
  EXPECT_FALSE(in(gram_keys_with_prefix(kNumber, "ab"), gram_key(kNumber, "acc")));
  EXPECT_FALSE(in(gram_keys_with_prefix(kNumber, "a"), equality_key(kNumber, "a")));
}

TEST(IndexKeys, GramsMarkStartAndEnd) {
  EXPECT_EQ(grams_of(""), std::vector<std::string>{"\2\3\3"});
  EXPECT_EQ(grams_of("a"), (std::vector<std::string>{"\2a\3", "a\3\3"}));
  EXPECT_EQ(grams_of("aaaa"), (std::vector<std::string>{"\2aa", "a\3\3", "aa\3", "aaa"}));
}

TEST(IndexKeys, BufferAndStringAgree) {
  std::string buffer = "old";
  for (const std::string& value : tricky_values()) {
    equality_key(kNumber, value, buffer);
    EXPECT_EQ(buffer, equality_key(kNumber, value));
  }
}

class EntryKeysTest : public ::testing::Test {
 protected:
  void define(const std::vector<IndexSpec>& specs) {
    auto made = IndexCatalog::make(specs, dictionary_);
    ASSERT_TRUE(made) << made.error().message();
    catalog_ = std::move(*made);
  }
  std::vector<std::string> keys(const std::string& name, const std::vector<std::string>& values) {
    const auto description = schema_->attribute_description(name);
    EXPECT_TRUE(description) << name;
    return keys_of_values(*description, values, catalog_, *schema_);
  }
  AttributeNumber number(const char* name) {
    return catalog_.find(*schema_->attribute_type(name))->number;
  }

  std::shared_ptr<const schema::Schema> schema_ = schema::builtin_schema();
  entry::Dictionary dictionary_{schema_};
  IndexCatalog catalog_;
};

TEST_F(EntryKeysTest, OptionsShareTheirTypesKeysAndSubtypesHaveTheirOwn) {
  define({{"cn", {true, true, false}}, {"name", {false, true, false}}});
  const auto plain = keys("cn", {"Ab"});
  EXPECT_EQ(plain.size(), 2U);
  EXPECT_EQ(keys("cn;lang-en", {"AB"}), plain);
  EXPECT_THAT(plain, Contains(presence_key(number("cn"))));
  EXPECT_THAT(keys("sn", {"x"}), IsEmpty());
  EXPECT_THAT(keys("cn", {}), IsEmpty());
}

TEST_F(EntryKeysTest, ObjectClassIsIndexedUnderItsSuperclasses) {
  define({{"objectClass", {false, true, false}}});
  std::vector<std::string> expected;
  for (const char* name : {"inetOrgPerson", "organizationalPerson", "person", "top"}) {
    std::string normal;
    ASSERT_TRUE(normal_object_class(*schema_, name, normal));
    expected.push_back(equality_key(number("objectClass"), normal));
  }
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(keys("objectClass", {"inetOrgPerson"}), expected);
  EXPECT_EQ(keys("objectClass", {"top", "INETORGPERSON", "person"}), expected);
}

TEST_F(EntryKeysTest, ValuesWithoutANormalFormAreMarked) {
  define({{"uidNumber", {true, true, false}}, {"cn", {false, true, true}}});
  EXPECT_EQ(keys("uidNumber", {"twelve"}),
            (std::vector<std::string>{presence_key(number("uidNumber")),
                                      unnormalized_key(number("uidNumber"))}));
  const auto long_keys = keys("cn", {std::string(kGramValueMax + 1, 'x')});
  EXPECT_EQ(long_keys.size(), 2U);
  EXPECT_THAT(long_keys, Contains(gramless_key(number("cn"))));
}

TEST_F(EntryKeysTest, AnEntrysKeysAreSortedAndDistinct) {
  define({{"cn", {true, true, true}}, {"sn", {true, true, true}}});
  entry::Entry entry;
  for (const char* name : {"sn", "cn", "cn;lang-en", "description"})
    entry.find_or_add(*schema_->attribute_description(name)).values = {"abcabc", "ABCABC d"};
  const auto keys = keys_of_entry(entry, catalog_, *schema_);
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  EXPECT_EQ(std::set<std::string>(keys.begin(), keys.end()).size(), keys.size());
  EXPECT_EQ(keys.front(), presence_key(number("cn")));
}

TEST_F(EntryKeysTest, CatalogueNamesWhatIsWrong) {
  const auto error = [&](const std::vector<IndexSpec>& specs) {
    const auto made = IndexCatalog::make(specs, dictionary_);
    EXPECT_FALSE(made);
    return made ? std::string() : made.error().message();
  };
  EXPECT_THAT(error({{"nosuch", {true, false, false}}}), HasSubstr("'nosuch'"));
  EXPECT_THAT(error({{"jpegPhoto", {false, true, false}}}), HasSubstr("equality rule"));
  EXPECT_THAT(error({{"uidNumber", {false, true, true}}}), HasSubstr("substrings rule"));
  EXPECT_THAT(error({{"entryDN", {false, true, false}}}), HasSubstr("computed"));
  EXPECT_THAT(error({{"cn", {}}}), HasSubstr("no kind"));
  EXPECT_THAT(error({{"cn", {true, false, false}}, {"commonName", {true, false, false}}}),
              HasSubstr("twice"));
}

TEST_F(EntryKeysTest, DefaultsAreAccepted) {
  define(default_indexes(*schema_));
  EXPECT_GE(catalog_.definitions().size(), 20U);
  for (const char* name : {"objectClass", "uid", "cn", "mail", "member", "entryUUID"})
    EXPECT_NE(catalog_.find(*schema_->attribute_type(name)), nullptr) << name;
  EXPECT_EQ(catalog_.find(*schema_->attribute_type("description")), nullptr);
  catalog_.set_usable(*schema_->attribute_type("cn"), false);
  EXPECT_FALSE(catalog_.find(*schema_->attribute_type("cn"))->usable);
}

TEST(IndexKindsText, ReadsAndWrites) {
  EXPECT_EQ(*parse_kinds("eq,sub"), (IndexKinds{false, true, true}));
  EXPECT_EQ(*parse_kinds(" pres , eq"), (IndexKinds{true, true, false}));
  EXPECT_EQ(to_string(*parse_kinds("sub,pres,eq")), "pres,eq,sub");
  for (const char* bad : {"", ",", "eq,", "approx", "eq sub"}) {
    const auto kinds = parse_kinds(bad);
    ASSERT_FALSE(kinds) << bad;
    EXPECT_EQ(kinds.error().code(), ErrorCode::kInvalid);
  }
}

}  // namespace
}  // namespace kauri::index
