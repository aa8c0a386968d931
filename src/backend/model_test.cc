// Random operations against a dumb model of a directory: a map from DN to attributes. A failure
// prints the seed.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "backend/testing/world.h"

namespace kauri::backend {
namespace {

using Values = std::set<std::string>;
using Entry = std::map<std::string, Values>;

// Names and values in lower case only, so that equality of octets is equality.
class Model {
 public:
  // By names from the root down: {"dc=example,dc=com", "ou=x", "cn=y"}.
  using Path = std::vector<std::string>;

  int add(const Path& path, const Entry& entry) {
    if (path.size() > 1 && !entries_.contains(parent(path))) return 32;
    if (path.size() == 1 && entries_.contains(path)) return 68;
    if (entries_.contains(path)) return 68;
    entries_[path] = entry;
    return 0;
  }
  int erase(const Path& path) {
    if (!entries_.contains(path)) return 32;
    if (has_children(path)) return 66;
    entries_.erase(path);
    return 0;
  }
  int add_values(const Path& path, const std::string& attribute,
                 const std::vector<std::string>& v) {
    if (!entries_.contains(path)) return 32;
    Entry copy = entries_[path];
    for (const std::string& value : v)
      if (!copy[attribute].insert(value).second) return 20;
    entries_[path] = copy;
    return 0;
  }
  int delete_values(const Path& path, const std::string& attribute,
                    const std::vector<std::string>& v) {
    if (!entries_.contains(path)) return 32;
    Entry copy = entries_[path];
    for (const std::string& value : v)
      if (copy[attribute].erase(value) == 0) return 16;
    if (copy[attribute].empty()) copy.erase(attribute);
    entries_[path] = copy;
    return 0;
  }
  int replace_values(const Path& path, const std::string& attribute,
                     const std::vector<std::string>& v) {
    if (!entries_.contains(path)) return 32;
    Entry copy = entries_[path];
    copy.erase(attribute);
    for (const std::string& value : v)
      if (!copy[attribute].insert(value).second) return 20;
    entries_[path] = copy;
    return 0;
  }
  int rename(const Path& path, const std::string& rdn, bool delete_old, const Path& superior) {
    if (!entries_.contains(path)) return 32;
    if (!superior.empty() && !entries_.contains(superior)) return 32;
    if (!superior.empty() && starts_with(superior, path)) return 53;
    if (path.size() == 1) return 53;
    Path target = superior.empty() ? parent(path) : superior;
    target.push_back(rdn);
    if (target != path && entries_.contains(target)) return 68;
    std::map<Path, Entry> moved;
    for (const auto& [one, entry] : entries_) {
      Path name = one;
      if (starts_with(one, path)) {
        name = target;
        name.insert(name.end(), one.begin() + static_cast<std::ptrdiff_t>(path.size()), one.end());
      }
      moved[name] = entry;
    }
    entries_ = moved;
    Entry& entry = entries_[target];
    if (delete_old && rdn != path.back()) entry["cn"].erase(path.back().substr(3));
    entry["cn"].insert(rdn.substr(3));
    return 0;
  }

  const std::map<Path, Entry>& entries() const { return entries_; }
  static std::string dn(const Path& path) {
    std::string text;
    for (const std::string& rdn : path) text = rdn + (text.empty() ? "" : "," + text);
    return text;
  }

 private:
  static Path parent(Path path) {
    path.pop_back();
    return path;
  }
  static bool starts_with(const Path& path, const Path& head) {
    return path.size() >= head.size() && std::equal(head.begin(), head.end(), path.begin());
  }
  bool has_children(const Path& path) const {
    for (const auto& [one, entry] : entries_)
      if (one.size() == path.size() + 1 && starts_with(one, path)) return true;
    return false;
  }
  std::map<Path, Entry> entries_;
};

class Driver {
 public:
  Driver(World& world, std::uint64_t seed) : world_(world), random_(seed) {}

  void step() {
    const Model::Path path = pick_path();
    switch (random_.next_u64() % 12) {
      case 0:
      case 1:
      case 2:
      case 3:
        return add(path);
      case 4:
        return check(path, world_.erase(Model::dn(path)), model_.erase(path), "delete");
      case 5:
        return rename(path);
      default:
        return modify(path);
    }
  }

  void compare() {
    for (const auto& [path, entry] : model_.entries()) {
      const auto stored = world_.read(Model::dn(path));
      ASSERT_TRUE(stored) << Model::dn(path);
      Entry values;
      for (const auto& [attribute, list] : *stored)
        if (attribute != "objectClass" && attribute != "sn" && attribute != "dc")
          values[attribute] = Values(list.begin(), list.end());
      ASSERT_EQ(values, entry) << Model::dn(path);
      ASSERT_EQ(world_.shown_dn(Model::dn(path)), Model::dn(path));
    }
    const auto report = verify(world_.database(), {});
    ASSERT_TRUE(report) << report.error().message();
    ASSERT_EQ(report->entries, model_.entries().size());
    ASSERT_EQ(world_.verify_text(), "");
  }

 private:
  std::string pick_name() { return "cn=n" + std::to_string(random_.next_u64() % 6); }

  Model::Path pick_path() {
    // Mostly an entry that is there or a child of one.
    Model::Path path = {"dc=example,dc=com"};
    if (!model_.entries().empty()) {
      auto at = model_.entries().begin();
      std::advance(at, static_cast<std::ptrdiff_t>(random_.next_u64() % model_.entries().size()));
      path = at->first;
    }
    if (random_.next_u64() % 2 == 0) path.push_back(pick_name());
    return path;
  }
  std::string pick_value() { return "v" + std::to_string(random_.next_u64() % 300); }

  void check(const Model::Path& path, int got, int expected, const char* what) {
    ASSERT_EQ(got, expected) << what << " " << Model::dn(path) << ": " << world_.last().diagnostic;
  }

  void add(const Model::Path& path) {
    Entry entry;
    Attributes attributes;
    if (path.size() == 1) {
      attributes = {{"objectClass", {"domain", "extensibleObject"}}};
    } else {
      attributes = {{"objectClass", {"person", "extensibleObject"}}, {"sn", {"s"}}};
      entry["cn"] = {path.back().substr(3)};
    }
    const std::vector<std::string> values = pick_values();
    if (!values.empty()) {
      attributes.push_back({"description", values});
      entry["description"] = Values(values.begin(), values.end());
    }
    check(path, world_.add(Model::dn(path), attributes), model_.add(path, entry), "add");
  }

  // Sometimes so many that they leave the record.
  std::vector<std::string> pick_values() {
    const std::uint64_t dice = random_.next_u64() % 16;
    const std::size_t count = dice == 0 ? 150 + random_.next_u64() % 100 : dice % 4;
    Values values;
    while (values.size() < count) values.insert(pick_value());
    return {values.begin(), values.end()};
  }

  void modify(const Model::Path& path) {
    const std::string dn = Model::dn(path);
    const std::vector<std::string> attributes = {"description", "memberUid", "givenName"};
    const std::string& attribute = attributes[random_.next_u64() % attributes.size()];
    const std::vector<std::string> values = pick_values();
    switch (random_.next_u64() % 3) {
      case 0:
        if (values.empty()) return;
        return check(path, world_.modify(dn, {added(attribute, values)}),
                     model_.add_values(path, attribute, values), "add values");
      case 1:
        if (values.empty()) return;
        return check(path, world_.modify(dn, {deleted(attribute, values)}),
                     expected_delete(path, attribute, values), "delete values");
      default:
        check(path, world_.modify(dn, {replaced(attribute, values)}),
              model_.replace_values(path, attribute, values), "replace");
    }
  }
  int expected_delete(const Model::Path& path, const std::string& attribute,
                      const std::vector<std::string>& values) {
    return model_.delete_values(path, attribute, values);
  }

  void rename(const Model::Path& path) {
    const std::string rdn = pick_name();
    const bool delete_old = random_.next_u64() % 2 == 0;
    Model::Path superior;
    if (random_.next_u64() % 2 == 0) superior = pick_path();
    check(path,
          world_.rename(Model::dn(path), rdn, delete_old,
                        superior.empty() ? "" : Model::dn(superior)),
          model_.rename(path, rdn, delete_old, superior), "rename");
  }

  World& world_;
  SeededRandom random_;
  Model model_;
};

class ModelTest : public ::testing::TestWithParam<int> {};

TEST_P(ModelTest, AgreesWithTheModel) {
  DatabaseOptions options;
  options.indexes = {{"cn", {true, true, true}},
                     {"description", {true, true, false}},
                     {"memberUid", {true, true, true}},
                     {"objectClass", {false, true, false}},
                     {"entryCSN", {false, true, false}}};
  options.change_log_records_max = 100;
  World world(options);
  Driver driver(world, static_cast<std::uint64_t>(GetParam()));
  for (int i = 0; i < 400; ++i) {
    driver.step();
    if (HasFatalFailure()) return;
    if (i % 100 == 99) driver.compare();
    if (HasFatalFailure()) return;
    if (i == 200) world.reopen();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ModelTest, ::testing::Range(1, 9));

}  // namespace
}  // namespace kauri::backend
