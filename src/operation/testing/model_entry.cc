// The half of ModelDirectory that looks into entries: modifications, the schema, filters.
#include <algorithm>

#include "ldap/result_code.h"
#include "operation/testing/model_directory.h"

namespace kauri::operation::testing {
namespace {

using ldap::ModifyOperation;
using ldap::ResultCode;

constexpr int code(ResultCode result) {
  return static_cast<int>(result);
}

}  // namespace

bool ModelDirectory::equal(const TypeFacts& type, const std::string& a, const std::string& b) {
  return normal_value(type, a) == normal_value(type, b);
}

bool ModelDirectory::has_value(const Entry& entry, const TypeFacts& type,
                               const std::string& value) {
  const auto found = entry.values.find(std::string(type.name));
  return found != entry.values.end() &&
         std::any_of(found->second.begin(), found->second.end(),
                     [&](const std::string& one) { return equal(type, one, value); });
}

// --- Changes ---

std::set<int> ModelDirectory::form_errors(const ModelRequest& request) {
  const bool adds_entry = request.kind == ModelRequest::Kind::kAdd;
  std::set<int> errors;
  std::set<std::string> seen;
  for (const ModelChange& change : request.changes) {
    const auto description = describe(change.attribute);
    if (!description) {
      errors.insert(code(ResultCode::kUndefinedAttributeType));
      continue;
    }
    const TypeFacts& type = *description->type;
    if (type.form == Form::kTime) errors.insert(code(ResultCode::kConstraintViolation));
    for (std::size_t i = 0; i < change.values.size(); ++i) {
      // A class that is not known is a valid name of one.
      if (type.form != Form::kClass && !normal_value(type, change.values[i]))
        errors.insert(code(ResultCode::kInvalidAttributeSyntax));
      for (std::size_t j = 0; adds_entry && j < i; ++j)
        if (equal(type, change.values[i], change.values[j]) &&
            (type.form != Form::kClass || change.values[i] == change.values[j]))
          errors.insert(code(ResultCode::kAttributeOrValueExists));
    }
    if (adds_entry) {
      if (!seen.insert(description->text()).second)
        errors.insert(code(ResultCode::kAttributeOrValueExists));
      continue;
    }
    const bool needs_value = change.operation == ModifyOperation::kAdd;
    const bool increments = change.operation == ModifyOperation::kIncrement;
    if ((needs_value && change.values.empty()) || (increments && change.values.size() != 1))
      errors.insert(code(ResultCode::kProtocolError));
  }
  return errors;
}

int ModelDirectory::add_values(const Description& description, const Values& values,
                               bool permissive, Entry& entry) {
  const TypeFacts& type = *description.type;
  Values& stored = entry.values[description.text()];
  for (const std::string& value : values) {
    const bool there = std::any_of(stored.begin(), stored.end(), [&](const auto& one) {
      // Each password is hashed with a salt of its own, so none equals another.
      return type.form != Form::kOctets && equal(type, one, value);
    });
    if (there && !permissive) return code(ResultCode::kAttributeOrValueExists);
    if (!there) stored.push_back(value);
  }
  return 0;
}

int ModelDirectory::delete_values(const Description& description, const Values& values,
                                  bool permissive, Entry& entry) {
  const auto found = entry.values.find(description.text());
  if (found == entry.values.end()) return permissive ? 0 : code(ResultCode::kNoSuchAttribute);
  if (values.empty()) {
    entry.values.erase(found);
    return 0;
  }
  const TypeFacts& type = *description.type;
  for (const std::string& value : values) {
    const auto at = std::find_if(found->second.begin(), found->second.end(), [&](const auto& one) {
      return type.form != Form::kOctets && equal(type, one, value);
    });
    if (at == found->second.end()) {
      if (!permissive) return code(ResultCode::kNoSuchAttribute);
      continue;
    }
    found->second.erase(at);
  }
  if (found->second.empty()) entry.values.erase(found);
  return 0;
}

int ModelDirectory::increment(const Description& description, const std::string& by, Entry& entry) {
  if (description.type->form != Form::kInteger) return code(ResultCode::kConstraintViolation);
  const auto found = entry.values.find(description.text());
  if (found == entry.values.end()) return code(ResultCode::kNoSuchAttribute);
  for (std::string& value : found->second) value = add_to_integer(value, by);
  return 0;
}

int ModelDirectory::apply(const ModelChange& change, bool permissive, Entry& entry) {
  const Description description = *describe(change.attribute);
  const std::string text = description.text();
  const bool has_rule = description.type->form != Form::kNoRule;
  switch (change.operation) {
    case ModifyOperation::kAdd:
      if (!has_rule && entry.values.contains(text)) return code(ResultCode::kInappropriateMatching);
      return add_values(description, change.values, permissive, entry);
    case ModifyOperation::kDelete:
      if (!has_rule && !change.values.empty()) return code(ResultCode::kInappropriateMatching);
      return delete_values(description, change.values, permissive, entry);
    case ModifyOperation::kReplace: {
      entry.values.erase(text);
      if (change.values.empty()) return 0;
      return add_values(description, change.values, false, entry);
    }
    case ModifyOperation::kIncrement:
      break;
  }
  return increment(description, change.values.front(), entry);
}

// --- The schema ---

const ClassFacts* ModelDirectory::structural(const Entry& entry, bool* rival) {
  *rival = false;
  const ClassFacts* deepest = nullptr;
  const auto found = entry.values.find("objectClass");
  if (found == entry.values.end()) return nullptr;
  for (const std::string& value : found->second) {
    const ClassFacts* one = class_named(value);
    if (one == nullptr || one->kind != ClassKind::kStructural) continue;
    if (deepest == nullptr || is_same_or_under(*one, *deepest)) deepest = one;
  }
  for (const std::string& value : found->second) {
    const ClassFacts* one = class_named(value);
    if (one != nullptr && one->kind == ClassKind::kStructural && !is_same_or_under(*deepest, *one))
      *rival = true;
  }
  return *rival ? nullptr : deepest;
}

std::set<int> ModelDirectory::entry_errors(const Entry& entry) {
  std::set<int> errors;
  std::set<const ClassFacts*> classes;
  bool extensible = false;
  if (const auto found = entry.values.find("objectClass"); found != entry.values.end()) {
    for (const std::string& value : found->second) {
      const ClassFacts* one = class_named(value);
      if (one == nullptr) errors.insert(code(ResultCode::kInvalidAttributeSyntax));
      for (; one != nullptr; one = class_named(one->superior)) {
        classes.insert(one);
        extensible = extensible || one->name == "extensibleObject";
      }
    }
  }
  bool rival = false;
  const int wrong = code(ResultCode::kObjectClassViolation);
  if (structural(entry, &rival) == nullptr) errors.insert(wrong);
  std::set<std::string> types;
  for (const auto& [text, values] : entry.values) {
    const TypeFacts& type = *describe(text)->type;
    types.insert(std::string(type.name));
    if (type.single && values.size() > 1) errors.insert(code(ResultCode::kConstraintViolation));
    const bool allowed = std::any_of(classes.begin(), classes.end(), [&](const ClassFacts* one) {
      return std::count(one->must.begin(), one->must.end(), type.name) != 0 ||
             std::count(one->may.begin(), one->may.end(), type.name) != 0;
    });
    if (!allowed && !extensible) errors.insert(wrong);
  }
  for (const ClassFacts* one : classes)
    for (const std::string_view type : one->must)
      if (!types.contains(std::string(type))) errors.insert(wrong);
  return errors;
}

std::set<int> ModelDirectory::naming_errors(const Entry& entry, std::string_view rdn) {
  std::set<int> errors;
  for (const Naming& one : naming_of(rdn)) {
    if (!has_value(entry, *one.type, one.value)) errors.insert(code(ResultCode::kNamingViolation));
  }
  return errors;
}

// --- Searches ---

bool ModelDirectory::in_scope(const Path& path, const Path& base, ldap::Scope scope) const {
  switch (scope) {
    case ldap::Scope::kBase:
      return path == base;
    case ldap::Scope::kOneLevel:
      return path.size() == base.size() + 1 && starts_with(path, base);
    case ldap::Scope::kSubordinate:
      return path != base && starts_with(path, base);
    case ldap::Scope::kSubtree:
      break;
  }
  return starts_with(path, base);
}

ModelDirectory::Tri ModelDirectory::matches(const FilterTree& filter, const Path& path,
                                            Who who) const {
  if (filter.kind == FilterTree::Kind::kNot) {
    const Tri inner = matches(filter.children.front(), path, who);
    if (inner == Tri::kUndefined) return inner;
    return inner == Tri::kTrue ? Tri::kFalse : Tri::kTrue;
  }
  if (filter.kind != FilterTree::Kind::kAnd && filter.kind != FilterTree::Kind::kOr)
    return matches_leaf(filter, path, who);
  bool any_true = false;
  bool any_false = false;
  bool any_undefined = false;
  for (const FilterTree& child : filter.children) {
    const Tri one = matches(child, path, who);
    any_true = any_true || one == Tri::kTrue;
    any_false = any_false || one == Tri::kFalse;
    any_undefined = any_undefined || one == Tri::kUndefined;
  }
  if (filter.kind == FilterTree::Kind::kAnd)
    return any_false ? Tri::kFalse : any_undefined ? Tri::kUndefined : Tri::kTrue;
  return any_true ? Tri::kTrue : any_undefined ? Tri::kUndefined : Tri::kFalse;
}

bool ModelDirectory::has_parts(std::string value, const std::vector<std::string>& parts) {
  if (!value.starts_with(parts.front())) return false;
  value.erase(0, parts.front().size());
  for (std::size_t i = 1; i + 1 < parts.size(); ++i) {
    const std::size_t at = value.find(parts[i]);
    if (at == std::string::npos) return false;
    value.erase(0, at + parts[i].size());
  }
  return value.ends_with(parts.back());
}

ModelDirectory::Tri ModelDirectory::test(const FilterTree& filter, const TypeFacts& type,
                                         const std::string& value) {
  const auto truth = [](bool is) { return is ? Tri::kTrue : Tri::kFalse; };
  const std::string normal = *normal_value(type, value);
  switch (filter.kind) {
    case FilterTree::Kind::kEqual:
      if (type.form == Form::kClass)
        return truth(is_same_or_under(*class_named(value), *class_named(filter.value)));
      return truth(normal == *normal_value(type, filter.value));
    case FilterTree::Kind::kAtLeast:
    case FilterTree::Kind::kAtMost: {
      const std::string bound = *normal_value(type, filter.value);
      const int order =
          type.form == Form::kInteger ? compare_integers(normal, bound) : normal.compare(bound);
      return truth(filter.kind == FilterTree::Kind::kAtLeast ? order >= 0 : order <= 0);
    }
    case FilterTree::Kind::kSubstrings: {
      std::vector<std::string> parts = filter.parts;
      if (type.form == Form::kIgnoreCase)
        for (std::string& part : parts) part = lower(part);
      return truth(has_parts(normal, parts));
    }
    default:
      return Tri::kTrue;
  }
}

ModelDirectory::Tri ModelDirectory::matches_leaf(const FilterTree& filter, const Path& path,
                                                 Who who) const {
  if (lower(filter.attribute) == "hassubordinates") {
    const bool has = std::any_of(entries_.begin(), entries_.end(), [&](const auto& one) {
      return one.first.size() == path.size() + 1 && starts_with(one.first, path) &&
             is_visible(one.first, who);
    });
    return has == (filter.value == "TRUE") ? Tri::kTrue : Tri::kFalse;
  }
  const auto wanted = describe(filter.attribute);
  if (!wanted) return Tri::kUndefined;
  const TypeFacts& type = *wanted->type;
  using Kind = FilterTree::Kind;
  const bool by_value =
      filter.kind == Kind::kEqual || filter.kind == Kind::kAtLeast || filter.kind == Kind::kAtMost;
  if (filter.kind == Kind::kEqual && type.form == Form::kNoRule) return Tri::kUndefined;
  if (filter.kind == Kind::kSubstrings && !type.substrings) return Tri::kUndefined;
  if ((filter.kind == Kind::kAtLeast || filter.kind == Kind::kAtMost) && !type.ordered)
    return Tri::kUndefined;
  if (by_value && !normal_value(type, filter.value)) return Tri::kUndefined;
  if (!may_read(type, who)) return Tri::kUndefined;
  for (const auto& [text, values] : entries_.at(path).values) {
    const Description description = *describe(text);
    if (!description.is_under(*wanted)) continue;
    if (filter.kind == Kind::kPresent) return Tri::kTrue;
    // The stored passwords are hashes.
    if (description.type->form == Form::kOctets) continue;
    for (const std::string& value : values)
      if (test(filter, *description.type, value) == Tri::kTrue) return Tri::kTrue;
  }
  return Tri::kFalse;
}

ShownEntry ModelDirectory::show(const Path& path, const ModelRequest& request, Who who) const {
  ShownEntry shown;
  shown.dn = shown_dn(path);
  bool all = request.attributes.empty();
  for (const std::string& one : request.attributes) all = all || one == "*";
  for (const auto& [text, values] : entries_.at(path).values) {
    const Description description = *describe(text);
    if (!may_read(*description.type, who)) continue;
    const bool named = std::any_of(request.attributes.begin(), request.attributes.end(),
                                   [&](const std::string& one) {
                                     const auto wanted = describe(one);
                                     return wanted && description.is_under(*wanted);
                                   });
    if (!all && !named) continue;
    auto& out = shown.attributes[text];
    if (request.types_only) continue;
    // Of a password only that there is one.
    for (const std::string& value : values)
      out.insert(description.type->form == Form::kOctets ? "(hashed)" : value);
  }
  return shown;
}

}  // namespace kauri::operation::testing
