#include "operation/entry_writer.h"

#include <vector>

#include "ber/writer.h"

namespace kauri::operation {
namespace {

using query::Right;

// The scratch buffer of a very large entry is not kept for ever.
constexpr std::size_t kScratchKeptMax = std::size_t{1} << 20U;

// PartialAttribute ::= SEQUENCE { type, SET OF value } around a set of known size.
void append_attribute_head(std::string& out, std::string_view type, std::size_t set_size) {
  const std::size_t type_size = ber::header_size(type.size()) + type.size();
  ber::append_header(out, ber::kSequence, type_size + ber::header_size(set_size) + set_size);
  ber::append_header(out, ber::kOctetString, type.size());
  out.append(type);
  ber::append_header(out, ber::kSet, set_size);
}

}  // namespace

bool EntryWriter::may_read_all_user(query::AccessTarget& target) {
  const entry::EntryView& view = *target.entry();
  for (std::size_t i = 0; i < view.attribute_count(); ++i) {
    const entry::AttributeSlot slot = view.attribute(i);
    if (slot.operational) break;
    const schema::AttributeType& type = *dictionary.description(slot.number).type;
    if (!authorizer.may(target, slot.number, type, Right::kRead)) return false;
  }
  return true;
}

Result<void> EntryWriter::append(ldap::MessageId id, std::string_view dn,
                                 query::AccessTarget& target, std::string& out) {
  const entry::EntryView& view = *target.entry();
  if (selection.plain_user() && !view.has_external() && may_read_all_user(target)) {
    const std::string_view encoded = view.user_encoded();
    ldap::append_search_entry_head(out, id, dn, encoded.size());
    out.append(encoded);
    copied = true;
    return {};
  }
  scratch.clear();
  KAURI_CHECK(gather(target));
  ldap::append_search_entry_head(out, id, dn, scratch.size());
  out.append(scratch);
  if (scratch.capacity() > kScratchKeptMax) std::string().swap(scratch);
  return {};
}

Result<void> EntryWriter::gather(query::AccessTarget& target) {
  const entry::EntryView& view = *target.entry();
  for (std::size_t i = 0; i < view.attribute_count(); ++i) {
    const entry::AttributeSlot slot = view.attribute(i);
    if (!selection.wants(slot.number, slot.operational)) continue;
    const schema::AttributeType& type = *dictionary.description(slot.number).type;
    if (!authorizer.may(target, slot.number, type, Right::kRead)) continue;
    if (selection.types_only()) {
      append_attribute_head(scratch, dictionary.text(slot.number), 0);
    } else if (slot.external) {
      KAURI_CHECK(gather_external(target.id(), slot));
    } else {
      scratch.append(slot.encoded);
    }
  }
  if (computed != nullptr) KAURI_CHECK(gather_computed(target));
  return {};
}

Result<void> EntryWriter::gather_external(EntryId id, const entry::AttributeSlot& slot) {
  if (external == nullptr) return {};
  // Two walks over the values, so that their size is known before the first is copied.
  std::size_t set_size = 0;
  KAURI_CHECK(external->for_each(
      id, slot,
      [](void* context, std::string_view value) {
        *static_cast<std::size_t*>(context) += ber::header_size(value.size()) + value.size();
        return true;
      },
      &set_size));
  append_attribute_head(scratch, dictionary.text(slot.number), set_size);
  return external->for_each(
      id, slot,
      [](void* context, std::string_view value) {
        auto& out = *static_cast<std::string*>(context);
        ber::append_header(out, ber::kOctetString, value.size());
        out.append(value);
        return true;
      },
      &scratch);
}

Result<void> EntryWriter::gather_computed(query::AccessTarget& target) {
  for (std::size_t i = 0; i < kComputedCount; ++i) {
    const auto which = static_cast<Computed>(i);
    if (!selection.wants(which)) continue;
    const schema::AttributeType& type = computed_type(dictionary.schema(), which);
    if (!authorizer.may(target, type, Right::kRead)) continue;
    std::vector<std::string> values;
    if (!selection.types_only()) KAURI_CHECK(computed->append(target, which, values));
    std::size_t set_size = 0;
    for (const std::string& value : values) {
      set_size += ber::header_size(value.size()) + value.size();
    }
    append_attribute_head(scratch, type.name(), set_size);
    for (const std::string& value : values) {
      ber::append_header(scratch, ber::kOctetString, value.size());
      scratch.append(value);
    }
  }
  return {};
}

}  // namespace kauri::operation
