#include "toolkit/workload.h"

#include <algorithm>
#include <utility>

#include "ldap/client.h"
#include "ldap/dn.h"
#include "ldap/filter.h"
#include "ldif/reader.h"
#include "ldif/source.h"
#include "toolkit/pattern.h"

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

bool same_type(std::string_view one, std::string_view other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](char a, char b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return lower(a) == lower(b);
  });
}

Result<Pattern> parse_part(std::string_view what, std::string_view text) {
  auto pattern = Pattern::parse(text);
  if (!pattern) return pattern.error().with_context("the " + std::string(what));
  return pattern;
}

Result<Encoder> search_encoder(const WorkloadOptions& options) {
  KAURI_TRY(const Pattern base, parse_part("base", options.base));
  KAURI_TRY(const Pattern filter, parse_part("filter", options.filter));
  return Encoder([base, filter, options](ldap::MessageId id, std::string_view number,
                                         std::string_view serial) -> Result<std::string> {
    const std::string text = filter.expand(number, serial);
    auto parsed = ldap::parse_filter(text);
    if (!parsed) return parsed.error().with_context("the filter '" + text + "'");
    ldap::SearchRequestText request;
    request.base = base.expand(number, serial);
    request.scope = options.scope;
    request.attributes = options.attributes;
    std::string out;
    ldap::append_search_request(out, id, request, *parsed);
    return out;
  });
}

Result<Encoder> bind_encoder(const WorkloadOptions& options, const Pattern& target) {
  KAURI_TRY(const Pattern password, parse_part("password", options.password));
  return Encoder([target, password](ldap::MessageId id, std::string_view number,
                                    std::string_view serial) -> Result<std::string> {
    std::string out;
    ldap::append_simple_bind_request(out, id, target.expand(number, serial),
                                     password.expand(number, serial));
    return out;
  });
}

Result<Encoder> modify_encoder(const WorkloadOptions& options, const Pattern& target) {
  const std::string attribute = options.attribute.empty() ? "description" : options.attribute;
  KAURI_TRY(const Pattern value,
            parse_part("value", options.value.empty() ? "load test value {s}" : options.value));
  return Encoder([target, attribute, value](ldap::MessageId id, std::string_view number,
                                            std::string_view serial) -> Result<std::string> {
    const std::string text = value.expand(number, serial);
    const ldap::ModificationView change{ldap::ModifyOperation::kReplace, {attribute, {text}}};
    std::string out;
    ldap::append_modify_request(out, id, target.expand(number, serial), {change});
    return out;
  });
}

Result<Encoder> compare_encoder(const WorkloadOptions& options, const Pattern& target) {
  if (!options.attribute.empty() && options.value.empty()) {
    return invalid("a compare of the attribute '" + options.attribute + "' needs a value");
  }
  KAURI_TRY(const Pattern value, parse_part("value", options.value));
  return Encoder([target, value, options](ldap::MessageId id, std::string_view number,
                                          std::string_view serial) -> Result<std::string> {
    const std::string dn = target.expand(number, serial);
    NamingPair pair{options.attribute, value.expand(number, serial)};
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

Result<Encoder> add_encoder(const WorkloadOptions& options, const Pattern& target) {
  const bool builtin = options.entry.empty();
  KAURI_TRY(const Pattern entry,
            parse_part("entry", builtin ? std::string(kBuiltinEntry) : options.entry));
  return Encoder([target, entry, builtin](ldap::MessageId id, std::string_view number,
                                          std::string_view serial) -> Result<std::string> {
    std::string text = entry.expand(number, serial);
    if (builtin) {
      KAURI_TRY(text, builtin_entry(target.expand(number, serial), text));
    }
    return encode_entry(id, text);
  });
}

Result<Encoder> make_encoder(const WorkloadOptions& options, const Pattern& target) {
  switch (options.kind) {
    case WorkloadKind::kSearch:
      return search_encoder(options);
    case WorkloadKind::kBind:
      return bind_encoder(options, target);
    case WorkloadKind::kModify:
      return modify_encoder(options, target);
    case WorkloadKind::kAdd:
      return add_encoder(options, target);
    case WorkloadKind::kCompare:
      return compare_encoder(options, target);
    case WorkloadKind::kDelete:
      break;
  }
  return Encoder([target](ldap::MessageId id, std::string_view number,
                          std::string_view serial) -> Result<std::string> {
    std::string out;
    ldap::append_delete_request(out, id, target.expand(number, serial));
    return out;
  });
}

ldap::Operation answer_of(WorkloadKind kind) {
  switch (kind) {
    case WorkloadKind::kSearch:
      return ldap::Operation::kSearchResultDone;
    case WorkloadKind::kBind:
      return ldap::Operation::kBindResponse;
    case WorkloadKind::kModify:
      return ldap::Operation::kModifyResponse;
    case WorkloadKind::kAdd:
      return ldap::Operation::kAddResponse;
    case WorkloadKind::kCompare:
      return ldap::Operation::kCompareResponse;
    case WorkloadKind::kDelete:
      break;
  }
  return ldap::Operation::kDelResponse;
}

}  // namespace

std::string_view to_string(WorkloadKind kind) {
  switch (kind) {
    case WorkloadKind::kSearch:
      return "search";
    case WorkloadKind::kBind:
      return "bind";
    case WorkloadKind::kModify:
      return "modify";
    case WorkloadKind::kAdd:
      return "add";
    case WorkloadKind::kCompare:
      return "compare";
    case WorkloadKind::kDelete:
      break;
  }
  return "delete";
}

std::string default_target(WorkloadKind kind, std::string_view base) {
  const std::string_view name = kind == WorkloadKind::kAdd ? "bench" : "user";
  return "uid=" + std::string(name) + ".{n},ou=People," + std::string(base);
}

Result<Workload> make_workload(const WorkloadOptions& options) {
  const std::string target_text =
      options.target.empty() ? default_target(options.kind, options.base) : options.target;
  KAURI_TRY(const Pattern target, parse_part("target", target_text));
  KAURI_TRY(const Encoder encoder, make_encoder(options, target));
  Workload out;
  KAURI_TRY(out.requests, RequestTemplate::make(encoder, options.low, options.high));
  out.kind = options.kind;
  out.answer_tag = ber::application_constructed(static_cast<unsigned>(answer_of(options.kind)));
  out.right_code =
      static_cast<int>(options.kind == WorkloadKind::kCompare ? ldap::ResultCode::kCompareTrue
                                                              : ldap::ResultCode::kSuccess);
  out.description =
      std::string(to_string(options.kind)) + " " +
      (options.kind == WorkloadKind::kSearch ? options.filter + " below " + options.base
       : options.kind == WorkloadKind::kAdd && !options.entry.empty() ? "entries of a template"
                                                                      : target_text);
  return out;
}

}  // namespace kauri::toolkit
