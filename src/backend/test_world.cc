#include "backend/test_world.h"

#include <gtest/gtest.h>

#include "ldap/dn.h"
#include "schema/dn_normal.h"
#include "schema/schema_loader.h"

namespace kauri::backend {
namespace {

constexpr std::string_view kFixtureSchema = R"(
attributetype ( 1.3.6.1.4.1.32473.1.1 NAME 'kInt' EQUALITY integerMatch
  ORDERING integerOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 )
attributetype ( 1.3.6.1.4.1.32473.1.2 NAME 'kIntSub' SUP kInt )
attributetype ( 1.3.6.1.4.1.32473.1.3 NAME 'kTime' EQUALITY generalizedTimeMatch
  ORDERING generalizedTimeOrderingMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.24 )
attributetype ( 1.3.6.1.4.1.32473.1.4 NAME 'kBool' EQUALITY booleanMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.7 )
attributetype ( 1.3.6.1.4.1.32473.1.5 NAME 'kExact' EQUALITY caseExactMatch
  ORDERING caseExactOrderingMatch SUBSTR caseExactSubstringsMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
attributetype ( 1.3.6.1.4.1.32473.1.8 NAME 'kSingle' EQUALITY caseIgnoreMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
attributetype ( 1.3.6.1.4.1.32473.1.9 NAME 'kNoEq' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
objectclass ( 1.3.6.1.4.1.32473.2.1 NAME 'kAux' SUP top AUXILIARY
  MAY ( kInt $ kIntSub $ kTime $ kBool $ kExact $ kSingle $ kNoEq ) )
)";

}  // namespace

std::shared_ptr<const schema::Schema> test_schema() {
  static const std::shared_ptr<const schema::Schema> kSchema = [] {
    schema::SchemaBuilder builder;
    builder.add_builtin();
    const auto added = builder.add_text(kFixtureSchema, "fixture");
    EXPECT_TRUE(added) << added.error().message();
    auto built = builder.build();
    EXPECT_TRUE(built) << built.error().message();
    return *built;
  }();
  return kSchema;
}

World::World(DatabaseOptions options) : options_(std::move(options)) {
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
  if (options.suffix.empty()) options.suffix = "dc=example,dc=com";
  options.wrap_env = [this](std::unique_ptr<storage::Env> env) {
    return storage::make_fault_env(std::move(env), faults_);
  };
  auto opened = Database::open(options, test_schema(), clock_, random_);
  ASSERT_TRUE(opened) << opened.error().message();
  database_ = std::move(*opened);
}

TargetName World::name(const std::string& dn) {
  TargetName name;
  auto parsed = ldap::parse_dn(dn);
  EXPECT_TRUE(parsed) << dn << ": " << parsed.error().message();
  name.dn = *parsed;
  auto normal = schema::normalize_rdns(*test_schema(), *parsed);
  EXPECT_TRUE(normal) << dn << ": " << normal.error().message();
  name.normal_rdns = *normal;
  return name;
}

std::unique_ptr<WriteRequest> World::add_request(const std::string& dn,
                                                 const Attributes& attributes) {
  AddOperation add;
  add.target = name(dn);
  for (const auto& [text, values] : attributes) {
    auto description = test_schema()->attribute_description(text);
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
    auto description = test_schema()->attribute_description(change.attribute);
    EXPECT_TRUE(description) << change.attribute;
    const auto kind = change.kind == "add"       ? ldap::ModifyOperation::kAdd
                      : change.kind == "delete"  ? ldap::ModifyOperation::kDelete
                      : change.kind == "replace" ? ldap::ModifyOperation::kReplace
                                                 : ldap::ModifyOperation::kIncrement;
    modify.modifications.push_back({kind, *description, change.values});
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
  auto normal = schema::normalize_rdn(*test_schema(), *rdn);
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

int World::run(std::unique_ptr<WriteRequest> request) {
  if (make_authorizer_) {
    request->authorizer = make_authorizer_();
  } else {
    request->authorizer = std::make_unique<query::AllowAll>(
        query::Identity{"cn=admin,dc=example,dc=com", "admin", true});
  }
  last_ = database_->execute(std::move(request));
  return static_cast<int>(last_.result.code);
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
          *resolution->id, slot.number,
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
  const std::vector<std::string> classes = {"inetOrgPerson", "kAux"};
  EXPECT_EQ(add("dc=example,dc=com", {{"objectClass", {"domain"}}, {"dc", {"example"}}}), 0);
  EXPECT_EQ(add("ou=p,dc=example,dc=com", {{"objectClass", {"organizationalUnit"}}}), 0);
  EXPECT_EQ(add("uid=a,ou=p,dc=example,dc=com", {{"objectClass", classes},
                                                 {"uid", {"a"}},
                                                 {"cn", {"A"}},
                                                 {"sn", {"Sa"}},
                                                 {"mail", {"A@Example.com"}},
                                                 {"telephoneNumber", {"+1 234-567"}},
                                                 {"description", {"Babs   is a   big  fan"}},
                                                 {"kInt", {"9"}},
                                                 {"kTime", {"20240101120000Z"}},
                                                 {"kBool", {"TRUE"}}}),
            0)
      << last().diagnostic;
  EXPECT_EQ(add("uid=b,ou=p,dc=example,dc=com", {{"objectClass", classes},
                                                 {"uid", {"b"}},
                                                 {"cn", {"B"}},
                                                 {"sn", {"Sb"}},
                                                 {"givenName", {"Bob"}},
                                                 {"kInt", {"10"}}}),
            0);
  EXPECT_EQ(add("uid=c,ou=p,dc=example,dc=com", {{"objectClass", classes},
                                                 {"uid", {"c"}},
                                                 {"cn", {"C"}},
                                                 {"sn", {"Sc"}},
                                                 {"givenName;lang-en", {"Cee"}},
                                                 {"kInt", {"-5"}}}),
            0);
}

}  // namespace kauri::backend
