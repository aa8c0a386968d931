#include "operation/testing/model_directory.h"

#include <algorithm>

#include "ldap/result_code.h"

namespace kauri::operation::testing {
namespace {

using ldap::ModifyOperation;
using ldap::ResultCode;

constexpr int code(ResultCode result) {
  return static_cast<int>(result);
}

Expected only(ResultCode result) {
  return {{code(result)}, {}, {}};
}

void add_all(std::set<int>& into, const std::set<int>& more) {
  into.insert(more.begin(), more.end());
}

}  // namespace

const std::vector<std::string>& model_access_rules() {
  static const std::vector<std::string> kRules = {
      "to attrs=userPassword by anonymous auth by * none", "to attrs=kExact by * none",
      "to dn.subtree=\"" + std::string(kModelHidden) + "\" by * none",
      "to * by users read by * search"};
  return kRules;
}

// --- Names ---

std::optional<std::string> ModelDirectory::normal_rdn(std::string_view text) {
  std::vector<std::string> all;
  while (true) {
    const std::size_t plus = text.find('+');
    const std::string_view one = text.substr(0, plus);
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos) return std::nullopt;
    const TypeFacts* type = type_named(one.substr(0, equals));
    // What cannot be compared cannot name anything.
    if (type == nullptr || type->form == Form::kNoRule) return std::nullopt;
    const auto value = normal_value(*type, one.substr(equals + 1));
    if (!value) return std::nullopt;
    all.push_back(lower(type->name) + "=" + *value);
    if (plus == std::string_view::npos) break;
    text.remove_prefix(plus + 1);
  }
  std::sort(all.begin(), all.end());
  std::string out;
  for (const std::string& one : all) out += (out.empty() ? "" : "+") + one;
  return out;
}

std::vector<ModelDirectory::Naming> ModelDirectory::naming_of(std::string_view rdn) {
  std::vector<Naming> out;
  rdn = rdn.substr(0, rdn.find(','));  // the suffix entry has its whole name
  while (true) {
    const std::size_t plus = rdn.find('+');
    const std::string_view one = rdn.substr(0, plus);
    const std::size_t equals = one.find('=');
    out.push_back({type_named(one.substr(0, equals)), std::string(one.substr(equals + 1))});
    if (plus == std::string_view::npos) return out;
    rdn.remove_prefix(plus + 1);
  }
}

ModelDirectory::Name ModelDirectory::read_name(std::string_view text) {
  Name name;
  const std::string_view whole = text;
  std::vector<std::string> rdns;
  while (true) {
    const std::size_t comma = text.find(',');
    if (rdns.empty()) name.rdn = text.substr(0, comma);
    auto rdn = normal_rdn(text.substr(0, comma));
    if (!rdn) {
      name.malformed = true;
      return name;
    }
    rdns.push_back(std::move(*rdn));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  const std::size_t count = rdns.size();
  name.outside = count < 2 || rdns[count - 1] != "dc=com" || rdns[count - 2] != "dc=example";
  if (name.outside) return name;
  if (count == 2) name.rdn = whole;
  name.path = {std::string(kModelSuffix)};
  for (std::size_t i = count - 2; i > 0; --i) name.path.push_back(rdns[i - 1]);
  return name;
}

bool ModelDirectory::starts_with(const Path& path, const Path& head) {
  return path.size() >= head.size() && std::equal(head.begin(), head.end(), path.begin());
}

ModelDirectory::Path ModelDirectory::parent_of(Path path) {
  path.pop_back();
  return path;
}

std::string ModelDirectory::shown_dn(const Path& path) const {
  std::string out;
  for (std::size_t depth = 1; depth <= path.size(); ++depth) {
    const Path at(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(depth));
    out = entries_.at(at).rdn + (out.empty() ? "" : ",") + out;
  }
  return out;
}

std::vector<std::string> ModelDirectory::names() const {
  std::vector<std::string> out;
  for (const auto& [path, entry] : entries_) out.push_back(shown_dn(path));
  return out;
}

bool ModelDirectory::has_children(const Path& path) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const auto& one) {
    return one.first.size() == path.size() + 1 && starts_with(one.first, path);
  });
}

// --- Rights ---

bool ModelDirectory::is_visible(const Path& path, Who who) {
  return who == Who::kAdmin || path.size() < 2 || path[1] != "ou=o4";
}

bool ModelDirectory::may_read(const TypeFacts& type, Who who) {
  return who == Who::kAdmin || (type.name != "kExact" && type.name != "userPassword");
}

std::string ModelDirectory::matched_for(const Path& path, Who who) const {
  for (Path at = path; at.size() > 1;) {
    at.pop_back();
    if (exists(at) && is_visible(at, who)) return shown_dn(at);
  }
  return "";
}

Expected ModelDirectory::missing(const Path& path, Who who) const {
  Expected expected = only(ResultCode::kNoSuchObject);
  expected.matched = {path.empty() ? "" : matched_for(path, who)};
  return expected;
}

Expected ModelDirectory::wrong(std::set<int> errors, const Name& name) {
  if (name.outside) errors.insert(code(ResultCode::kNoSuchObject));
  return {std::move(errors), {""}, {}};
}

Expected ModelDirectory::refused(const Name& target, Who who) const {
  if (target.outside) return missing({}, who);
  if (!exists(target.path) || !is_visible(target.path, who)) return missing(target.path, who);
  return only(ResultCode::kInsufficientAccessRights);
}

// --- The operations ---

Expected ModelDirectory::ask(const ModelRequest& request, Who who) {
  switch (request.kind) {
    case ModelRequest::Kind::kBind:
      return bind(request);
    case ModelRequest::Kind::kAdd:
      return add(request, who);
    case ModelRequest::Kind::kDelete:
      return erase(request, who);
    case ModelRequest::Kind::kModify:
      return modify(request, who);
    case ModelRequest::Kind::kRename:
      return rename(request, who);
    case ModelRequest::Kind::kCompare:
      return compare(request, who);
    case ModelRequest::Kind::kSearch:
      break;
  }
  return search(request, who);
}

Expected ModelDirectory::bind(const ModelRequest& request) const {
  if (request.dn.empty())
    return only(request.value.empty() ? ResultCode::kSuccess : ResultCode::kInvalidCredentials);
  const Name name = read_name(request.dn);
  if (name.malformed) return only(ResultCode::kInvalidDnSyntax);
  if (request.value.empty()) return only(ResultCode::kUnwillingToPerform);
  bool right = request.dn == kModelAdmin && request.value == kModelAdminPassword;
  if (const auto found = entries_.find(name.path); !name.outside && found != entries_.end()) {
    const auto passwords = found->second.values.find("userPassword");
    right = right ||
            (passwords != found->second.values.end() &&
             std::count(passwords->second.begin(), passwords->second.end(), request.value) != 0);
  }
  return only(right ? ResultCode::kSuccess : ResultCode::kInvalidCredentials);
}

Expected ModelDirectory::add(const ModelRequest& request, Who who) {
  const Name name = read_name(request.dn);
  std::set<int> errors = form_errors(request);
  if (name.malformed) errors.insert(code(ResultCode::kInvalidDnSyntax));
  if (!errors.empty()) return wrong(std::move(errors), name);
  if (name.outside) return missing({}, who);
  const bool is_suffix = name.path.size() == 1;
  if (!is_suffix && !exists(parent_of(name.path))) return missing(name.path, who);
  if (who != Who::kAdmin) {
    if (!is_suffix && !is_visible(parent_of(name.path), who))
      return missing(parent_of(name.path), who);
    return only(ResultCode::kInsufficientAccessRights);
  }
  if (exists(name.path)) return only(ResultCode::kEntryAlreadyExists);

  Entry entry;
  entry.rdn = name.rdn;
  for (const ModelChange& change : request.changes)
    entry.values[describe(change.attribute)->text()] = change.values;
  for (const Naming& one : naming_of(name.rdn)) {
    if (!has_value(entry, *one.type, one.value))
      entry.values[std::string(one.type->name)].push_back(one.value);
  }
  errors = entry_errors(entry);
  add_all(errors, naming_errors(entry, name.rdn));
  if (!errors.empty()) return {errors, {}, {}};
  entries_[name.path] = std::move(entry);
  return only(ResultCode::kSuccess);
}

Expected ModelDirectory::erase(const ModelRequest& request, Who who) {
  const Name name = read_name(request.dn);
  if (name.malformed) return only(ResultCode::kInvalidDnSyntax);
  if (who != Who::kAdmin) return refused(name, who);
  if (name.outside) return missing({}, who);
  if (!exists(name.path)) return missing(name.path, who);
  if (has_children(name.path)) return only(ResultCode::kNotAllowedOnNonLeaf);
  entries_.erase(name.path);
  return only(ResultCode::kSuccess);
}

Expected ModelDirectory::modify(const ModelRequest& request, Who who) {
  const Name name = read_name(request.dn);
  std::set<int> errors = form_errors(request);
  if (name.malformed) errors.insert(code(ResultCode::kInvalidDnSyntax));
  if (!errors.empty()) return wrong(std::move(errors), name);
  if (who != Who::kAdmin && !request.changes.empty()) return refused(name, who);
  if (name.outside) return missing({}, who);
  if (!exists(name.path) || !is_visible(name.path, who)) return missing(name.path, who);
  if (request.changes.empty()) return only(ResultCode::kSuccess);

  Entry entry = entries_.at(name.path);
  bool rival = false;
  const ClassFacts* const before = structural(entry, &rival);
  for (const ModelChange& change : request.changes) {
    const int refusal = apply(change, request.permissive, entry);
    if (refusal != 0) return {{refusal}, {}, {}};
  }
  errors = entry_errors(entry);
  for (const Naming& one : naming_of(entry.rdn)) {
    if (!has_value(entry, *one.type, one.value)) errors.insert(code(ResultCode::kNotAllowedOnRdn));
  }
  if (structural(entry, &rival) != before)
    errors.insert(code(ResultCode::kObjectClassModsProhibited));
  if (!errors.empty()) return {errors, {}, {}};
  entries_[name.path] = std::move(entry);
  return only(ResultCode::kSuccess);
}

Expected ModelDirectory::rename(const ModelRequest& request, Who who) {
  const Name name = read_name(request.dn);
  const Name superior = request.superior ? read_name(*request.superior) : Name();
  const auto rdn = normal_rdn(request.new_rdn);
  std::set<int> errors;
  if (name.malformed || superior.malformed || !rdn)
    errors.insert(code(ResultCode::kInvalidDnSyntax));
  if (request.new_rdn.starts_with("nosuch=")) errors = {code(ResultCode::kUndefinedAttributeType)};
  if (name.malformed || superior.malformed) errors.insert(code(ResultCode::kInvalidDnSyntax));
  if (!errors.empty()) return wrong(std::move(errors), name.outside ? name : superior);
  if (name.outside || superior.outside) return missing({}, who);
  if (who != Who::kAdmin) return refused(name, who);
  if (!exists(name.path)) return missing(name.path, who);
  if (request.superior && !exists(superior.path)) return missing(superior.path, who);
  if (request.superior && starts_with(superior.path, name.path))
    return only(ResultCode::kUnwillingToPerform);
  if (name.path.size() == 1) return only(ResultCode::kUnwillingToPerform);
  Path target = request.superior ? superior.path : parent_of(name.path);
  target.push_back(*rdn);
  if (target != name.path && exists(target)) return only(ResultCode::kEntryAlreadyExists);

  Entry entry = entries_.at(name.path);
  const std::vector<Naming> now = naming_of(request.new_rdn);
  for (const Naming& old : naming_of(entry.rdn)) {
    // Also the value of a name that stays: its spelling becomes the new name's.
    if (!request.delete_old) break;
    Values& values = entry.values[std::string(old.type->name)];
    std::erase_if(values, [&](const auto& value) { return equal(*old.type, value, old.value); });
  }
  for (const Naming& one : now) {
    if (!has_value(entry, *one.type, one.value))
      entry.values[std::string(one.type->name)].push_back(one.value);
  }
  std::erase_if(entry.values, [](const auto& one) { return one.second.empty(); });
  errors = entry_errors(entry);
  add_all(errors, naming_errors(entry, request.new_rdn));
  if (!errors.empty()) return {errors, {}, {}};
  entry.rdn = request.new_rdn;
  entries_[name.path] = std::move(entry);
  std::map<Path, Entry> moved;
  for (auto& [path, one] : entries_) {
    Path to = path;
    if (starts_with(path, name.path)) {
      to = target;
      to.insert(to.end(), path.begin() + static_cast<std::ptrdiff_t>(name.path.size()), path.end());
    }
    moved[to] = std::move(one);
  }
  entries_ = std::move(moved);
  return only(ResultCode::kSuccess);
}

Expected ModelDirectory::compare(const ModelRequest& request, Who who) const {
  const Name name = read_name(request.dn);
  const auto wanted = describe(request.attribute);
  std::set<int> errors;
  if (name.malformed) errors.insert(code(ResultCode::kInvalidDnSyntax));
  if (!wanted) {
    errors.insert(code(ResultCode::kUndefinedAttributeType));
  } else if (wanted->type->form == Form::kNoRule) {
    errors.insert(code(ResultCode::kInappropriateMatching));
  } else if (!normal_value(*wanted->type, request.value)) {
    errors.insert(code(ResultCode::kInvalidAttributeSyntax));
  }
  if (!errors.empty()) return wrong(std::move(errors), name);
  if (name.outside) return missing({}, who);
  if (!exists(name.path) || !is_visible(name.path, who)) return missing(name.path, who);
  bool present = false;
  FilterTree assertion;
  assertion.kind = FilterTree::Kind::kEqual;
  assertion.value = request.value;
  for (const auto& [text, values] : entries_.at(name.path).values) {
    const Description description = *describe(text);
    if (!description.is_under(*wanted) || !may_read(*description.type, who)) continue;
    present = true;
    for (const std::string& value : values) {
      if (description.type->form != Form::kOctets &&
          test(assertion, *description.type, value) == Tri::kTrue)
        return only(ResultCode::kCompareTrue);
    }
  }
  return only(present ? ResultCode::kCompareFalse : ResultCode::kNoSuchAttribute);
}

Expected ModelDirectory::search(const ModelRequest& request, Who who) const {
  const Name base = read_name(request.dn);
  if (base.malformed) return only(ResultCode::kInvalidDnSyntax);
  if (base.outside) return missing({}, who);
  if (!exists(base.path) || !is_visible(base.path, who)) return missing(base.path, who);
  Expected expected = only(ResultCode::kSuccess);
  if (who == Who::kNobody) return expected;
  for (const auto& [path, entry] : entries_) {
    if (in_scope(path, base.path, request.scope) && is_visible(path, who) &&
        matches(request.filter, path, who) == Tri::kTrue)
      expected.entries.push_back(show(path, request, who));
  }
  return expected;
}

std::vector<ShownEntry> ModelDirectory::everything() const {
  std::vector<ShownEntry> out;
  for (const auto& [path, entry] : entries_) out.push_back(show(path, {}, Who::kAdmin));
  return out;
}

}  // namespace kauri::operation::testing
