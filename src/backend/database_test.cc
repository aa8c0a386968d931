// Opening, indexes that change, large attributes, the change log, names in snapshots, access,
// faults, threads.
#include "backend/database.h"

#include <gtest/gtest.h>

#include "backend/change_log.h"
#include "backend/core.h"
#include "backend/large_values.h"
#include "backend/meta.h"
#include "backend/testing/world.h"
#include "index/index_keys.h"
#include "index/posting.h"
#include "ldap/dn.h"
#include "schema/dn_normal.h"

namespace kauri::backend {
namespace {

std::string normal_value(const std::string& attribute, const std::string& value) {
  return value_identity(*fixture_schema(), *fixture_schema()->attribute_type(attribute), value);
}

std::uint64_t postings(World& world, const std::string& attribute, const std::string& value) {
  auto txn = world.database().env().begin_read();
  const schema::AttributeType* type = fixture_schema()->attribute_type(attribute);
  const auto number = world.database().dictionary().find({type, {}});
  if (!number) return 0;
  return *index::posting_count(**txn, index::equality_key(*number, normal_value(attribute, value)));
}

bool usable(World& world, const std::string& attribute) {
  const index::IndexDefinition* found =
      world.database().indexes().find(*fixture_schema()->attribute_type(attribute));
  return found != nullptr && found->usable;
}

// --- Opening ---

TEST(Database, NeedsToBeThere) {
  storage::TestDirectory directory;
  DatabaseOptions options;
  options.path = directory.path() + "/none";
  options.suffix = kSuffix;
  SeededRandom random(1);
  const auto opened = Database::open(options, fixture_schema(), Clock::system(), random);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), ErrorCode::kNotFound);
}

TEST(Database, KeepsItsSuffix) {
  World world;
  world.add_fixture();
  EXPECT_EQ(world.database().suffix(), kSuffix);
  EXPECT_EQ(world.database().suffix_rdn_count(), 2U);
  world.close();
  DatabaseOptions options;
  options.path = world.path();
  options.suffix = "DC=Example, DC=COM";
  {
    const auto opened = Database::open(options, fixture_schema(), world.clock(), world.random());
    EXPECT_TRUE(opened) << opened.error().message();
  }
  options.suffix = "dc=other";
  const auto other = Database::open(options, fixture_schema(), world.clock(), world.random());
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code(), ErrorCode::kInvalid);
}

TEST(Database, RefusesAnUnknownFormat) {
  World world;
  {
    auto txn = world.database().env().begin_write();
    ASSERT_TRUE((*txn)->put(storage::Table::kMeta, "format", std::string_view("\0\0\0\x09", 4)));
    ASSERT_TRUE((*txn)->commit());
  }
  world.close();
  DatabaseOptions options;
  options.path = world.path();
  const auto opened = Database::open(options, fixture_schema(), world.clock(), world.random());
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), ErrorCode::kInvalid);
  EXPECT_NE(opened.error().message().find("version 9"), std::string::npos);
}

TEST(Database, SurvivesReopening) {
  World world;
  world.add_fixture();
  const std::string csn = world.database().context_csn();
  world.clock().set_wall_micros(1'000'000'000'000'000);  // years back
  world.reopen();
  EXPECT_EQ(world.database().context_csn(), csn);
  EXPECT_EQ(world.modify(kA, {replaced("description", {"x"})}), 0);
  EXPECT_GT(world.outcome().csn, csn);
  EXPECT_EQ(world.add("uid=n,ou=p,dc=example,dc=com", person("n")), 0);
  EXPECT_EQ(world.outcome().id, EntryId(6));
  EXPECT_EQ(world.verify_text(), "");
}

// --- Indexes that change ---

TEST(Indexes, AreBuiltAndDroppedAtOpening) {
  World world;
  world.add_fixture();
  EXPECT_EQ(postings(world, "kInt", "9"), 0U);
  DatabaseOptions options;
  options.indexes = {{"uid", {true, true, true}}, {"kExact", {false, true, false}}};
  world.reopen(options);
  EXPECT_TRUE(usable(world, "uid"));
  EXPECT_FALSE(usable(world, "cn"));
  EXPECT_EQ(postings(world, "uid", "a"), 1U);
  EXPECT_EQ(postings(world, "cn", "a"), 0U);
  EXPECT_EQ(world.verify_text(), "");
  options.indexes = {{"cn", {false, true, false}}};
  world.reopen(options);
  EXPECT_EQ(postings(world, "uid", "a"), 0U);
  EXPECT_EQ(postings(world, "cn", "a"), 1U);
  EXPECT_EQ(world.verify_text(), "");
}

TEST(Indexes, AreBuiltAgainAfterAFailure) {
  World world;
  world.add_fixture();
  DatabaseOptions options;
  options.indexes = {{"cn", {false, true, false}}, {"uid", {false, true, true}}};
  options.path = world.path();
  options.suffix = kSuffix;
  const auto plan = world.faults();
  options.wrap_env = [&](std::unique_ptr<storage::Env> env) {
    return storage::make_fault_env(std::move(env), plan);
  };
  world.close();
  bool done = false;
  for (std::uint64_t n = 1; !done; ++n) {
    plan->clear();
    plan->fail(storage::FaultPoint::kWrite, n, ErrorCode::kNoSpace);
    const std::uint64_t failures = plan->failures();
    {
      const auto opened = Database::open(options, fixture_schema(), world.clock(), world.random());
      done = plan->failures() == failures;
      EXPECT_EQ(opened.has_value(), done);
    }
    plan->clear();
    // A tool without a writer takes the database as it is: nothing half-built is usable.
    DatabaseOptions tool = options;
    tool.indexes.clear();
    tool.start_writer = false;
    const auto opened = Database::open(tool, fixture_schema(), world.clock(), world.random());
    ASSERT_TRUE(opened) << opened.error().message();
    const auto report = verify(**opened, {});
    ASSERT_TRUE(report) << report.error().message();
    EXPECT_EQ(report->fault_count, 0U) << report->faults.front();
    ASSERT_LT(n, 10'000U);
  }
  world.reopen(options);
  EXPECT_EQ(postings(world, "cn", "a"), 1U);
  EXPECT_EQ(world.verify_text(), "");
}

TEST(Indexes, OfOtherRulesAreNotRead) {
  World world;
  world.add_fixture();
  const auto number =
      world.database().dictionary().find({fixture_schema()->attribute_type("cn"), {}});
  {
    auto txn = world.database().env().begin_write();
    // As if the schema had said caseExactMatch when the index was made.
    ASSERT_TRUE(
        write_index(**txn, {*number, {false, true, true}, IndexState::kUsable, "2.5.13.5,"}));
    ASSERT_TRUE((*txn)->commit());
  }
  world.close();
  DatabaseOptions options;
  options.path = world.path();
  options.start_writer = false;
  {
    const auto opened = Database::open(options, fixture_schema(), world.clock(), world.random());
    ASSERT_TRUE(opened) << opened.error().message();
    EXPECT_FALSE((*opened)->indexes().find(*fixture_schema()->attribute_type("cn"))->usable);
    EXPECT_TRUE((*opened)->indexes().find(*fixture_schema()->attribute_type("sn"))->usable);
  }
  world.reopen();
  EXPECT_TRUE(usable(world, "cn"));
  EXPECT_EQ(world.verify_text(), "");
}

TEST(Indexes, ReindexRepairs) {
  World world;
  world.add_fixture();
  const auto number =
      world.database().dictionary().find({fixture_schema()->attribute_type("uid"), {}});
  {
    auto txn = world.database().env().begin_write();
    ASSERT_TRUE(*index::erase_posting(**txn, index::equality_key(*number, normal_value("uid", "a")),
                                      EntryId(3)));
    ASSERT_TRUE(*index::insert_posting(
        **txn, index::equality_key(*number, normal_value("uid", "zz")), EntryId(3)));
    ASSERT_TRUE((*txn)->commit());
  }
  EXPECT_NE(world.verify_text(), "");
  world.database().stop();
  const auto done = reindex(world.database(), {"uid"}, {});
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(world.verify_text(), "");
  EXPECT_FALSE(reindex(world.database(), {"nosuch"}, {}));
  EXPECT_FALSE(reindex(world.database(), {"pager"}, {}));
}

// --- Verify finds faults ---

TEST(Verify, FindsWhatDoesNotFit) {
  const auto damage = [](const std::function<void(storage::WriteTxn&)>& change) {
    World world;
    world.add_fixture();
    auto txn = world.database().env().begin_write();
    change(**txn);
    EXPECT_TRUE((*txn)->commit());
    txn->reset();
    return world.verify_text();
  };
  EXPECT_EQ(damage([](storage::WriteTxn&) {}), "");
  EXPECT_NE(damage([](storage::WriteTxn& txn) {
              ASSERT_TRUE(*txn.erase(storage::Table::kEntries, entry_key(EntryId(3))));
            }),
            "");
  EXPECT_NE(damage([](storage::WriteTxn& txn) {
              ASSERT_TRUE(index::put_counts(txn, EntryId(2), {2, 2}));
            }),
            "");
  EXPECT_NE(damage([](storage::WriteTxn& txn) {
              ASSERT_TRUE(index::put_child(txn, EntryId(3), "cn=ghost", EntryId(9)));
            }),
            "");
  EXPECT_NE(damage([](storage::WriteTxn& txn) {
              const std::string rdn =
                  *schema::normalize_rdn(*fixture_schema(), *ldap::parse_rdn("uid=a"));
              ASSERT_TRUE(index::erase_child(txn, EntryId(2), rdn));
              ASSERT_FALSE(*index::find_child(txn, EntryId(2), rdn));
            }),
            "");
  EXPECT_NE(damage([](storage::WriteTxn& txn) {
              std::vector<LargeValue> values = {
                  {value_key(EntryId(3), AttributeNumber(1), "identity"), "value"}};
              ASSERT_TRUE(put_large_values(txn, values));
            }),
            "");
  EXPECT_NE(damage([](storage::WriteTxn& txn) {
              ASSERT_TRUE(*txn.erase(storage::Table::kChanges, change_key(2)));
            }),
            "");
  EXPECT_NE(damage([](storage::WriteTxn& txn) {
              const auto record = *txn.get(storage::Table::kEntries, entry_key(EntryId(4)));
              std::string octets(*record);
              octets.back() = static_cast<char>(octets.back() ^ 1);
              ASSERT_TRUE(txn.put(storage::Table::kEntries, entry_key(EntryId(4)), octets));
            }),
            "");
}

// --- Large attributes ---

class LargeGroup : public ::testing::Test {
 protected:
  static constexpr int kMembers = 1500;
  void SetUp() override {
    DatabaseOptions options;
    options.indexes = {{"member", {true, true, false}}, {"memberUid", {true, true, true}}};
    world_ = std::make_unique<World>(options);
    world_->add_fixture();
    std::vector<std::string> members;
    for (int i = 0; i < kMembers; ++i) members.push_back(member(i));
    ASSERT_EQ(world_->add(kGroup, {{"objectClass", {"groupOfNames"}}, {"member", members}}), 0);
  }
  void TearDown() override { EXPECT_EQ(world_->verify_text(), ""); }
  static std::string member(int i) { return "uid=u" + std::to_string(i) + "," + kPeople; }
  bool external() {
    auto session = *world_->database().read_session();
    EXPECT_TRUE(session->begin());
    const auto at = session->resolve(world_->name(kGroup).normal_rdns);
    const auto view = session->entry(*at->id);
    return (*view)->has_external();
  }
  const std::string kGroup = "cn=g,ou=p,dc=example,dc=com";
  std::unique_ptr<World> world_;
};

TEST_F(LargeGroup, OneValueAtATime) {
  EXPECT_TRUE(external());
  EXPECT_EQ(world_->values(kGroup, "member").size(), static_cast<std::size_t>(kMembers));
  const std::uint64_t writes = world_->faults()->calls(storage::FaultPoint::kWrite);
  EXPECT_EQ(world_->modify(kGroup, {added("member", {"UID=new," + kPeople})}), 0);
  EXPECT_EQ(world_->modify(kGroup, {added("member", {"uid=NEW," + kPeople})}), 20);
  EXPECT_EQ(world_->modify(kGroup, {deleted("member", {member(7)})}), 0);
  EXPECT_EQ(world_->modify(kGroup, {deleted("member", {member(7)})}), 16);
  // Two changes of one value write a few records each, not the values that stay.
  EXPECT_LT(world_->faults()->calls(storage::FaultPoint::kWrite) - writes, 60U);
  EXPECT_EQ(world_->values(kGroup, "member").size(), static_cast<std::size_t>(kMembers));
  EXPECT_EQ(world_->verify_text(), "");
  EXPECT_EQ(world_->modify(
                kGroup, {deleted("member", {member(8)}), added("member", {"UID=U8," + kPeople})}),
            0);
  EXPECT_TRUE(world_->values(kGroup, "member").contains("UID=U8," + kPeople));
}

TEST_F(LargeGroup, ComesBackIntoTheRecord) {
  std::vector<std::string> gone;
  for (int i = 0; i < kMembers - 150; ++i) gone.push_back(member(i));
  EXPECT_EQ(world_->modify(kGroup, {deleted("member", gone)}), 0);
  EXPECT_TRUE(external());  // 150: stays where it is
  EXPECT_EQ(world_->verify_text(), "");
  gone.clear();
  for (int i = kMembers - 150; i < kMembers - 100; ++i) gone.push_back(member(i));
  EXPECT_EQ(world_->modify(kGroup, {deleted("member", gone)}), 0);
  EXPECT_FALSE(external());
  EXPECT_EQ(world_->values(kGroup, "member").size(), 100U);
  std::vector<std::string> more;
  for (int i = 0; i < 101; ++i) more.push_back(member(i));
  EXPECT_EQ(world_->modify(kGroup, {added("member", more)}), 0);
  EXPECT_TRUE(external());
  EXPECT_EQ(world_->modify(kGroup, {replaced("member", {kA})}), 0);
  EXPECT_FALSE(external());
  EXPECT_EQ(world_->values(kGroup, "member"), std::multiset<std::string>{kA});
}

TEST_F(LargeGroup, RequiredAndDeleted) {
  EXPECT_EQ(world_->modify(kGroup, {deleted("member")}), 65);
  EXPECT_EQ(world_->modify(kGroup, {replaced("description", {"x"})}), 0);
  EXPECT_TRUE(external());
  EXPECT_EQ(world_->rename(kGroup, "cn=h", true), 0);
  EXPECT_EQ(world_->erase("cn=h,ou=p,dc=example,dc=com"), 0);
  auto txn = world_->database().env().begin_read();
  EXPECT_EQ((*txn)->table_stats(storage::Table::kValues)->entries, 0U);
}

TEST_F(LargeGroup, SharedTrigramsStay) {
  const std::string dn = "cn=posix,ou=p,dc=example,dc=com";
  std::vector<std::string> members;
  for (int i = 0; i < 300; ++i) members.push_back("user" + std::to_string(i));
  EXPECT_EQ(
      world_->add(dn,
                  {{"objectClass", {"posixGroup"}}, {"gidNumber", {"5"}}, {"memberUid", members}}),
      0)
      << world_->last().diagnostic;
  EXPECT_EQ(world_->modify(dn, {deleted("memberUid", {"user7", "user299"})}), 0);
  EXPECT_EQ(world_->verify_text(), "");
  EXPECT_EQ(world_->modify(dn, {added("memberUid", {"somebody-else"})}), 0);
  EXPECT_EQ(world_->verify_text(), "");
  EXPECT_EQ(world_->modify(dn, {deleted("memberUid", {"somebody-else"})}), 0);
}

TEST_F(LargeGroup, NamingAttributesStayInTheRecord) {
  std::vector<std::string> names;
  for (int i = 0; i < 250; ++i) names.push_back("name" + std::to_string(i));
  EXPECT_EQ(world_->modify(kA, {added("description", names), added("cn", names)}), 0);
  EXPECT_EQ(world_->verify_text(), "");
  EXPECT_EQ(world_->rename(kA, "cn=name7", false), 0);
  EXPECT_EQ(world_->modify("cn=name7,ou=p,dc=example,dc=com", {deleted("cn", {"name7"})}), 67);
  EXPECT_EQ(world_->modify("cn=name7,ou=p,dc=example,dc=com", {deleted("cn", {"name8"})}), 0);
  EXPECT_EQ(world_->values("cn=name7,ou=p,dc=example,dc=com", "cn").size(), 250U);
}

// --- Change log ---

TEST(ChangeLog, SaysWhatChanged) {
  World world;
  world.add_fixture();
  EXPECT_EQ(world.modify(kA, {replaced("description", {"new"})}), 0);
  const std::string csn = world.outcome().csn;
  EXPECT_EQ(world.rename(kA, "uid=z", true, kSuffix), 0);
  EXPECT_EQ(world.erase("uid=z,dc=example,dc=com"), 0);
  auto txn = world.database().env().begin_read();
  const auto position = read_change_position(**txn);
  ASSERT_TRUE(position);
  EXPECT_EQ(position->next - position->first, 8U);
  const auto add = *read_change(**txn, position->first + 2);
  EXPECT_EQ(add->kind, ChangeKind::kAdd);
  EXPECT_EQ(add->dn, kA);
  const auto modify = *read_change(**txn, position->first + 5);
  EXPECT_EQ(modify->kind, ChangeKind::kModify);
  EXPECT_EQ(modify->csn, csn);
  EXPECT_EQ(modify->entry_uuid, add->entry_uuid);
  EXPECT_EQ(modify->attributes[0],
            (AttributeChange{"description", {"Babs   is a   big  fan"}, {"new"}}));
  const auto rename = *read_change(**txn, position->first + 6);
  EXPECT_EQ(rename->kind, ChangeKind::kModifyDn);
  EXPECT_EQ(rename->dn, kA);
  EXPECT_EQ(rename->new_dn, "uid=z,dc=example,dc=com");
  const auto erase = *read_change(**txn, position->first + 7);
  EXPECT_EQ(erase->kind, ChangeKind::kDelete);
  EXPECT_FALSE(*read_change(**txn, position->next));
}

TEST(ChangeLog, EachRecordNamesTheStateBeforeIt) {
  World world;
  world.add_fixture();
  EXPECT_EQ(world.modify(kA, {replaced("description", {"x"})}), 0);
  EXPECT_EQ(world.modify(kA, {added("description", {"x"})}), 20);  // refused: no record
  world.reopen();
  EXPECT_EQ(world.rename(kA, "uid=z", true), 0);
  auto txn = world.database().env().begin_read();
  const auto position = read_change_position(**txn);
  std::string state;
  for (std::uint64_t at = position->first; at < position->next; ++at) {
    const auto record = *read_change(**txn, at);
    EXPECT_EQ(record->previous_csn, state) << at;
    state = csn_after(*record);
  }
  EXPECT_EQ(state, world.database().context_csn());
}

TEST(ChangeLog, RecordsOfTheFirstVersionAreRead) {
  ChangeRecord record;
  record.csn = "20240101120000.000000Z#000001#002#000003";
  record.dn = kA;
  record.previous_csn.reset();
  const std::string octets = encode_change(record);
  EXPECT_EQ(octets[4], '\x01');
  EXPECT_EQ(*decode_change(octets), record);
  record.previous_csn = "20240101120000.000000Z#000000#002#000003";
  EXPECT_EQ(encode_change(record)[4], '\x02');
  EXPECT_EQ(*decode_change(encode_change(record)), record);
}

TEST(ChangeLog, AnImportedEntryMayMoveTheStateFurther) {
  ChangeRecord record;
  record.csn = "20240101120000.000000Z#000001#002#000003";
  record.attributes = {{"entryCSN", {}, {"20250101120000.000000Z#000001#002#000003"}}};
  EXPECT_EQ(csn_after(record), record.attributes[0].added[0]);
  record.attributes[0].added[0][3] = '3';
  EXPECT_EQ(csn_after(record), record.csn);
}

TEST(ChangeLog, IsBounded) {
  DatabaseOptions options;
  options.change_log_records_max = 3;
  World world(options);
  world.add_fixture();
  auto txn = world.database().env().begin_read();
  const auto position = read_change_position(**txn);
  EXPECT_EQ(position->first, 3U);
  EXPECT_EQ(position->next, 6U);
  EXPECT_EQ(world.verify_text(), "");
}

TEST(ChangeLog, DamagedRecordsAreErrors) {
  ChangeRecord record;
  record.kind = ChangeKind::kModify;
  record.csn = "20240101120000.000000Z#000001#002#000003";
  record.dn = kA;
  record.attributes = {{"description", {"a", "b"}, {}}, {"cn", {}, {""}}};
  const std::string octets = encode_change(record);
  EXPECT_EQ(*decode_change(octets), record);
  for (std::size_t size = 0; size < octets.size(); ++size)
    EXPECT_FALSE(decode_change(octets.substr(0, size))) << size;
  for (std::size_t at = 0; at < octets.size(); ++at) {
    std::string bad = octets;
    bad[at] = static_cast<char>(bad[at] ^ 0x40);
    EXPECT_FALSE(decode_change(bad)) << at;
  }
  EXPECT_FALSE(decode_change(octets + "x"));
}

// --- Names in snapshots ---

TEST(ReadSession, ResolvesAndNames) {
  World world;
  world.add_fixture();
  auto session = *world.database().read_session();
  ASSERT_TRUE(session->begin());
  const auto resolve = [&](const std::string& dn) {
    return *session->resolve(world.name(dn).normal_rdns);
  };
  EXPECT_EQ(resolve(kA).id, EntryId(3));
  EXPECT_EQ(resolve("uid=x,uid=y," + kPeople).deepest, EntryId(2));
  EXPECT_EQ(resolve("uid=x,uid=y," + kPeople).rdns_missing, 2U);
  EXPECT_EQ(*session->dn(EntryId(3)), kA);
  const auto view = *session->entry(EntryId(3));
  EXPECT_TRUE(*session->is_at_or_below(EntryId(3), *view, EntryId(1)));
  EXPECT_TRUE(*session->is_at_or_below(EntryId(3), *view, EntryId(3)));
  EXPECT_FALSE(*session->is_at_or_below(EntryId(3), *view, EntryId(4)));
  EXPECT_EQ(session->counts(EntryId(1))->descendants, 4U);
  EXPECT_EQ(session->counts(EntryId(2))->children, 3U);
  StoredTarget target(*session, EntryId(3), *view);
  EXPECT_EQ(target.normal_dn(), *session->normal_dn(EntryId(3)));
  EXPECT_FALSE(*session->entry(EntryId(99)));
}

TEST(ReadSession, SeesItsSnapshotOnly) {
  World world;
  world.add_fixture();
  auto session = *world.database().read_session();
  ASSERT_TRUE(session->begin());
  EXPECT_EQ(*session->dn(EntryId(3)), kA);
  ASSERT_EQ(world.rename(kPeople, "ou=q", true), 0);
  EXPECT_EQ(*session->dn(EntryId(3)), kA);
  EXPECT_EQ(session->resolve(world.name(kA).normal_rdns)->id, EntryId(3));
  session->end();
  ASSERT_TRUE(session->begin());
  EXPECT_EQ(*session->dn(EntryId(3)), "uid=a,ou=q,dc=example,dc=com");
  EXPECT_FALSE(session->resolve(world.name(kA).normal_rdns)->id);
}

TEST(ReadSession, ForgetsNamesOfEntriesThatWentAndCameBack) {
  World world;
  world.add_fixture();
  auto session = *world.database().read_session();
  const auto id_of = [&](const std::string& dn) {
    EXPECT_TRUE(session->begin());
    const auto found = session->resolve(world.name(dn).normal_rdns);
    session->end();
    return found->id ? found->id->value() : 0;
  };
  const std::string box = "ou=box,dc=example,dc=com";
  const std::string inside = "cn=in,ou=box,dc=example,dc=com";
  for (int round = 0; round < 5; ++round) {
    ASSERT_EQ(world.add(box, {{"objectClass", {"organizationalUnit"}}}), 0);
    const std::uint64_t box_id = world.outcome().id.value();
    ASSERT_EQ(world.add(inside, {{"objectClass", {"person"}}, {"sn", {"x"}}}), 0);
    const std::uint64_t inside_id = world.outcome().id.value();
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(id_of(inside), inside_id);
      EXPECT_EQ(id_of(box), box_id);
      ASSERT_TRUE(session->begin());
      EXPECT_EQ(*session->dn(EntryId(inside_id)), inside);
      session->end();
    }
    ASSERT_EQ(world.erase(inside), 0);
    if (round % 2 == 0) {
      ASSERT_EQ(world.erase(box), 0);
    } else {
      ASSERT_EQ(world.rename(box, "ou=other" + std::to_string(round), true), 0);
    }
    EXPECT_EQ(id_of(box), 0U);
  }
}

}  // namespace
}  // namespace kauri::backend
