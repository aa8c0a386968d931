#include <gtest/gtest.h>

#include "operation/testing/client.h"
#include "security/password.h"

namespace kauri::operation::testing {

Directory::Directory(const DirectoryOptions& options) {
  Clock& clock = options.clock != nullptr ? *options.clock : Clock::system();
  std::vector<std::string> suffixes = {std::string(S)};
  suffixes.insert(suffixes.end(), options.further_suffixes.begin(), options.further_suffixes.end());
  ServiceOptions service;
  for (const std::string& suffix : suffixes) {
    backend::DatabaseOptions database;
    database.suffix = suffix;
    database.indexes = options.indexes;
    worlds_.push_back(std::make_unique<backend::World>(database, &clock));
    service.databases.push_back(&worlds_.back()->database());
  }
  service.schema = schema();
  if (options.rules.empty()) {
    service.access = security::AccessPolicy::defaults(schema());
  } else {
    auto compiled = security::AccessPolicy::compile(options.rules, schema());
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
  for (auto& world : worlds_) world->database().stop();
  executor_.run_ready();
  worker_.reset();
  service_.reset();
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

void Directory::add_people(int count, const backend::Attributes& more) {
  std::vector<std::pair<std::string, backend::Attributes>> people;
  for (int i = 0; i < count; ++i) {
    const std::string name = "n" + std::to_string(i);
    auto& [dn, attributes] =
        people.emplace_back("uid=" + name + "," + std::string(P), backend::person(name));
    attributes.insert(attributes.end(), more.begin(), more.end());
  }
  world().add_all(people);
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
  for (const schema::testing::FixtureEntry& one : schema::testing::fixture_entries()) {
    std::string text;
    for (const auto& [name, values] : one.attributes)
      for (const std::string& value : values) text.append(name).append(": ").append(value) += '\n';
    const Reply reply = admin.add(one.dn, text);
    EXPECT_EQ(reply.code, 0) << one.dn << ": " << reply.diagnostic;
  }
}

}  // namespace kauri::operation::testing
