// What clients are told of an entry whose key has a wrong bit on the disk: the names and indexes
// that lead to it are whole, so it is not missing, and no answer may say so. Nor is it the entry
// whose number it got.
#include <gtest/gtest.h>

#include <fstream>

#include "backend/testing/world.h"
#include "operation/testing/client.h"
#include "storage/testing/image.h"

namespace kauri::operation::testing {
namespace {

using ldap::Scope;

const std::string kLost = "uid=lost," + std::string(P);

// Under the running directory, as a disk would do it.
void damage_key_of_last_entry(backend::World& world) {
  auto session = std::move(world.database().read_session().value());
  ASSERT_TRUE(session->begin());
  std::uint64_t id = 1;
  while (session->entry(EntryId(id + 1)).value().has_value()) ++id;
  ASSERT_EQ(session->entry(EntryId(id)).value()->rdn(), "uid=lost");
  session->end();
  std::string key(8, '\0');
  key[6] = static_cast<char>(id >> 8U);
  key[7] = static_cast<char>(id);
  const std::string file = world.path() + "/data.mdb";
  const storage::Image image(storage::read_file(file));
  const std::size_t place = image.record_place(storage::Table::kEntries, key) + 6;
  std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
  out.seekp(static_cast<std::streamoff>(place));
  out.put(static_cast<char>(key[6] ^ 0x40));  // still the greatest
}

TEST(Damage, AnEntryThatNamesLeadToIsNotMissing) {
  constexpr int kOther = static_cast<int>(ldap::ResultCode::kOther);
  DirectoryOptions options;
  index::IndexSpec sn;
  sn.attribute = "sn";
  sn.kinds.equality = true;
  options.indexes = {sn};
  Directory directory(options);
  Client admin = directory.admin();
  ASSERT_EQ(admin.add(kLost, person("uid: lost\ncn: lost\nuserPassword: secret\n")).code, 0);
  ASSERT_EQ(admin.compare(kLost, "cn", "lost").code, 6);
  damage_key_of_last_entry(directory.world());

  EXPECT_EQ(admin.search(kLost, Scope::kBase, "(objectClass=*)").code, kOther);
  EXPECT_EQ(admin.search(P, Scope::kOneLevel, "(objectClass=*)").code, kOther);
  EXPECT_EQ(admin.search(P, Scope::kSubtree, "(sn=x)").code, kOther);
  EXPECT_EQ(admin.compare(kLost, "cn", "lost").code, kOther);
  EXPECT_EQ(admin.modify(kLost, {replaced("cn", {"found"})}).code, kOther);
  EXPECT_EQ(admin.remove(kLost).code, kOther);
  EXPECT_EQ(directory.client().bind(kLost, "secret").code, kOther);
  // What does not lead there is answered.
  EXPECT_EQ(admin.search(U, Scope::kBase, "(objectClass=*)").entries.size(), 1U);
}

// LMDB halves a page until it meets the key that it looks for. Who stands in the middle is met
// first, so that an entry which gets the number of its neighbour is found in that one's place.
TEST(Damage, AnEntryUnderTheNumberOfAnotherIsNotTaken) {
  constexpr int kOther = static_cast<int>(ldap::ResultCode::kOther);
  Directory directory;
  Client admin = directory.admin();
  const auto name = [](int i) { return "uid=crowd" + std::to_string(i) + "," + std::string(P); };
  for (int i = 0; i < 20; ++i) {
    const std::string uid = "crowd" + std::to_string(i);
    ASSERT_EQ(
        admin.add(name(i), person("uid: " + uid + "\ncn: " + uid + "\nuserPassword: " + uid + "\n"))
            .code,
        0);
  }
  const std::string file = directory.world().path() + "/data.mdb";
  const std::string sound = storage::read_file(file);
  const storage::Image image(sound);
  const std::uint64_t leaf =
      image.leaf(storage::Table::kEntries, image.tree(storage::Table::kEntries).leaf_pages - 1);
  const std::string page = image.page(leaf);
  const std::size_t middle = (storage::page::nodes_of(page) - 1) / 2;
  const std::size_t last_octet =
      image.node_place(leaf, middle) + storage::page::kNodeHeaderSize + 7;
  std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
  out.seekp(static_cast<std::streamoff>(last_octet));
  out.put(static_cast<char>(sound[last_octet] ^ 1));
  out.close();

  int failed = 0;
  for (int i = 0; i < 20; ++i) {
    const auto found = admin.search(name(i), Scope::kBase, "(objectClass=*)");
    if (found.code == kOther) {
      ++failed;
      EXPECT_EQ(directory.client().bind(name(i), "crowd" + std::to_string(i)).code, kOther);
    } else {
      ASSERT_EQ(found.code, 0);
      ASSERT_EQ(found.entries.size(), 1U);
      EXPECT_EQ(found.entries[0].dn, name(i));
    }
    for (const int other : {i - 1, i + 1})
      EXPECT_NE(directory.client().bind(name(i), "crowd" + std::to_string(other)).code, 0);
  }
  EXPECT_GE(failed, 1);
  EXPECT_EQ(admin.search(P, Scope::kOneLevel, "(uid=crowd*)").code, kOther);
}

}  // namespace
}  // namespace kauri::operation::testing
