#include "toolkit/workload_encoders.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ldap/client.h"
#include "ldap/dn.h"
#include "ldap/filter.h"
#include "ldif/reader.h"
#include "ldif/source.h"

namespace kauri::toolkit {

namespace {

using Encoder = RequestTemplate::Encoder;

// What an inetOrgPerson of the usual size carries besides the attribute that names it.
constexpr std::string_view kBuiltinEntry =
    "objectClass: top\n"
    "objectClass: person\n"
    "objectClass: organizationalPerson\n"
    "objectClass: inetOrgPerson\n"
    "uid: bench.{n}\n"
    "cn: Bench Person {n}\n"
    "sn: Person {n}\n"
    "givenName: Bench\n"
    "initials: BP\n"
    "mail: bench.{n}@example.com\n"
    "employeeNumber: {n}\n"
    "telephoneNumber: +1 555 010 0000\n"
    "homePhone: +1 555 010 0001\n"
    "mobile: +1 555 010 0002\n"
    "street: 12345 Benchmark Avenue\n"
    "l: Springfield\n"
    "st: IL\n"
    "postalCode: 62701\n"
    "postalAddress: Bench Person {n}$12345 Benchmark Avenue$Springfield, IL 62701\n"
    "title: Principal Measurement Engineer\n"
    "ou: Product Testing\n"
    "description: An entry that a load test has added; {s} tells it from all the others of its "
    "run, and the rest of this sentence brings the entry to the size of an ordinary one.\n";

struct NamingPair {
  std::string type;
  std::string value;
};

// Type and value of the first RDN, for the name with this number.
Result<NamingPair> naming_pair(const std::string& dn) {
  KAURI_TRY(const ldap::Dn parsed, ldap::parse_dn(dn));
  if (parsed.rdns.empty() || parsed.rdns[0].avas.size() != 1) {
    return invalid("the target '" + dn + "' has no first RDN with one value");
  }
  return NamingPair{std::string(parsed.rdns[0].avas[0].type),
                    std::string(parsed.rdns[0].avas[0].value)};
}

std::string target_text(const WorkloadOptions& options) {
  return options.target.empty() ? default_target(options.kind, options.base) : options.target;
}

bool same_type(std::string_view one, std::string_view other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](char a, char b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return lower(a) == lower(b);
  });
}

Result<Encoder> search_encoder(const WorkloadOptions& options, PatternUse& use) {
  KAURI_TRY(const Pattern base, parse_part("base", options.base, use));
  KAURI_TRY(const Pattern filter, parse_part("filter", options.filter, use));
  return Encoder(
      [base, filter, options](ldap::MessageId id, const Fields& fields) -> Result<std::string> {
        const std::string text = filter.expand(fields);
        auto parsed = ldap::parse_filter(text);
        if (!parsed) return parsed.error().with_context("the filter '" + text + "'");
        ldap::SearchRequestText request;
        request.base = base.expand(fields);
        request.scope = options.scope;
        request.attributes = options.attributes;
        std::string out;
        ldap::append_search_request(out, id, request, *parsed);
        return out;
      });
}

Result<Encoder> bind_encoder(const WorkloadOptions& options, const Pattern& target,
                             PatternUse& use) {
  KAURI_TRY(const Pattern password, parse_part("password", options.password, use));
  return Encoder(
      [target, password](ldap::MessageId id, const Fields& fields) -> Result<std::string> {
        std::string out;
        ldap::append_simple_bind_request(out, id, target.expand(fields), password.expand(fields));
        return out;
      });
}

Result<Encoder> modify_encoder(const WorkloadOptions& options, const Pattern& target,
                               PatternUse& use) {
  const std::string attribute = options.attribute.empty() ? "description" : options.attribute;
  if (options.change == ldap::ModifyOperation::kDelete && options.value.empty()) {
    return invalid("a modify that deletes a value needs to know which: the value must be given");
  }
  KAURI_TRY(
      const Pattern value,
      parse_part("value", options.value.empty() ? "load test value {s}" : options.value, use));
  return Encoder([target, attribute, value, change = options.change](
                     ldap::MessageId id, const Fields& fields) -> Result<std::string> {
    const std::string text = value.expand(fields);
    std::string out;
    ldap::append_modify_request(out, id, target.expand(fields), {{change, {attribute, {text}}}});
    return out;
  });
}

Result<Encoder> compare_encoder(const WorkloadOptions& options, const Pattern& target,
                                PatternUse& use) {
  if (!options.attribute.empty() && options.value.empty()) {
    return invalid("a compare of the attribute '" + options.attribute + "' needs a value");
  }
  KAURI_TRY(const Pattern value, parse_part("value", options.value, use));
  return Encoder(
      [target, value, options](ldap::MessageId id, const Fields& fields) -> Result<std::string> {
        const std::string dn = target.expand(fields);
        NamingPair pair{options.attribute, value.expand(fields)};
        if (options.attribute.empty()) {
          KAURI_TRY(auto naming, naming_pair(dn));
          if (options.value.empty()) pair.value = std::move(naming.value);
          pair.type = std::move(naming.type);
        }
        std::string out;
        ldap::append_compare_request(out, id, {dn, pair.type, pair.value});
        return out;
      });
}

// The add request for one entry in LDIF: the values of an attribute stand together in it.
Result<std::string> encode_entry(ldap::MessageId id, const std::string& text) {
  ldif::StringSource source(text);
  ldif::Reader reader(source, {.origin = "the entry's LDIF"});
  ldif::Record record;
  KAURI_TRY(const bool found, reader.next(record));
  if (!found ||
      (record.kind != ldif::RecordKind::kContent && record.kind != ldif::RecordKind::kAdd)) {
    return invalid("the entry's LDIF holds no entry");
  }
  std::vector<ldap::AttributeView> attributes;
  for (const ldif::AttributeValue& each : record.attributes) {
    const auto known = std::find_if(attributes.begin(), attributes.end(), [&](const auto& other) {
      return same_type(other.description, each.description);
    });
    auto& attribute = known != attributes.end()
                          ? *known
                          : attributes.emplace_back(ldap::AttributeView{each.description, {}});
    attribute.values.push_back(each.value);
  }
  std::string out;
  ldap::append_add_request(out, id, record.dn, attributes);
  ldif::Record more;
  KAURI_TRY(const bool again, reader.next(more));
  if (again) return invalid("the entry's LDIF holds more than one entry");
  return out;
}

// The built-in entry under the name `dn`, with the naming value in it.
Result<std::string> builtin_entry(const std::string& dn, std::string_view attributes) {
  KAURI_TRY(const NamingPair naming, naming_pair(dn));
  std::string out = "dn: " + dn + "\n" + naming.type + ": " + naming.value + "\n";
  while (!attributes.empty()) {
    const std::size_t end = attributes.find('\n') + 1;
    const std::string_view line = attributes.substr(0, end);
    if (!same_type(line.substr(0, line.find(':')), naming.type)) out += line;
    attributes.remove_prefix(end);
  }
  return out;
}

Result<Encoder> add_encoder(const WorkloadOptions& options, const Pattern& target,
                            PatternUse& use) {
  const bool builtin = options.entry.empty();
  KAURI_TRY(const Pattern entry,
            parse_part("entry", builtin ? std::string(kBuiltinEntry) : options.entry, use));
  return Encoder(
      [target, entry, builtin](ldap::MessageId id, const Fields& fields) -> Result<std::string> {
        std::string text = entry.expand(fields);
        if (builtin) {
          KAURI_TRY(text, builtin_entry(target.expand(fields), text));
        }
        return encode_entry(id, text);
      });
}

// Both names of an entry that is renamed, for one operation.
struct Renaming {
  std::string old_dn;
  std::string old_rdn;
  std::string old_parent;
  std::string new_rdn;
  std::optional<std::string> new_superior;
};

// The patterns that renamings are made from.
struct RenamingPatterns {
  Pattern target;
  std::optional<Pattern> new_rdn;
  std::optional<Pattern> new_superior;

  Result<Renaming> expand(const Fields& fields) const {
    Renaming out;
    out.old_dn = target.expand(fields);
    KAURI_TRY(ldap::Dn parent, ldap::parse_dn(out.old_dn));
    if (parent.empty()) return invalid("the target of a modrdn is empty: no entry has that name");
    const ldap::Rdn rdn = parent.rdns.front();
    parent.rdns.erase(parent.rdns.begin());
    out.old_rdn = to_string(rdn);
    out.old_parent = to_string(parent);
    if (new_rdn) {
      out.new_rdn = new_rdn->expand(fields);
      const auto parsed = ldap::parse_rdn(out.new_rdn);
      if (!parsed) return parsed.error().with_context("the new RDN '" + out.new_rdn + "'");
    } else {
      KAURI_TRY(const NamingPair naming, naming_pair(out.old_dn));
      out.new_rdn = naming.type + "=" + ldap::escape_value(naming.value + ".renamed");
    }
    if (new_superior) out.new_superior = new_superior->expand(fields);
    return out;
  }
};

Result<RenamingPatterns> renaming_patterns(const WorkloadOptions& options, PatternUse& use) {
  RenamingPatterns out;
  KAURI_TRY(out.target, parse_part("target", target_text(options), use));
  if (!options.new_rdn.empty()) {
    KAURI_TRY(out.new_rdn, parse_part("new RDN", options.new_rdn, use));
  }
  if (!options.new_superior.empty()) {
    KAURI_TRY(out.new_superior, parse_part("new superior", options.new_superior, use));
  }
  return out;
}

Result<Encoder> modrdn_encoder(const WorkloadOptions& options, PatternUse& use) {
  KAURI_TRY(const RenamingPatterns patterns, renaming_patterns(options, use));
  return Encoder([patterns](ldap::MessageId id, const Fields& fields) -> Result<std::string> {
    KAURI_TRY(const Renaming names, patterns.expand(fields));
    std::string out;
    ldap::append_modify_dn_request(out, id,
                                   {names.old_dn, names.new_rdn, true, names.new_superior});
    return out;
  });
}

}  // namespace

Result<Pattern> parse_part(std::string_view what, std::string_view text, PatternUse& use) {
  auto pattern = Pattern::parse(text);
  if (!pattern) return pattern.error().with_context("the " + std::string(what));
  use.has_line |= pattern->has_line();
  use.columns = std::max(use.columns, pattern->columns());
  return pattern;
}

Result<Encoder> make_back_encoder(const WorkloadOptions& options, PatternUse& use) {
  KAURI_TRY(const RenamingPatterns patterns, renaming_patterns(options, use));
  for (const auto* pattern : {&patterns.new_rdn, &patterns.new_superior}) {
    if (*pattern && (*pattern)->has_serial()) {
      return invalid(
          "a renaming back cannot know a new name with {s} in it; keep the new names, or use {n}");
    }
  }
  return Encoder([patterns](ldap::MessageId id, const Fields& fields) -> Result<std::string> {
    KAURI_TRY(const Renaming names, patterns.expand(fields));
    const std::string now_at =
        ldap::join_dn(names.new_rdn, names.new_superior.value_or(names.old_parent));
    ldap::ModifyDnRequest request{now_at, names.old_rdn, true, {}};
    if (names.new_superior) request.new_superior = names.old_parent;
    std::string out;
    ldap::append_modify_dn_request(out, id, request);
    return out;
  });
}

Result<Encoder> make_encoder(const WorkloadOptions& options, PatternUse& use) {
  if (options.kind == WorkloadKind::kSearch) return search_encoder(options, use);
  if (options.kind == WorkloadKind::kModrdn) return modrdn_encoder(options, use);
  KAURI_TRY(const Pattern target, parse_part("target", target_text(options), use));
  switch (options.kind) {
    case WorkloadKind::kBind:
      return bind_encoder(options, target, use);
    case WorkloadKind::kModify:
      return modify_encoder(options, target, use);
    case WorkloadKind::kAdd:
      return add_encoder(options, target, use);
    case WorkloadKind::kCompare:
      return compare_encoder(options, target, use);
    default:
      break;
  }
  return Encoder([target](ldap::MessageId id, const Fields& fields) -> Result<std::string> {
    std::string out;
    ldap::append_delete_request(out, id, target.expand(fields));
    return out;
  });
}

}  // namespace kauri::toolkit
