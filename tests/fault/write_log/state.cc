#include "state.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "backend/core.h"
#include "backend/large_values.h"
#include "backend/offline.h"
#include "base/clock.h"
#include "base/endian.h"
#include "base/random.h"

namespace kauri::write_log {
namespace {

constexpr const char* kSuffix = "dc=example,dc=com";
constexpr std::string_view kMemberTail = ",ou=members,dc=example,dc=com";
constexpr std::string_view kSwing = "swing-";
constexpr std::size_t kBaseMembers = 4000;
constexpr int kWriters = 8;

// User attributes by name. No attribute of the load has options.
using Attributes = std::map<std::string, std::vector<std::string>, std::less<>>;

struct One {
  std::uint64_t parent = 0;
  Attributes attributes;
  const std::string& first(std::string_view name) const {
    static const std::string kEmpty;
    const auto found = attributes.find(name);
    return found == attributes.end() || found->second.empty() ? kEmpty : found->second.front();
  }
  bool is(std::string_view object_class) const {
    const auto found = attributes.find("objectClass");
    return found != attributes.end() && std::find(found->second.begin(), found->second.end(),
                                                  object_class) != found->second.end();
  }
};

Result<std::vector<std::string>> read_external(storage::Txn& txn, EntryId id,
                                               AttributeNumber number) {
  std::vector<std::string> values;
  const std::string prefix = backend::value_prefix(id, number);
  KAURI_TRY(const auto cursor, txn.cursor(storage::Table::kValues));
  KAURI_TRY(bool found, cursor->seek(prefix));
  while (found && cursor->key().starts_with(prefix)) {
    values.emplace_back(cursor->value());
    KAURI_TRY(found, cursor->next());
  }
  return values;
}

Result<std::map<std::uint64_t, One>> read_entries(backend::Core& core) {
  std::map<std::uint64_t, One> entries;
  KAURI_TRY(const std::unique_ptr<storage::ReadTxn> txn, core.env->begin_read());
  KAURI_TRY(const auto cursor, txn->cursor(storage::Table::kEntries));
  KAURI_TRY(bool found, cursor->first());
  while (found) {
    const EntryId id(load_big_endian<std::uint64_t>(cursor->key()));
    KAURI_TRY(const entry::EntryView view, backend::parse_entry(core, id, cursor->value()));
    One& one = entries[id.value()];
    one.parent = view.parent().value();
    for (std::size_t i = 0; i < view.attribute_count(); ++i) {
      const entry::AttributeSlot slot = view.attribute(i);
      auto& values = one.attributes[std::string(core.dictionary->text(slot.number))];
      if (slot.external) {
        KAURI_TRY(values, read_external(*txn, id, slot.number));
      } else {
        for (const std::string_view value : slot.values) values.emplace_back(value);
      }
    }
    KAURI_TRY(found, cursor->next());
  }
  return entries;
}

class Reader {
 public:
  Reader(const std::map<std::uint64_t, One>& entries, Examined& out)
      : entries_(entries), out_(out) {}
  void read() {
    for (const auto& [id, one] : entries_) {
      if (one.is("inetOrgPerson")) person(one);
      if (one.is("organizationalUnit") && one.first("ou") != "crash")
        add("b:" + one.first("description"), one.first("ou"));
      if (one.is("groupOfNames")) group(one);
    }
  }

 private:
  void fault(std::string text) { out_.faults.push_back(std::move(text)); }
  void add(const std::string& key, std::string state) {
    if (!out_.states.emplace(key, std::move(state)).second) fault(key + ": it is there twice");
  }
  void person(const One& one);
  void group(const One& one);

  const std::map<std::uint64_t, One>& entries_;
  Examined& out_;
};

void Reader::person(const One& one) {
  const std::string& name = one.first("employeeNumber");
  const std::string& counter = one.first("description");
  const auto box = entries_.find(one.parent);
  add("e:" + name, one.first("uid") + "|" + counter + "|" +
                       (box == entries_.end() ? "?" : box->second.first("description")));
  if (one.first("title") != name + " " + counter ||
      one.first("mail") != name + "." + counter + "@example.com" ||
      one.first("telephoneNumber") != "+64 " + counter)
    fault("e:" + name + ": half changed: its counter is " + counter +
          ", and its other values tell another");
}

// The number of a member "cn=OWNER-NUMBER,ou=members,..."; its owner into `owner`.
std::optional<unsigned> member_number(std::string_view value, std::string& owner) {
  if (!value.starts_with("cn=") || !value.ends_with(kMemberTail)) return std::nullopt;
  value = value.substr(3, value.size() - 3 - kMemberTail.size());
  const std::size_t dash = value.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  owner = value.substr(0, dash);
  unsigned number = 0;
  const std::string_view digits = value.substr(dash + 1);
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != digits.data() + digits.size()) return std::nullopt;
  return number;
}

std::string join(const std::set<unsigned>& numbers) {
  std::string text;
  for (const unsigned number : numbers) {
    if (!text.empty()) text += ',';
    text += std::to_string(number);
  }
  return text;
}

void Reader::group(const One& one) {
  std::map<std::string, std::set<unsigned>> owners;
  std::size_t others = 0;
  if (const auto members = one.attributes.find("member"); members != one.attributes.end()) {
    for (const std::string& value : members->second) {
      std::string owner;
      if (const auto number = member_number(value, owner)) {
        owners[owner].insert(*number);
      } else {
        ++others;
      }
    }
  }
  const std::string& name = one.first("cn");
  if (name.starts_with(kSwing)) {
    const std::string owner = name.substr(kSwing.size());
    add("s:" + owner, join(owners[owner]));
    if (others != 1 || owners.size() != 1) fault(name + ": it has members of others");
    return;
  }
  if (owners["base"].size() != kBaseMembers || others != 0)
    fault(name + ": the members that nobody changes have changed");
  for (int i = 0; i < kWriters; ++i) {
    const std::string owner = "w" + std::to_string(i);
    add("l:" + owner, join(owners[owner]));
  }
}

}  // namespace

Result<Examined> examine(const std::string& directory,
                         const std::shared_ptr<const schema::Schema>& schema) {
  backend::DatabaseOptions options;
  options.path = directory;
  // As a server that starts: where nothing was promised yet there may be nothing, and it is made.
  options.suffix = kSuffix;
  options.create = true;
  options.start_writer = false;
  KAURI_TRY(const std::unique_ptr<backend::Database> database,
            backend::Database::open(options, schema, Clock::system(), Random::system()));
  KAURI_TRY(backend::VerifyReport report, backend::verify(*database, {}));
  Examined out;
  out.faults = std::move(report.faults);
  KAURI_TRY(const auto entries, read_entries(database->core()));
  Reader(entries, out).read();
  return out;
}

}  // namespace kauri::write_log
