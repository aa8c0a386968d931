#include "backend/import_record.h"

#include <algorithm>

#include "backend/csn.h"
#include "backend/write_context.h"
#include "base/assert.h"
#include "schema/dn_normal.h"
#include "text/visible.h"

namespace kauri::backend {
namespace {

// Who made an entry whose record does not say it.
constexpr std::string_view kCreator = "cn=import";
constexpr std::size_t kKnownMax = 100'000;

bool is_computed(const schema::WellKnown& known, const schema::AttributeType* type) {
  return type == known.entry_dn || type == known.subschema_subentry ||
         type == known.has_subordinates || type == known.num_subordinates ||
         type == known.structural_object_class;
}

void set_if_missing(entry::Entry& entry, const schema::AttributeType& type, std::string value) {
  if (entry.find(type) == nullptr) entry.set(type, std::move(value));
}

}  // namespace

RawRecord own_record(const ldif::Record& record) {
  RawRecord raw;
  std::size_t size = record.dn.size();
  for (const ldif::AttributeValue& one : record.attributes)
    size += one.description.size() + one.value.size();
  raw.octets.reserve(std::max(size, sizeof(std::string)));  // on the heap, so that moves keep views
  const auto keep = [&raw](std::string_view text) {
    const std::size_t at = raw.octets.size();
    raw.octets.append(text);
    return std::string_view(raw.octets.data() + at, text.size());
  };
  raw.dn = keep(record.dn);
  raw.values.reserve(record.attributes.size());
  for (const ldif::AttributeValue& one : record.attributes) {
    const std::string_view description = keep(one.description);
    raw.values.push_back({description, keep(one.value), one.line});
  }
  raw.kind = record.kind;
  raw.line = record.line;
  return raw;
}

std::string parent_name(const PreparedRecord& record) {
  ldap::Dn parent = record.name;
  if (!parent.empty()) parent.rdns.erase(parent.rdns.begin());
  return text::quoted(ldap::to_string(parent), 200);
}

RecordMaker::RecordMaker(std::shared_ptr<const schema::Schema> schema, Random& random,
                         bool keep_operational, std::int64_t start_micros,
                         HashPassword hash_password)
    : schema_(std::move(schema)),
      random_(random),
      keep_operational_(keep_operational),
      start_micros_(start_micros),
      hash_password_(std::move(hash_password)) {}

const RecordMaker::Known& RecordMaker::look_up(std::string_view description) {
  const std::string text(description);
  if (const auto found = known_.find(text); found != known_.end()) return found->second;
  if (known_.size() >= kKnownMax) known_.clear();
  Known known;
  if (std::optional<schema::AttributeDescription> parsed = schema_->attribute_description(text)) {
    const schema::AttributeType* type = parsed->type;
    known.action = Action::kKeep;
    if (is_computed(schema_->well_known(), type) ||
        (type->no_user_modification && !keep_operational_))
      known.action = Action::kDrop;
    else if (type->is_subtype_of(*schema_->well_known().user_password))
      known.action = Action::kPassword;
    known.description = std::move(*parsed);
  } else {
    known.why = schema::explain_bad_description(*schema_, text);
  }
  return known_.emplace(text, std::move(known)).first->second;
}

PreparedRecord RecordMaker::make(const RawRecord& raw) {
  PreparedRecord out;
  out.file = raw.file;
  out.line = raw.line;
  out.dn = raw.dn;
  out.reject = raw.fault;
  if (!out.reject.empty()) return out;
  if (raw.kind != ldif::RecordKind::kContent && raw.kind != ldif::RecordKind::kAdd) {
    out.reject = "changetype: " + std::string(ldif::to_string(raw.kind)) +
                 " cannot be imported; an import takes entries only";
    return out;
  }
  if (!take_name(raw, out) || !take_values(raw, out)) return out;
  if (Refusal bad = complete_entry(*schema_, out.name.rdns.front(), out.entry)) {
    out.reject = bad->diagnostic;
    return out;
  }
  set_operational(raw, out);
  return out;
}

bool RecordMaker::take_name(const RawRecord& raw, PreparedRecord& out) {
  Result<ldap::Dn> dn = ldap::parse_dn(raw.dn);
  if (!dn) {
    out.reject = dn.error().message();
    return false;
  }
  if (dn->empty()) {
    out.reject = "the DN is empty: the root DSE is made by the server";
    return false;
  }
  Result<std::vector<std::string>> rdns = schema::normalize_rdns(*schema_, *dn);
  if (!rdns) {
    out.reject = rdns.error().message();
    return false;
  }
  out.normal_rdns = std::move(*rdns);
  out.name = std::move(*dn);
  out.entry.rdn = ldap::to_string(out.name.rdns.front());
  return true;
}

bool RecordMaker::take_values(const RawRecord& raw, PreparedRecord& out) {
  const auto refuse = [&](std::uint64_t line, std::string why) {
    out.line = line;
    out.reject = std::move(why);
    return false;
  };
  std::string_view last_text;
  const Known* known = nullptr;
  std::size_t at = 0;
  for (const RawRecord::Value& one : raw.values) {
    if (known == nullptr || one.description != last_text) {
      known = &look_up(one.description);
      last_text = one.description;
      if (known->action == Action::kUnknown) return refuse(one.line, known->why);
      if (known->action != Action::kDrop) {
        entry::Attribute& attribute = out.entry.find_or_add(known->description);
        at = static_cast<std::size_t>(&attribute - out.entry.attributes.data());
      }
    }
    if (known->action == Action::kDrop) continue;
    if (auto bad = entry::check_value(known->description, one.value))
      return refuse(one.line, std::move(bad->diagnostic));
    std::string value(one.value);
    if (known->action == Action::kPassword && hash_password_) {
      Result<std::string> stored = hash_password_(one.value);
      if (!stored) return refuse(one.line, stored.error().message());
      value = std::move(*stored);
    }
    out.entry.attributes[at].values.push_back(std::move(value));
  }
  return true;
}

void RecordMaker::set_operational(const RawRecord& raw, PreparedRecord& out) {
  const schema::WellKnown& known = schema_->well_known();
  Csn csn{start_micros_ + static_cast<std::int64_t>(raw.ordinal), 0, 0, 0};
  const entry::Attribute* given = out.entry.find(*known.entry_csn);
  if (given != nullptr) {
    if (const std::optional<Csn> parsed = parse_csn(given->values.front())) csn = *parsed;
  }
  out.csn = to_string(csn);
  out.entry.set(*known.entry_csn, out.csn);
  const std::string time = generalized_time(csn.micros);
  set_if_missing(out.entry, *known.entry_uuid, format_uuid(random_.uuid()));
  set_if_missing(out.entry, *known.creators_name, std::string(kCreator));
  set_if_missing(out.entry, *known.create_timestamp, time);
  set_if_missing(out.entry, *known.modifiers_name, std::string(kCreator));
  set_if_missing(out.entry, *known.modify_timestamp, time);
  const schema::ObjectClass* structural = entry::structural_class(*schema_, out.entry);
  KAURI_ASSERT(structural != nullptr);  // complete_entry has checked it
  out.entry.set(*known.structural_object_class, std::string(structural->name()));
}

}  // namespace kauri::backend
