#include "operation/testing/model_random.h"

#include <algorithm>
#include <numeric>

#include "operation/testing/model_directory.h"

namespace kauri::operation::testing {
namespace {

using Kind = ModelRequest::Kind;

const std::vector<std::string> kAttributes = {"cn",
                                              "sn",
                                              "givenName",
                                              "ou",
                                              "uid",
                                              "description",
                                              "member",
                                              "kInt",
                                              "kIntSub",
                                              "kExact",
                                              "kSingle",
                                              "kNoEq",
                                              "userPassword",
                                              "objectClass",
                                              "description;x-a",
                                              "givenName;lang-en",
                                              "givenName;lang-en;x-b"};
const std::vector<std::string> kWords = {"a",    "ab", "abc", "ABC",     "b",  "b c",
                                         "b  C", " a", "cab", "A b c d", "zz", "n1"};
const std::vector<std::string> kIntegers = {
    "0", "1", "-1", "7", "10", "-10", "99", "100", "123456789012345678901234567890"};
const std::vector<std::string> kNames = {"cn=n1,dc=example,dc=com", "CN=N1, dc=example,dc=com",
                                         "ou=o1,dc=example,dc=com", "uid=u1,dc=x", "cn=n2,dc=x"};
const std::vector<std::string> kPasswords = {"secret", "Secret", "pw"};
const std::vector<std::string> kClasses = {
    "top",           "organizationalUnit", "person",  "organizationalPerson",
    "inetOrgPerson", "groupOfNames",       "account", "dcObject",
    "kAux",          "extensibleObject"};
const std::vector<std::string> kMalformed = {
    "nonsense", "cn=a,,dc=com", "=a", "cn=a,", "cn=", "kInt=x,dc=example,dc=com"};

// Classes that go together, with what they require and allow (nothing named: everything).
struct Shape {
  std::vector<std::string> classes;
  std::vector<std::string> required;
  std::vector<std::string> allowed;
};
const std::vector<Shape> kShapes = {
    {{"organizationalUnit"}, {"ou"}, {"description", "userPassword"}},
    {{"organizationalUnit", "kAux"},
     {"ou"},
     {"description", "description;x-a", "kInt", "kIntSub", "kExact", "kNoEq", "kSingle"}},
    {{"inetOrgPerson", "kAux"},
     {"cn", "sn"},
     {"uid", "givenName", "givenName;lang-en", "userPassword", "kInt", "kExact", "kSingle"}},
    {{"top", "person", "organizationalPerson", "inetOrgPerson"},
     {"cn", "sn"},
     {"uid", "ou", "givenName", "userPassword", "description"}},
    {{"person", "extensibleObject"}, {"cn", "sn"}, {}},
    {{"groupOfNames"}, {"cn", "member"}, {"description", "ou"}},
    {{"account", "kAux"}, {"uid"}, {"description", "kInt", "kIntSub", "kNoEq"}},
    {{"account", "extensibleObject"}, {"uid"}, {}},
};

std::string upper(std::string text) {
  for (char& c : text)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return text;
}

}  // namespace

RandomRequests::RandomRequests(Choices& choices) : choices_(choices) {
  static constexpr std::array<unsigned, kKinds> kEven = {1, 6, 2, 6, 3, 2, 4};
  const bool even = choices_.chance(30);
  for (std::size_t i = 0; i < kKinds; ++i)
    weights_[i] = even ? kEven[i] : choices_.chance(25) ? 0 : 1 + choices_.below(6);
  weights_[static_cast<std::size_t>(Kind::kAdd)] += 2;
  const unsigned share = even ? 100 : 30 + static_cast<unsigned>(choices_.below(71));
  for (const std::string& one : kAttributes)
    if (choices_.chance(share)) attributes_.push_back(one);
  if (attributes_.empty()) attributes_.emplace_back("description");
  unlawful_percent_ = choices_.chance(40) ? 0 : static_cast<unsigned>(choices_.below(12));
  many_percent_ = choices_.chance(60) ? 0 : static_cast<unsigned>(choices_.below(30));
}

std::vector<std::string> RandomRequests::attributes() const {
  return attributes_;
}

std::string RandomRequests::some_rdn() {
  const std::string number = std::to_string(1 + choices_.below(5));
  switch (choices_.below(10)) {
    case 0:
    case 1:
      return "ou=o" + number;
    case 2:
      return "uid=u" + number;
    case 3:
      return "cn=n" + number + "+uid=u1";
    case 4:
      return "uid=u1+cn=n" + number;
    case 5:
      return "kInt=" + number;
    case 6:
      return "kSingle=s" + number;
    case 7:
      return choices_.chance(unlawful_percent_) ? "kNoEq=x" : "CN=N" + number;
    default:
      return "cn=n" + number;
  }
}

std::string RandomRequests::some_dn(const std::vector<std::string>& present) {
  if (choices_.chance(unlawful_percent_))
    return choices_.chance(50) ? choices_.one_of(kMalformed) : "cn=n1,dc=other,dc=org";
  std::string dn(kModelSuffix);
  if (!present.empty() && choices_.chance(97)) dn = choices_.one_of(present);
  if (choices_.chance(20)) dn = some_rdn() + "," + dn;
  return choices_.chance(10) ? upper(dn) : dn;
}

std::string RandomRequests::some_attribute() {
  if (choices_.chance(unlawful_percent_)) return choices_.chance(50) ? "nosuch" : "modifyTimestamp";
  std::string name = choices_.one_of(attributes_);
  return choices_.chance(5) ? upper(name) : name;
}

std::string RandomRequests::some_value(std::string_view attribute) {
  const auto description = describe(attribute);
  const bool unlawful = choices_.chance(unlawful_percent_);
  if (!description) return "x";
  switch (description->type->form) {
    case Form::kInteger:
      return unlawful ? "1x" : choices_.one_of(kIntegers);
    case Form::kName:
      if (unlawful) return "not a name";
      return choices_.chance(70) ? choices_.one_of(kNames)
                                 : "cn=m" + std::to_string(choices_.below(500)) + ",dc=x";
    case Form::kClass:
      return unlawful ? "nosuchclass" : choices_.one_of(kClasses);
    case Form::kOctets:
      return choices_.one_of(kPasswords);
    case Form::kTime:
      return "20240101120000Z";
    default:
      return unlawful ? "" : choices_.one_of(kWords);
  }
}

// More than an entry's record takes, now and then: 200 is where values leave it.
std::vector<std::string> RandomRequests::many_members() {
  std::vector<std::string> values;
  const std::uint64_t first = choices_.below(300);
  const std::uint64_t count = 150 + choices_.below(150);
  for (std::uint64_t i = 0; i < count; ++i)
    values.push_back("cn=m" + std::to_string(first + i) + ",dc=x");
  return values;
}

std::vector<std::string> RandomRequests::some_values(std::string_view attribute) {
  const auto description = describe(attribute);
  if (description && description->type->form == Form::kName && choices_.chance(many_percent_))
    return many_members();
  std::vector<std::string> values;
  const std::uint64_t count = 1 + (choices_.chance(40) ? choices_.below(4) : 0);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::string value = some_value(attribute);
    // Twice the same is a mistake of its own, and makes hashes that differ of passwords.
    const bool twice = std::count(values.begin(), values.end(), value) != 0;
    const bool password = description && description->type->form == Form::kOctets;
    if (!twice || (!password && choices_.chance(unlawful_percent_)))
      values.push_back(std::move(value));
  }
  return values;
}

void RandomRequests::make_add(const std::vector<std::string>& present, ModelRequest& request) {
  request.dn = some_dn(present);
  if (present.empty() && choices_.chance(90)) {
    request.dn = kModelSuffix;
    request.changes = {{{}, "objectClass", {"domain"}}, {{}, "dc", {"example"}}};
    return;
  }
  const Shape& shape = choices_.one_of(kShapes);
  if (!present.empty() && choices_.chance(80)) {
    std::string rdn = some_rdn();
    // Named by what it requires, mostly, so that it can be.
    if (choices_.chance(60)) {
      const std::string& type = shape.required.front();
      rdn = type + "=" + (type == "ou" ? "o" : type.substr(0, 1)) +
            std::to_string(1 + choices_.below(9));
    }
    request.dn = rdn + "," + choices_.one_of(present);
  }
  const auto add = [&](const std::string& attribute, std::vector<std::string> values) {
    const auto same = std::find_if(
        request.changes.begin(), request.changes.end(),
        [&](const ModelChange& one) { return lower(one.attribute) == lower(attribute); });
    if (same == request.changes.end() || choices_.chance(unlawful_percent_))
      request.changes.push_back({{}, attribute, std::move(values)});
  };
  add("objectClass", shape.classes);
  for (const std::string& one : shape.required)
    if (!choices_.chance(unlawful_percent_)) add(one, some_values(one));
  const std::uint64_t more = choices_.below(4);
  for (std::uint64_t i = 0; i < more; ++i) {
    const bool any = shape.allowed.empty() || choices_.chance(unlawful_percent_);
    const std::string attribute = any ? some_attribute() : choices_.one_of(shape.allowed);
    if (lower(attribute) != "objectclass") add(attribute, some_values(attribute));
  }
}

void RandomRequests::make_modify(ModelRequest& request) {
  request.permissive = choices_.chance(10);
  const std::uint64_t steps =
      choices_.chance(unlawful_percent_) ? 0 : 1 + (choices_.chance(40) ? choices_.below(4) : 0);
  for (std::uint64_t i = 0; i < steps; ++i) {
    ModelChange change;
    change.attribute = some_attribute();
    change.operation = static_cast<ldap::ModifyOperation>(choices_.below(4));
    const bool none = change.operation == ldap::ModifyOperation::kAdd ||
                              change.operation == ldap::ModifyOperation::kIncrement
                          ? choices_.chance(unlawful_percent_)
                          : choices_.chance(30);
    if (change.operation == ldap::ModifyOperation::kIncrement) {
      if (choices_.chance(80)) change.attribute = choices_.chance(60) ? "kInt" : "kIntSub";
      // A number may be an OID too, and of classes the model knows names only.
      const bool is_class = lower(change.attribute) == "objectclass";
      if (!none) change.values = {is_class ? "top" : some_value("kInt")};
    } else if (!none) {
      change.values = some_values(change.attribute);
    }
    request.changes.push_back(std::move(change));
  }
}

FilterTree RandomRequests::some_leaf() {
  FilterTree leaf;
  leaf.kind = static_cast<FilterTree::Kind>(3 + choices_.below(5));
  leaf.attribute = choices_.chance(8) ? "name" : some_attribute();
  if (leaf.attribute == "modifyTimestamp") leaf.attribute = "nosuch";
  if (choices_.chance(4)) {
    leaf.kind = FilterTree::Kind::kEqual;
    leaf.attribute = "hasSubordinates";
    leaf.value = choices_.chance(50) ? "TRUE" : "FALSE";
    return leaf;
  }
  leaf.value = some_value(leaf.attribute);
  if (leaf.kind == FilterTree::Kind::kSubstrings) {
    static const std::vector<std::string> kPieces = {"a", "b", "c", "ab", "n", "A"};
    leaf.parts = {choices_.chance(50) ? choices_.one_of(kPieces) : "",
                  choices_.chance(30) ? choices_.one_of(kPieces) : ""};
    if (leaf.parts[0].empty() && leaf.parts[1].empty())
      leaf.parts.insert(leaf.parts.begin() + 1, choices_.one_of(kPieces));
  } else if (leaf.kind != FilterTree::Kind::kPresent && leaf.value.empty()) {
    leaf.value = "a";
  }
  return leaf;
}

FilterTree RandomRequests::some_filter(int depth) {
  if (depth == 0 || choices_.chance(50)) return some_leaf();
  FilterTree tree;
  tree.kind = static_cast<FilterTree::Kind>(choices_.below(3));
  const std::uint64_t count = tree.kind == FilterTree::Kind::kNot ? 1
                              : choices_.chance(3)                ? 0
                                                                  : 1 + choices_.below(3);
  for (std::uint64_t i = 0; i < count; ++i) tree.children.push_back(some_filter(depth - 1));
  return tree;
}

void RandomRequests::make_search(ModelRequest& request) {
  static const std::vector<std::vector<std::string>> kSelections = {
      {},
      {},
      {"*"},
      {"1.1"},
      {"cn"},
      {"name"},
      {"description"},
      {"description;x-a", "kInt"},
      {"*", "cn"},
      {"nosuch", "userPassword", "kExact"},
      {"GIVENNAME;lang-en"},
      {"member"}};
  request.scope = static_cast<ldap::Scope>(choices_.below(4));
  if (choices_.chance(40)) {
    request.dn = kModelSuffix;
    request.scope = ldap::Scope::kSubtree;
  }
  if (choices_.chance(25)) {
    request.filter.attribute = "objectClass";
  } else {
    request.filter = some_filter(3);
  }
  request.attributes = choices_.one_of(kSelections);
  request.types_only = choices_.chance(10);
  if (choices_.chance(15)) request.size_limit = static_cast<std::int32_t>(choices_.below(6));
  if (choices_.chance(15)) request.page_size = static_cast<std::uint32_t>(1 + choices_.below(5));
}

Kind RandomRequests::some_kind() {
  std::uint64_t at = choices_.below(std::accumulate(weights_.begin(), weights_.end(), 0U));
  for (std::size_t i = 0; i < kKinds; ++i) {
    if (at < weights_[i]) return static_cast<Kind>(i);
    at -= weights_[i];
  }
  return Kind::kSearch;
}

ModelRequest RandomRequests::search(const std::vector<std::string>& present) {
  ModelRequest request;
  request.dn = some_dn(present);
  make_search(request);
  return request;
}

ModelRequest RandomRequests::next(const std::vector<std::string>& present) {
  ModelRequest request;
  request.kind = some_kind();
  if (request.kind == Kind::kAdd) {
    make_add(present, request);
    return request;
  }
  request.dn = some_dn(present);
  switch (request.kind) {
    case Kind::kBind:
      if (choices_.chance(15)) request.dn.clear();
      if (!choices_.chance(request.dn.empty() ? 80 : 10))
        request.value = choices_.one_of(kPasswords);
      break;
    case Kind::kModify:
      make_modify(request);
      break;
    case Kind::kRename:
      request.new_rdn = some_rdn();
      if (choices_.chance(unlawful_percent_)) request.new_rdn = "nosuch=x";
      request.delete_old = choices_.chance(50);
      if (choices_.chance(50)) request.superior = some_dn(present);
      break;
    case Kind::kCompare:
      request.attribute = choices_.chance(8) ? "name" : some_attribute();
      if (request.attribute == "modifyTimestamp") request.attribute = "nosuch";
      request.value = some_value(request.attribute);
      break;
    default:
      make_search(request);
      break;
  }
  return request;
}

}  // namespace kauri::operation::testing
