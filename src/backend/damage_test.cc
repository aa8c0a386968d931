// Damaged tables: a fault or an error that names it, never the end of the process.
#include <gtest/gtest.h>

#include <functional>

#include "backend/core.h"
#include "backend/large_values.h"
#include "backend/meta_format.h"
#include "backend/offline.h"
#include "backend/testing/world.h"
#include "base/endian.h"
#include "storage/testing/image.h"

namespace kauri::backend {
namespace {

using storage::Image;
using storage::Table;

std::string data_file(const World& world) {
  return world.path() + "/data.mdb";
}
Image image_of(const World& world) {
  return Image(storage::read_file(data_file(world)));
}
void put_image(const World& world, const Image& image) {
  storage::write_file(data_file(world), image.octets());
}

// The contents of all leaf pages of a table, in the opposite order.
std::size_t reverse_leaves(const World& world, Table table) {
  Image image = image_of(world);
  std::vector<std::uint64_t> leaves;
  const storage::page::TreeRecord tree = image.tree(table);
  EXPECT_EQ(tree.depth, 2U);
  for (std::size_t i = 0; i < tree.leaf_pages; ++i) leaves.push_back(image.leaf(table, i));
  for (std::size_t i = 0; i < leaves.size() / 2; ++i)
    image.swap_pages(leaves[i], leaves[leaves.size() - 1 - i], 8);  // behind the page number
  put_image(world, image);
  return leaves.size();
}

// A leaf page of the table that is none any more.
void break_leaf(const World& world, Table table) {
  Image image = image_of(world);
  image.octets().replace(image.leaf(table) * Image::kPageSize + 10, 2, 2, '\0');
  put_image(world, image);
}

// As of a file so large that its leaf pages are not looked at when it is opened.
DatabaseOptions large_file() {
  DatabaseOptions options;
  options.start_writer = false;
  options.page_extent = storage::PageExtent::kBranches;
  return options;
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
  ASSERT_GT(reverse_leaves(world, Table::kEntries), 5U);
  world.reopen(large_file());
  EXPECT_NE(world.verify_text().find("is not in order with the one before"), std::string::npos)
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
  ASSERT_GT(reverse_leaves(world, Table::kIndex), 5U);
  world.reopen(large_file());
  EXPECT_NE(world.verify_text(), "");
}

// What `kauri verify` does: opens in spite of the damage, and compares what is whole.
struct Verified {
  storage::PageReport pages;
  VerifyReport report;
  std::string text;
};
Verified verify_damaged(World& world) {
  Verified out;
  DatabaseOptions options;
  options.read_only = true;
  options.page_extent = storage::PageExtent::kWhole;
  options.page_report = &out.pages;
  world.reopen(options);
  const auto report = verify(world.database(), {}, out.pages);
  EXPECT_TRUE(report) << report.error().message();
  if (report) out.report = *report;
  for (const std::string& fault : out.report.faults) out.text += fault + "\n";
  return out;
}

std::string export_text(World& world) {
  std::string text;
  const auto count = export_ldif(world.database(), {}, [&](std::string_view part) {
    text += part;
    return Result<void>();
  });
  return count ? text : count.error().message();
}

Attributes group(int members) {
  std::vector<std::string> values;
  for (int i = 0; i < members; ++i)
    values.push_back("uid=person" + std::to_string(i) + ",ou=p,dc=example,dc=com");
  return {{"objectClass", {"groupOfNames"}}, {"cn", {"all"}}, {"member", values}};
}

const std::string kGroup = "cn=all,ou=p,dc=example,dc=com";

// Which tables are compared although another one has a broken page.
TEST(Damage, VerifyNamesThePageAndComparesTheRest) {
  struct Case {
    Table broken;
    const char* not_compared;
    std::uint64_t entries;
    bool index;
  };
  World world;
  world.add_fixture();
  add_people(world, 300);
  ASSERT_EQ(world.add(kGroup, group(600)), 0);
  const VerifyReport sound = verify(world.database(), {}).value();
  ASSERT_EQ(sound.fault_count, 0U) << world.verify_text();
  const std::string exported = export_text(world);
  world.close();
  const Image image = image_of(world);
  for (const Case& one : std::vector<Case>{
           {Table::kEntries, "table entries table dn table values table index\n", 0, false},
           {Table::kDn, "table dn\n", sound.entries, true},
           {Table::kIndex, "table index\n", sound.entries, false},
           {Table::kValues, "table values table index\n", sound.entries, false},
           {Table::kChanges, "table changes\n", sound.entries, true}}) {
    const std::string name(storage::table_name(one.broken));
    SCOPED_TRACE(name);
    put_image(world, image);
    break_leaf(world, one.broken);
    const Verified verified = verify_damaged(world);
    EXPECT_NE(verified.text.find("(table " + name + "): it should be a leaf page"),
              std::string::npos);
    const std::string expected =
        std::string("not compared, because of damage: ") + one.not_compared;
    EXPECT_NE(verified.text.find(expected), std::string::npos) << verified.text;
    EXPECT_EQ(verified.report.fault_count, 1U) << verified.text;
    EXPECT_EQ(verified.report.entries, one.entries);
    EXPECT_EQ(verified.report.index_keys, one.index ? sound.index_keys : 0);
    world.close();
    // An export reads none of these but the entries and the values.
    DatabaseOptions options;
    options.read_only = true;
    options.page_extent = storage::PageExtent::kWhole;
    options.page_tables = tables_of_export({});
    options.path = world.path();
    const auto opened = Database::open(options, fixture_schema(), world.clock(), world.random());
    const bool needed = one.broken == Table::kEntries || one.broken == Table::kValues;
    ASSERT_EQ(opened.has_value(), !needed);
    if (needed) {
      EXPECT_EQ(opened.error().code(), ErrorCode::kCorruption);
      continue;
    }
    std::string text;
    ASSERT_TRUE(export_ldif(**opened, {}, [&](std::string_view part) {
      text += part;
      return Result<void>();
    }));
    EXPECT_EQ(text, exported);
  }
}

TEST(Damage, ABrokenMetaTableOpensNothing) {
  World world;
  world.add_fixture();
  world.close();
  break_leaf(world, Table::kMeta);
  storage::PageReport pages;
  DatabaseOptions options;
  options.path = world.path();
  options.read_only = true;
  options.page_report = &pages;
  const auto opened = Database::open(options, fixture_schema(), world.clock(), world.random());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), ErrorCode::kCorruption);
  EXPECT_EQ(pages.fault_count, 1U);
}

// A tool that only reads builds no indexes, though other ones are configured.
TEST(Damage, ReadOnlyOpeningsWriteNothing) {
  World world;
  world.add_fixture();
  world.close();
  const std::string before = storage::read_file(data_file(world));
  DatabaseOptions options;
  options.read_only = true;
  options.indexes = {{"description", index::IndexKinds{.equality = true}}};
  world.reopen(options);
  EXPECT_EQ(world.verify_text(), "");
  world.close();
  EXPECT_EQ(storage::read_file(data_file(world)), before);
  DatabaseOptions none;
  none.read_only = true;
  none.create = true;
  none.path = world.path() + "/none";
  const auto missing = Database::open(none, fixture_schema(), world.clock(), world.random());
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code(), ErrorCode::kNotFound);
}

// A database that only looks empty must not be replaced by an import.
TEST(Damage, ImportDoesNotTakeADamagedDatabaseForAnEmptyOne) {
  World world;
  world.add_fixture();
  world.close();
  Image image = image_of(world);
  const std::size_t place = image.tree_place(Table::kEntries);
  image.store<std::uint64_t>(place + 32, 0);  // records
  put_image(world, image);
  const std::string ldif = world.path() + "/in.ldif";
  storage::write_file(ldif, "dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n");
  ImportOptions options;
  options.database.path = world.path();
  options.files = {ldif};
  const auto report = import_ldif(options, fixture_schema(), world.clock(), world.random(), {});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code(), ErrorCode::kCorruption) << report.error().message();
  EXPECT_EQ(storage::read_file(data_file(world)), image.octets());
}

// Everybody who reads all values of a large attribute finds that some were lost.
TEST(Damage, LostLargeValuesAreNotServedAsAll) {
  World world;
  world.add_fixture();
  ASSERT_EQ(world.add(kGroup, group(600)), 0);
  const EntryId id = world.outcome().id;
  AttributeNumber number;
  {
    auto txn = std::move(world.database().env().begin_write().value());
    auto cursor = std::move(txn->cursor(Table::kValues).value());
    ASSERT_TRUE(cursor->first().value());
    number = AttributeNumber(load_big_endian<std::uint32_t>(cursor->key().substr(8)));
    const std::string key(cursor->key());
    ASSERT_TRUE(txn->erase(Table::kValues, key).value());
    ASSERT_TRUE(txn->commit());
  }
  auto session = std::move(world.database().read_session().value());
  ASSERT_TRUE(session->begin());
  const auto view = session->entry(id);
  ASSERT_TRUE(view && *view);
  const entry::AttributeSlot slot = *(*view)->find(number);
  const auto all = [](void*, std::string_view) { return true; };
  const auto one = [](void*, std::string_view) { return false; };
  const Result<void> walked = session->external().for_each(id, slot, all, nullptr);
  ASSERT_FALSE(walked);
  EXPECT_EQ(walked.error().code(), ErrorCode::kCorruption);
  EXPECT_NE(walked.error().message().find("599 values, and the entry says 600"), std::string::npos)
      << walked.error().message();
  // Whoever stops early has not asked for all.
  EXPECT_TRUE(session->external().for_each(id, slot, one, nullptr));
  session.reset();

  EXPECT_NE(export_text(world).find("599 values, and the entry says 600"), std::string::npos);
  EXPECT_NE(world.verify_text().find("599 values, and the entry says 600"), std::string::npos);
  const auto built = reindex(world.database(), {"member"}, {});
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code(), ErrorCode::kCorruption) << built.error().message();
  EXPECT_EQ(world.modify(kGroup, {replaced("member", {kA})}), 80);
  EXPECT_EQ(world.erase(kGroup), 80);
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
