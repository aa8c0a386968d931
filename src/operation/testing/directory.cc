#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "operation/testing/client.h"
#include "schema/schema_loader.h"
#include "security/password.h"

namespace kauri::operation::testing {
namespace {

// Types of fixture F under the documentation arc.
constexpr std::string_view kSchemaText = R"(
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
attributetype ( 1.3.6.1.4.1.32473.1.6 NAME 'kNum' EQUALITY numericStringMatch
  ORDERING numericStringOrderingMatch SUBSTR numericStringSubstringsMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.36 )
attributetype ( 1.3.6.1.4.1.32473.1.7 NAME 'kOct' EQUALITY octetStringMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 )
attributetype ( 1.3.6.1.4.1.32473.1.8 NAME 'kSingle' EQUALITY caseIgnoreMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
attributetype ( 1.3.6.1.4.1.32473.1.9 NAME 'kNoEq' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
attributetype ( 1.3.6.1.4.1.32473.1.10 NAME 'kBits' EQUALITY bitStringMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.6 )
objectclass ( 1.3.6.1.4.1.32473.2.1 NAME 'kAux' SUP top AUXILIARY
  MAY ( kInt $ kIntSub $ kTime $ kBool $ kExact $ kNum $ kOct $ kSingle $ kNoEq $ kBits ) )
)";

// Parsing the built-in schema takes a while; all tests share one snapshot.
std::shared_ptr<const schema::Schema> fixture_schema() {
  static const std::shared_ptr<const schema::Schema> kSchema = [] {
    schema::SchemaBuilder builder;
    builder.add_builtin();
    const auto added = builder.add_text(kSchemaText, "fixture");
    EXPECT_TRUE(added) << added.error().message();
    auto built = builder.build();
    EXPECT_TRUE(built) << built.error().message();
    return built ? *built : nullptr;
  }();
  return kSchema;
}

}  // namespace

Directory::Directory(const DirectoryOptions& options) {
  schema_ = fixture_schema();
  std::string pattern = (std::filesystem::temp_directory_path() / "kauri-op-XXXXXX").string();
  path_ = ::mkdtemp(pattern.data());
  Clock& clock = options.clock != nullptr ? *options.clock : Clock::system();

  std::vector<std::string> suffixes = {std::string(S)};
  suffixes.insert(suffixes.end(), options.further_suffixes.begin(), options.further_suffixes.end());
  ServiceOptions service;
  for (const std::string& suffix : suffixes) {
    backend::DatabaseOptions database;
    database.path = path_ + "/" + std::to_string(databases_.size());
    database.suffix = suffix;
    database.durability = storage::Durability::kRelaxed;
    database.indexes = options.indexes;
    database.create = true;
    auto opened = backend::Database::open(database, schema_, clock, Random::system());
    if (!opened) {
      ADD_FAILURE() << opened.error().message();
      std::abort();
    }
    service.databases.push_back(opened->get());
    databases_.push_back(std::move(*opened));
  }
  service.schema = schema_;
  if (options.rules.empty()) {
    service.access = security::AccessPolicy::defaults(schema_);
  } else {
    auto compiled = security::AccessPolicy::compile(options.rules, schema_);
    EXPECT_TRUE(compiled) << compiled.error().message();
    service.access = *compiled;
  }
  service.admin_dn = kAdmin;
  service.admin_password_hash =
      *security::hash_password(kAdminPassword, security::PasswordScheme::kSsha, Random::system());
  service.password_scheme = options.scheme;
  service.allow_cleartext_bind = options.allow_cleartext_bind;
  service.limits = options.limits;
  if (options.hash_pool) pool_ = std::make_unique<security::HashPool>(1);
  service.hash_pool = pool_.get();
  service.access_log = options.log;
  service.clock = &clock;
  auto made = Service::make(service);
  EXPECT_TRUE(made) << made.error().message();
  service_ = std::move(*made);
  auto worker = service_->worker_context();
  EXPECT_TRUE(worker) << worker.error().message();
  worker_ = std::move(*worker);
  if (options.fixture) load_fixture();
}

Directory::~Directory() {
  pool_.reset();
  for (auto& database : databases_) database->stop();
  executor_.run_ready();
  worker_.reset();
  service_.reset();
  databases_.clear();
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

Peer Directory::next_peer(bool loopback) {
  Peer peer;
  peer.connection = ++connections_;
  peer.address = loopback ? "127.0.0.1:1" : "192.0.2.1:1";
  peer.loopback = loopback;
  return peer;
}

Client Directory::client(bool loopback) {
  return {*this, next_peer(loopback)};
}

Client Directory::admin() {
  return {*this, next_peer(true), kAdmin, kAdminPassword};
}

Client Directory::user() {
  return {*this, next_peer(true), U, "pw-a"};
}

void DirectoryCase::add(std::string_view dn, std::string_view text,
                        const std::vector<ldap::Control>& controls) {
  const Reply reply = admin.add(dn, text, controls);
  ASSERT_EQ(reply.code, 0) << dn << ": " << reply.diagnostic;
}

std::string person(std::string_view more) {
  return std::string(kPerson) + std::string(more);
}

void Directory::load_fixture() {
  Client admin = this->admin();
  const auto add = [&](std::string_view dn, std::string_view text) {
    const Reply reply = admin.add(dn, text);
    EXPECT_EQ(reply.code, 0) << dn << ": " << reply.diagnostic;
  };
  constexpr std::string_view kPerson = "objectClass: inetOrgPerson\nobjectClass: kAux\n";
  add(S, "objectClass: organization\nobjectClass: dcObject\no: Example\ndc: example");
  add(P, "objectClass: organizationalUnit\nou: p");
  add(U, std::string(kPerson) +
             "uid: a\ncn: A\nsn: Sa\nmail: A@Example.com\ntelephoneNumber: +1 234-567\n"
             "description: Babs   is a   big  fan\nkInt: 9\nkTime: 20240101120000Z\nkBool: TRUE\n"
             "kNum: 1 2 3\nuserPassword: pw-a");
  add("uid=b,ou=p,dc=example,dc=com",
      std::string(kPerson) +
          "uid: b\ncn: B\nsn: Sb\ngivenName: Bob\nkInt: 10\nkTime: 20240101130000+0100");
  add("uid=c,ou=p,dc=example,dc=com",
      std::string(kPerson) +
          "uid: c\ncn: C\nsn: Sc\ngivenName;lang-en: Cee\nkInt: -5\nkExact: CaSe");
}

}  // namespace kauri::operation::testing
