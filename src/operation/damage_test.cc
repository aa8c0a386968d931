// What clients are told of an entry whose key has a wrong bit on the disk: the names and indexes
// that lead to it are whole, so it is not missing, and no answer may say so.
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

}  // namespace
}  // namespace kauri::operation::testing
