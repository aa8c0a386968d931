#include "backend/testing/world.h"

#include <gtest/gtest.h>

#include <atomic>

#include "ldap/dn.h"
#include "schema/dn_normal.h"

namespace kauri::backend {

Attributes person(const std::string& name) {
  return {{"objectClass", {"inetOrgPerson", "kAux"}}, {"cn", {name}}, {"sn", {name}}};
}

Change added(std::string attribute, std::vector<std::string> values) {
  return {ldap::ModifyOperation::kAdd, std::move(attribute), std::move(values)};
}
Change deleted(std::string attribute, std::vector<std::string> values) {
  return {ldap::ModifyOperation::kDelete, std::move(attribute), std::move(values)};
}
Change replaced(std::string attribute, std::vector<std::string> values) {
  return {ldap::ModifyOperation::kReplace, std::move(attribute), std::move(values)};
}
Change incremented(std::string attribute, std::string by) {
  return {ldap::ModifyOperation::kIncrement, std::move(attribute), {std::move(by)}};
}

World::World(DatabaseOptions options, Clock* clock)
    : options_(std::move(options)), clock_used_(clock == nullptr ? &clock_ : clock) {
  path_ = directory_.path() + "/db";
  reopen(options_);
}

World::~World() = default;

void World::reopen() {
  reopen(options_);
}

void World::reopen(DatabaseOptions options) {
  database_.reset();
  options_ = options;
  options.path = path_;
  options.create = true;
  options.durability = storage::Durability::kRelaxed;
  if (options.suffix.empty()) options.suffix = kSuffix;
  options.wrap_env = [this](std::unique_ptr<storage::Env> env) {
    return storage::make_fault_env(std::move(env), faults_);
  };
  auto opened = Database::open(options, fixture_schema(), *clock_used_, random_);
  ASSERT_TRUE(opened) << opened.error().message();
  database_ = std::move(*opened);
}

TargetName World::name(const std::string& dn) {
  TargetName name;
  auto parsed = ldap::parse_dn(dn);
  EXPECT_TRUE(parsed) << dn << ": " << parsed.error().message();
  name.dn = *parsed;
  auto normal = schema::normalize_rdns(*fixture_schema(), *parsed);
  EXPECT_TRUE(normal) << dn << ": " << normal.error().message();
  name.normal_rdns = *normal;
  return name;
}

std::unique_ptr<WriteRequest> World::add_request(const std::string& dn,
                                                 const Attributes& attributes) {
  AddOperation add;
  add.target = name(dn);
  for (const auto& [text, values] : attributes) {
    auto description = fixture_schema()->attribute_description(text);
    EXPECT_TRUE(description) << text;
    add.attributes.push_back({*description, values});
  }
  auto request = std::make_unique<WriteRequest>();
  request->operation = std::move(add);
  return request;
}

std::unique_ptr<WriteRequest> World::delete_request(const std::string& dn) {
  auto request = std::make_unique<WriteRequest>();
  request->operation = DeleteOperation{name(dn)};
  return request;
}

std::unique_ptr<WriteRequest> World::modify_request(const std::string& dn,
                                                    const std::vector<Change>& changes,
                                                    bool permissive) {
  ModifyOperationRequest modify;
  modify.target = name(dn);
  modify.permissive = permissive;
  for (const Change& change : changes) {
    auto description = fixture_schema()->attribute_description(change.attribute);
    EXPECT_TRUE(description) << change.attribute;
    modify.modifications.push_back({change.operation, *description, change.values});
  }
  auto request = std::make_unique<WriteRequest>();
  request->operation = std::move(modify);
  return request;
}

std::unique_ptr<WriteRequest> World::rename_request(const std::string& dn,
                                                    const std::string& new_rdn, bool delete_old,
                                                    const std::string& new_superior) {
  ModifyDnOperation rename;
  rename.target = name(dn);
  auto rdn = ldap::parse_rdn(new_rdn);
  EXPECT_TRUE(rdn) << new_rdn;
  rename.new_rdn = *rdn;
  auto normal = schema::normalize_rdn(*fixture_schema(), *rdn);
  EXPECT_TRUE(normal) << new_rdn;
  if (normal) rename.new_normal_rdn = *normal;
  rename.delete_old_rdn = delete_old;
  if (!new_superior.empty()) rename.new_superior = name(new_superior);
  auto request = std::make_unique<WriteRequest>();
  request->operation = std::move(rename);
  return request;
}

int World::add(const std::string& dn, const Attributes& attributes) {
  return run(add_request(dn, attributes));
}
int World::erase(const std::string& dn) {
  return run(delete_request(dn));
}
int World::modify(const std::string& dn, const std::vector<Change>& changes, bool permissive) {
  return run(modify_request(dn, changes, permissive));
}
int World::rename(const std::string& dn, const std::string& new_rdn, bool delete_old,
                  const std::string& new_superior) {
  return run(rename_request(dn, new_rdn, delete_old, new_superior));
}

namespace {

std::unique_ptr<query::Authorizer> everything() {
  return std::make_unique<query::AllowAll>(
      query::Identity{"cn=admin,dc=example,dc=com", "admin", true});
}

}  // namespace

int World::run(std::unique_ptr<WriteRequest> request) {
  request->authorizer = make_authorizer_ ? make_authorizer_() : everything();
  last_ = database_->execute(std::move(request));
  return static_cast<int>(last_.result.code);
}

void World::add_all(const std::vector<std::pair<std::string, Attributes>>& entries) {
  struct Counts {
    std::atomic<std::size_t> done{0};
    std::atomic<std::size_t> failed{0};
  };
  const auto counts = std::make_shared<Counts>();  // a completion may end after the wait for it
  const auto wait_for_another = [&](std::size_t submitted) {
    if (const std::size_t seen = counts->done.load(); seen < submitted) counts->done.wait(seen);
  };
  for (std::size_t i = 0; i < entries.size(); ++i) {
    auto request = add_request(entries[i].first, entries[i].second);
    request->authorizer = everything();
    request->completion = [counts](WriteOutcome&& outcome) {
      if (!outcome.result.ok()) counts->failed.fetch_add(1);
      counts->done.fetch_add(1);
      counts->done.notify_one();
    };
    Database::Submitted submitted = database_->submit(request);
    for (; submitted == Database::Submitted::kQueueFull; submitted = database_->submit(request))
      wait_for_another(i);
    ASSERT_EQ(submitted, Database::Submitted::kYes);
  }
  while (counts->done.load() < entries.size()) wait_for_another(entries.size());
  EXPECT_EQ(counts->failed.load(), 0U);
}

std::optional<std::map<std::string, std::multiset<std::string>>> World::read(const std::string& dn,
                                                                             bool operational) {
  auto session = database_->read_session();
  EXPECT_TRUE(session);
  EXPECT_TRUE((*session)->begin());
  const auto resolution = (*session)->resolve(name(dn).normal_rdns);
  EXPECT_TRUE(resolution) << resolution.error().message();
  if (!resolution->id) return std::nullopt;
  const auto view = (*session)->entry(*resolution->id);
  EXPECT_TRUE(view) << view.error().message();
  EXPECT_TRUE(*view);
  std::map<std::string, std::multiset<std::string>> out;
  for (std::size_t i = 0; i < (*view)->attribute_count(); ++i) {
    const entry::AttributeSlot slot = (*view)->attribute(i);
    if (slot.operational && !operational) continue;
    auto& values = out[std::string(database_->dictionary().text(slot.number))];
    if (slot.external) {
      EXPECT_TRUE((*session)->external().for_each(
          *resolution->id, slot,
          [](void* context, std::string_view value) {
            static_cast<std::multiset<std::string>*>(context)->emplace(value);
            return true;
          },
          &values));
    } else {
      for (const std::string_view value : slot.values) values.emplace(value);
    }
  }
  return out;
}

std::multiset<std::string> World::values(const std::string& dn, const std::string& attribute) {
  auto entry = read(dn, true);
  EXPECT_TRUE(entry) << dn;
  return entry ? (*entry)[attribute] : std::multiset<std::string>();
}

std::string World::shown_dn(const std::string& dn) {
  auto session = database_->read_session();
  EXPECT_TRUE((*session)->begin());
  const auto resolution = (*session)->resolve(name(dn).normal_rdns);
  if (!resolution || !resolution->id) return "";
  return *(*session)->dn(*resolution->id);
}

std::string World::verify_text() {
  const auto report = verify(*database_, {});
  if (!report) return report.error().message();
  std::string text;
  for (const std::string& fault : report->faults) text += fault + "\n";
  return text;
}

void World::add_fixture() {
  for (const schema::testing::FixtureEntry& one : schema::testing::fixture_entries())
    EXPECT_EQ(add(one.dn, one.attributes), 0) << one.dn << ": " << last().diagnostic;
}

}  // namespace kauri::backend
