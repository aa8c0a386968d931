#include "kaurid/demo.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "backend/offline.h"
#include "backend/read_session.h"
#include "kaurid/setup.h"
#include "ldap/dn.h"
#include "schema/dn_normal.h"
#include "security/password.h"
#include "text/ascii.h"

namespace kauri::kaurid {
namespace {

struct Person {
  std::string_view uid;
  std::string_view given_name;
  std::string_view surname;
  std::string_view title;
  std::string_view department;
  std::string_view manager;  // uid; empty for the head of the company
};

constexpr std::array<Person, 12> kPeople = {{
    {"alice", "Alice", "Archer", "Managing Director", "Management", ""},
    {"bob", "Bob", "Baker", "Head of Engineering", "Engineering", "alice"},
    {"carol", "Carol", "Carter", "Head of Sales", "Sales", "alice"},
    {"dave", "Dave", "Draper", "Systems Engineer", "Engineering", "bob"},
    {"erin", "Erin", "Eaton", "Software Engineer", "Engineering", "bob"},
    {"frank", "Frank", "Fisher", "Software Engineer", "Engineering", "bob"},
    {"grace", "Grace", "Gardner", "Quality Engineer", "Engineering", "bob"},
    {"heidi", "Heidi", "Hunter", "Account Manager", "Sales", "carol"},
    {"ivan", "Ivan", "Irving", "Account Manager", "Sales", "carol"},
    {"judy", "Judy", "Jordan", "Accountant", "Finance", "alice"},
    {"mallory", "Mallory", "Mason", "Auditor", "Finance", "judy"},
    {"oscar", "Oscar", "Olsen", "Office Manager", "Management", "alice"},
}};

struct Group {
  std::string_view name;
  std::string_view description;
  std::string_view members;  // uids, one blank between
};

constexpr std::array<Group, 4> kGroups = {{
    {"everyone", "All employees",
     "alice bob carol dave erin frank grace heidi ivan judy mallory oscar"},
    {"engineering", "Engineering department", "bob dave erin frank grace"},
    {"sales", "Sales department", "carol heidi ivan"},
    {"directory-admins", "May administer accounts", "dave"},
}};

struct Service {
  std::string_view name;
  std::string_view description;
};

constexpr std::array<Service, 3> kServices = {{
    {"mail", "Mail server: looks up addresses and groups"},
    {"wiki", "Wiki: authenticates its users"},
    {"backup", "Backup: reads everything each night"},
}};

constexpr int kFirstUidNumber = 10001;
constexpr int kStaffGidNumber = 20001;

Result<std::string> password_line(std::string_view name, Random& random) {
  KAURI_TRY(const std::string hash,
            security::hash_password(std::string(name) + "-demo", security::PasswordScheme::kSsha512,
                                    random));
  return "userPassword: " + hash + "\n";
}

Result<std::string> suffix_entry(const std::string& suffix) {
  KAURI_TRY(const ldap::Dn dn, ldap::parse_dn(suffix));
  if (dn.rdns.empty()) return invalid("the demonstration tree needs a suffix that is not empty");
  const ldap::Ava& naming = dn.rdns.front().avas.front();
  std::string type = naming.type;
  for (char& octet : type) octet = text::to_lower(octet);
  std::string classes;
  if (type == "dc") {
    classes = "objectClass: organization\nobjectClass: dcObject\no: Example Company\n";
  } else if (type == "o") {
    classes = "objectClass: organization\n";
  } else if (type == "ou") {
    classes = "objectClass: organizationalUnit\n";
  } else if (type == "c") {
    classes = "objectClass: country\n";
  } else {
    return invalid("the demonstration tree cannot be loaded below " + suffix +
                   ": its suffix must begin with dc, o, ou or c");
  }
  return "dn: " + suffix + "\nobjectClass: top\n" + classes + type + ": " + naming.value +
         "\ndescription: Demonstration tree of Kauri\n\n";
}

std::string unit(std::string_view name, const std::string& suffix, std::string_view description) {
  std::string out = "dn: ou=" + std::string(name) + "," + suffix;
  out += "\nobjectClass: top\nobjectClass: organizationalUnit\nou: " + std::string(name);
  out += "\ndescription: " + std::string(description) + "\n\n";
  return out;
}

std::string person_dn(std::string_view uid, const std::string& suffix) {
  return "uid=" + std::string(uid) + ",ou=people," + suffix;
}

Result<std::string> person(const Person& who, int number, const std::string& suffix,
                           Random& random) {
  const std::string uid(who.uid);
  const std::string name = std::string(who.given_name) + " " + std::string(who.surname);
  std::string out = "dn: " + person_dn(uid, suffix) +
                    "\nobjectClass: top\nobjectClass: person\nobjectClass: organizationalPerson\n"
                    "objectClass: inetOrgPerson\nobjectClass: posixAccount\n";
  out += "uid: " + uid + "\ncn: " + name + "\ngivenName: " + std::string(who.given_name);
  out += "\nsn: " + std::string(who.surname) + "\ndisplayName: " + name;
  out += "\nmail: " + uid + "@example.com\ntitle: " + std::string(who.title);
  out += "\ndepartmentNumber: " + std::string(who.department);
  out += "\nemployeeNumber: " + std::to_string(number - kFirstUidNumber + 1);
  out += "\ntelephoneNumber: +1 555 01" + std::to_string(number - kFirstUidNumber + 10);
  out += "\nuidNumber: " + std::to_string(number) +
         "\ngidNumber: " + std::to_string(kStaffGidNumber) + "\nhomeDirectory: /home/" + uid +
         "\nloginShell: /bin/bash\n";
  if (!who.manager.empty()) out += "manager: " + person_dn(who.manager, suffix) + "\n";
  KAURI_TRY(const std::string password, password_line(uid, random));
  return out + password + "\n";
}

template <class Handler>
void for_each_word(std::string_view words, Handler&& handler) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    handler(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

std::string groups(const std::string& suffix) {
  std::string out;
  for (const Group& group : kGroups) {
    out += "dn: cn=" + std::string(group.name) + ",ou=groups," + suffix;
    out += "\nobjectClass: top\nobjectClass: groupOfNames\ncn: " + std::string(group.name);
    out += "\ndescription: " + std::string(group.description) + "\n";
    for_each_word(group.members,
                  [&](std::string_view uid) { out += "member: " + person_dn(uid, suffix) + "\n"; });
    out += "\n";
  }
  out += "dn: cn=staff,ou=groups," + suffix +
         "\nobjectClass: top\nobjectClass: posixGroup\ncn: staff\ngidNumber: " +
         std::to_string(kStaffGidNumber) + "\ndescription: Unix group of all employees\n";
  for_each_word(kGroups.front().members,
                [&](std::string_view uid) { out += "memberUid: " + std::string(uid) + "\n"; });
  return out + "\n";
}

struct Existing {
  bool filled = false;
  std::string suffix;
};

Result<Existing> look_at(const backend::DatabaseOptions& options,
                         const std::shared_ptr<const schema::Schema>& schema, Clock& clock,
                         Random& random) {
  if (!database_exists(options.path)) {
    return Existing{false, options.suffix.empty() ? kDefaultSuffix : options.suffix};
  }
  backend::DatabaseOptions reading = options;
  reading.create = false;
  reading.start_writer = false;
  KAURI_TRY(const auto database, backend::Database::open(reading, schema, clock, random));
  KAURI_TRY(const ldap::Dn dn, ldap::parse_dn(database->suffix()));
  KAURI_TRY(const auto normal_rdns, schema::normalize_rdns(*schema, dn));
  KAURI_TRY(const auto session, database->read_session());
  KAURI_CHECK(session->begin());
  KAURI_TRY(const backend::Resolution resolution, session->resolve(normal_rdns));
  session->end();
  return Existing{resolution.id.has_value(), database->suffix()};
}

Result<void> write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) return Error(ErrorCode::kIo, "cannot write " + path);
  return {};
}

}  // namespace

Result<std::string> demo_ldif(const std::string& suffix, Random& random) {
  KAURI_TRY(std::string out, suffix_entry(suffix));
  out += unit("people", suffix, "Employees");
  out += unit("groups", suffix, "Groups of employees");
  out += unit("services", suffix, "Accounts of programs");
  int number = kFirstUidNumber;
  for (const Person& who : kPeople) {
    KAURI_TRY(const std::string entry, person(who, number++, suffix, random));
    out += entry;
  }
  out += groups(suffix);
  for (const Service& service : kServices) {
    KAURI_TRY(const std::string password, password_line(service.name, random));
    out += "dn: cn=" + std::string(service.name) + ",ou=services," + suffix +
           "\nobjectClass: top\nobjectClass: applicationProcess\n"
           "objectClass: simpleSecurityObject\ncn: " +
           std::string(service.name) + "\ndescription: " + std::string(service.description) + "\n" +
           password + "\n";
  }
  return out;
}

Result<bool> load_demo(const backend::DatabaseOptions& database,
                       const std::shared_ptr<const schema::Schema>& schema, Clock& clock,
                       Random& random) {
  KAURI_TRY(const Existing existing, look_at(database, schema, clock, random));
  if (existing.filled) return false;
  KAURI_TRY(const std::string ldif, demo_ldif(existing.suffix, random));
  const std::string file = database.path + ".demo.ldif";
  KAURI_CHECK(write_file(file, ldif));
  backend::ImportOptions options;
  options.database = database;
  options.database.create = true;
  options.files = {file};
  options.threads = 1;
  std::string first_reject;
  options.reject = [&first_reject](const backend::Reject& reject) {
    if (first_reject.empty()) first_reject = reject.dn + ": " + reject.reason;
  };
  const auto report =
      backend::import_ldif(options, schema, clock, random, [&random](std::string_view value) {
        return security::stored_password(value, security::PasswordScheme::kSsha512, random);
      });
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  if (!report) return report.error();
  if (report->rejected > 0) {
    return Error(ErrorCode::kInternal, "the demonstration tree was not taken: " + first_reject);
  }
  return true;
}

}  // namespace kauri::kaurid
