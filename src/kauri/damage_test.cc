// kauri verify, export, reindex and backup of damaged files, as a user runs them: what is said, and
// what can still be done.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/random.h"
#include "kauri/testing/command.h"
#include "kaurid/demo.h"
#include "storage/testing/image.h"

namespace kauri::tool {
namespace {

using nlohmann::json;
using storage::Image;
using storage::Table;
using testing::HasSubstr;

class DamageCommand : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    SeededRandom random(5);
    const std::string demo = file("demo.ldif", *kaurid::demo_ldif("dc=example,dc=com", random));
    ASSERT_EQ(run_command({"import", "--data", path("d"), demo}).status, 0);
    for (const auto& one : std::filesystem::recursive_directory_iterator(path("d")))
      if (one.path().filename() == "data.mdb") data_file_ = one.path().string();
    ASSERT_FALSE(data_file_.empty());
    exported_ = on("export").out;
  }
  CommandOutcome on(const std::string& command, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {command, "--data", path("d")});
    return run_command(more);
  }
  Image image() const { return Image(storage::read_file(data_file_)); }
  void put(const Image& image) const { storage::write_file(data_file_, image.octets()); }
  // The kind of a page that is none.
  void break_page(Table table) const {
    Image damaged = image();
    damaged.octets().replace(damaged.leaf(table) * Image::kPageSize + 10, 2, 2, '\0');
    put(damaged);
  }
  // One bit of the last record of the first leaf page, behind its key.
  void break_record(Table table) const {
    Image damaged = image();
    const std::uint64_t leaf = damaged.leaf(table);
    const std::string page = damaged.page(leaf);
    const std::size_t last = storage::page::nodes_of(page) - 1;
    const std::size_t place = damaged.node_place(leaf, last) + storage::page::kNodeHeaderSize +
                              storage::page::node_key(page, last).size();
    damaged.octets()[place] = static_cast<char>(damaged.octets()[place] ^ 1);
    put(damaged);
  }
  std::string data_file_;
  std::string exported_;
};

TEST_F(DamageCommand, VerifyNamesAPage) {
  break_page(Table::kIndex);
  const CommandOutcome plain = on("verify");
  EXPECT_EQ(plain.status, 1);
  EXPECT_THAT(plain.out, HasSubstr("(table index): it should be a leaf page"));
  EXPECT_THAT(plain.out, HasSubstr("not compared, because of damage: table index"));
  EXPECT_THAT(plain.out, HasSubstr(", 1 faults"));
  const CommandOutcome as_json = on("verify", {"--json"});
  EXPECT_EQ(as_json.status, 1);
  const json report = json::parse(as_json.out);
  EXPECT_EQ(report["fault_count"], 1);
  EXPECT_EQ(report["entries"], 24);
  EXPECT_EQ(report["index_keys"], 0);
}

TEST_F(DamageCommand, VerifyNamesARecord) {
  for (const Table table : {Table::kDn, Table::kIndex}) {
    const Image sound = image();
    break_record(table);
    const std::string name(storage::table_name(table));
    const CommandOutcome plain = on("verify");
    EXPECT_EQ(plain.status, 1);
    EXPECT_THAT(plain.out, HasSubstr("record in table " + name + ", key "));
    EXPECT_THAT(plain.out, HasSubstr("has a wrong checksum"));
    EXPECT_THAT(plain.out, HasSubstr(", 1 faults"));
    EXPECT_EQ(json::parse(on("verify", {"--json"}).out)["fault_count"], 1);
    put(sound);
  }
}

TEST_F(DamageCommand, NoTableToStartFrom) {
  break_page(Table::kMeta);
  const CommandOutcome verified = on("verify");
  EXPECT_EQ(verified.status, 1);
  EXPECT_THAT(verified.out, HasSubstr("(table meta): it should be a leaf page"));
  const CommandOutcome exported = on("export");
  EXPECT_EQ(exported.status, 1);
  EXPECT_EQ(exported.out, "");
  EXPECT_THAT(exported.err, HasSubstr("(table meta): it should be a leaf page"));
}

TEST_F(DamageCommand, ARecordOfTheTableThatSaysWhatTheDatabaseIs) {
  break_record(Table::kMeta);
  for (const char* command : {"verify", "export", "reindex"}) {
    const CommandOutcome outcome = on(command);
    EXPECT_EQ(outcome.status, 1) << command;
    EXPECT_THAT(outcome.err, HasSubstr("record in table meta, key ")) << command;
    EXPECT_EQ(outcome.out, "") << command;
  }
}

// It reads neither names nor indexes.
TEST_F(DamageCommand, ExportLeavesOutWhatItDoesNotNeed) {
  const Image sound = image();
  for (const Table table : {Table::kDn, Table::kIndex}) {
    break_page(table);
    EXPECT_EQ(on("export").out, exported_);
    put(sound);
    break_record(table);
    EXPECT_EQ(on("export").out, exported_);
    put(sound);
  }
}

TEST_F(DamageCommand, ExportOfADamagedEntryLeavesNoFile) {
  break_record(Table::kEntries);
  const CommandOutcome exported = on("export", {"--output", path("out.ldif")});
  EXPECT_EQ(exported.status, 1);
  EXPECT_FALSE(std::filesystem::exists(path("out.ldif")));
  EXPECT_FALSE(std::filesystem::exists(path("out.ldif.partial")));
  EXPECT_THAT(exported.err, HasSubstr("record in table entries, key "));
  EXPECT_THAT(on("verify").out, HasSubstr("record in table entries, key "));
}

// Keys stay in order, and the entry is whole; but nobody who looks for it would find it.
TEST_F(DamageCommand, AnEntryUnderAnotherNumber) {
  Image damaged = image();
  const std::uint64_t leaf =
      damaged.leaf(Table::kEntries, damaged.tree(Table::kEntries).leaf_pages - 1);
  const std::size_t last = storage::page::nodes_of(damaged.page(leaf)) - 1;
  const std::size_t place = damaged.node_place(leaf, last) + storage::page::kNodeHeaderSize + 6;
  damaged.octets()[place] = static_cast<char>(damaged.octets()[place] ^ 1);
  put(damaged);
  for (const char* command : {"export", "backup"}) {
    const std::vector<std::string> target = {command == std::string("backup") ? "--to" : "--output",
                                             path("made")};
    const CommandOutcome outcome = on(command, target);
    EXPECT_EQ(outcome.status, 1) << command;
    EXPECT_THAT(outcome.err, HasSubstr("record in table entries, key ")) << command;
    EXPECT_THAT(outcome.err, HasSubstr("run verify")) << command;
    EXPECT_FALSE(std::filesystem::exists(path("made"))) << command;
    EXPECT_FALSE(std::filesystem::exists(path("made.partial"))) << command;
  }
  const CommandOutcome verified = on("verify");
  EXPECT_EQ(verified.status, 1);
  EXPECT_THAT(verified.out, HasSubstr("record in table entries, key "));
}

TEST_F(DamageCommand, AnIndexIsMadeAnewFromDamage) {
  break_record(Table::kIndex);
  const CommandOutcome refused = on("backup", {"--to", path("b")});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.err, HasSubstr("record in table index, key "));
  EXPECT_FALSE(std::filesystem::exists(path("b")));
  EXPECT_EQ(on("reindex").status, 0);
  EXPECT_EQ(on("verify").status, 0);
  EXPECT_EQ(on("export").out, exported_);
}

TEST_F(DamageCommand, AnotherFormat) {
  Image other = image();
  const std::string key = "format";
  other.octets()[other.record_place(Table::kMeta, key) + key.size() + 3] = 1;
  put(other);
  for (const char* command : {"verify", "export", "reindex"}) {
    const CommandOutcome outcome = on(command);
    EXPECT_EQ(outcome.status, 1) << command;
    EXPECT_THAT(outcome.err, HasSubstr("format version 1 and this program knows version 3"));
  }
}

}  // namespace
}  // namespace kauri::tool
