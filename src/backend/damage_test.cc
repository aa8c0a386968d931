// Damaged tables: a fault or an error that names it, never the end of the process.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>

#include "backend/core.h"
#include "backend/meta_format.h"
#include "backend/offline.h"
#include "backend/testing/world.h"
#include "base/endian.h"

namespace kauri::backend {
namespace {

// LMDB's pages (mdb.c, MDB_page and MDB_node), as far as a test has to find some.
constexpr std::size_t kPage = 4096;
constexpr std::size_t kPageHeader = 16;
constexpr std::size_t kNodeHeader = 8;
constexpr std::uint16_t kLeaf = 0x02;

std::uint16_t u16(const std::string& octets, std::size_t at) {
  std::uint16_t value = 0;
  std::memcpy(&value, octets.data() + at, sizeof value);
  return value;
}

// Whether the page holds entries by id (`entries`), or index records with long keys.
bool is_wanted(const std::string& page, bool entries) {
  if ((u16(page, 10) & 0x5fU) != kLeaf) return false;
  const std::size_t nodes = (u16(page, 12) - kPageHeader) / 2;
  if (nodes < 2) return false;
  for (std::size_t i = 0; i < nodes; ++i) {
    const std::size_t at = u16(page, kPageHeader + 2 * i);
    const std::size_t key_size = u16(page, at + 6);
    if (entries != (key_size == 8)) return false;
    // Index keys begin with an attribute number, names with the id of their parent.
    if (!entries && page[at + kNodeHeader + 3] == 0) return false;
    // Counts of children are short, and change records have no octet 0 where entries have theirs.
    if (entries && (u16(page, at) < 100 || page[at + kNodeHeader + key_size + 5] != 0))
      return false;
  }
  return true;
}

// The contents of all leaf pages of a kind, in the opposite order.
std::size_t reverse_pages(const std::string& path, bool entries) {
  std::string file;
  {
    std::ifstream in(path, std::ios::binary);
    file.assign(std::istreambuf_iterator<char>(in), {});
  }
  std::vector<std::size_t> places;
  std::vector<std::string> pages;
  for (std::size_t at = 2 * kPage; at + kPage <= file.size(); at += kPage) {
    const std::string page = file.substr(at, kPage);
    if (!is_wanted(page, entries)) continue;
    places.push_back(at);
    pages.push_back(page);
  }
  std::reverse(pages.begin(), pages.end());
  for (std::size_t i = 0; i < places.size(); ++i)
    file.replace(places[i] + 8, kPage - 8, pages[i], 8, kPage - 8);  // behind the page number
  std::ofstream(path, std::ios::binary) << file;
  return places.size();
}

void add_people(World& world, int count) {
  for (int i = 0; i < count; ++i) {
    const std::string uid = "person" + std::to_string(i);
    ASSERT_EQ(world.add("uid=" + uid + ",ou=p,dc=example,dc=com",
                        {{"objectClass", {"inetOrgPerson"}}, {"cn", {uid}}, {"sn", {uid}}}),
              0);
  }
}

TEST(Damage, EntriesOutOfOrderAreAFault) {
  World world;
  world.add_fixture();
  add_people(world, 300);
  world.close();
  ASSERT_GT(reverse_pages(world.path() + "/data.mdb", true), 5U);
  DatabaseOptions options;
  options.start_writer = false;
  world.reopen(options);
  EXPECT_NE(world.verify_text().find("keys are not in order"), std::string::npos)
      << world.verify_text();
  const Result<void> built = reindex(world.database(), {}, {});
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code(), ErrorCode::kCorruption) << built.error().message();
  EXPECT_NE(built.error().message().find("not in order"), std::string::npos)
      << built.error().message();
}

TEST(Damage, ShuffledIndexesAreFaultsAndTheCheckEnds) {
  World world;
  world.add_fixture();
  add_people(world, 300);
  world.close();
  ASSERT_GT(reverse_pages(world.path() + "/data.mdb", false), 5U);
  DatabaseOptions options;
  options.start_writer = false;
  world.reopen(options);
  EXPECT_NE(world.verify_text(), "");
}

TEST(Damage, NumbersThatTheDictionaryLacks) {
  World world;
  world.add_fixture();
  const EntryId id = world.outcome().id;  // of c, the last one added
  entry::Dictionary other(fixture_schema());
  for (const schema::AttributeType* type : fixture_schema()->attribute_types())
    other.intern({type, {}});
  ASSERT_GT(other.size(), world.database().dictionary().size());
  entry::Entry entry;
  entry.rdn = "uid=c";
  const AttributeNumber last(static_cast<std::uint32_t>(other.size()));
  entry.attributes.push_back({other.description(last), {"x"}});
  std::string record;
  {
    auto txn = world.database().env().begin_write();
    ASSERT_TRUE(txn);
    auto present = (*txn)->get(storage::Table::kEntries, entry_key(id));
    ASSERT_TRUE(present && *present);
    entry.parent = entry::EntryView::parse(**present)->parent();
    record = entry::encode_entry(entry, other);
    ASSERT_TRUE((*txn)->put(storage::Table::kEntries, entry_key(id), record));
    ASSERT_TRUE((*txn)->commit());
  }
  EXPECT_NE(world.verify_text().find("is not in the dictionary"), std::string::npos);
  auto session = world.database().read_session();
  ASSERT_TRUE(session && (*session)->begin());
  const auto read = (*session)->entry(id);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code(), ErrorCode::kCorruption);
  EXPECT_EQ(world.modify("uid=c,ou=p,dc=example,dc=com", {replaced("description", {"x"})}), 80);
  const std::string& diagnostic = world.last().diagnostic;
  EXPECT_EQ(diagnostic,
            "nothing was changed: the server's storage failed; its log has the details");
  ASSERT_TRUE(world.outcome().failure.has_value());
  EXPECT_NE(world.outcome().failure->message().find("is not in the dictionary"), std::string::npos);
  EXPECT_FALSE(reindex(world.database(), {}, {}));
  EXPECT_FALSE(export_ldif(world.database(), {}, [](std::string_view) { return Result<void>(); }));
}

TEST(Damage, ADictionaryWithAGapIsRefused) {
  World world;
  world.add_fixture();
  {
    auto txn = world.database().env().begin_write();
    ASSERT_TRUE(txn);
    std::string key(kMetaAttribute);
    append_big_endian(key, std::uint32_t{2});
    auto erased = (*txn)->erase(storage::Table::kMeta, key);
    ASSERT_TRUE(erased && *erased);
    ASSERT_TRUE((*txn)->commit());
  }
  world.close();
  DatabaseOptions options;
  options.path = world.path();
  const auto opened = Database::open(options, fixture_schema(), world.clock(), world.random());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), ErrorCode::kCorruption);
  EXPECT_NE(opened.error().message().find("number 2"), std::string::npos)
      << opened.error().message();
}

TEST(Damage, AnIdThatNoEntryCanHave) {
  World world;
  world.add_fixture();
  auto session = world.database().read_session();
  ASSERT_TRUE(session && (*session)->begin());
  const auto name = (*session)->dn(EntryId());
  ASSERT_FALSE(name);
  EXPECT_EQ(name.error().code(), ErrorCode::kCorruption);
}

TEST(Damage, AFullDiskIsToldWithoutPaths) {
  World world;
  world.add_fixture();
  world.faults()->fail(storage::FaultPoint::kCommit, 1, ErrorCode::kNoSpace, true);
  EXPECT_EQ(world.modify(kA, {replaced("description", {"x"})}), 53);
  EXPECT_EQ(world.last().diagnostic, "nothing was changed: the server's disk is full");
  EXPECT_TRUE(world.outcome().failure.has_value());
  world.faults()->clear();
}

}  // namespace
}  // namespace kauri::backend
