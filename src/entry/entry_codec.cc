// encode_entry and decode_entry (declared in entry_view.h).
#include <algorithm>
#include <limits>

#include "base/assert.h"
#include "base/digest.h"
#include "base/endian.h"
#include "entry/entry_format.h"
#include "entry/entry_view.h"

namespace kauri::entry {
namespace {

// One attribute on its way into a record.
struct Planned {
  AttributeNumber number;
  std::string_view kept;  // all of it, from another record; else:
  std::span<const std::string> values;
  std::string_view type;
  std::size_t values_size = 0;  // of the SET's contents
  std::size_t count = 0;        // values
};

// User or operational attributes.
struct Section {
  std::vector<Planned> inlined;
  std::vector<ExternalAttribute> external;
  std::size_t size = 0;  // octets of the encoded attributes
};

std::size_t type_and_values_size(const Planned& planned) {
  return format::header_size(planned.type.size()) + planned.type.size() +
         format::header_size(planned.values_size) + planned.values_size;
}

std::size_t attribute_size(const Planned& planned) {
  if (!planned.kept.empty()) return planned.kept.size();
  const std::size_t contents = type_and_values_size(planned);
  return format::header_size(contents) + contents;
}

template <class To>
To narrow(std::size_t value) {
  // check_entry bounds all that a client can make large.
  KAURI_ASSERT(value <= std::numeric_limits<To>::max());
  return static_cast<To>(value);
}

void append_slots(std::string& out, const Section& section) {
  std::size_t offset = 0;
  for (const Planned& planned : section.inlined) {
    const std::size_t size = attribute_size(planned);
    const std::size_t count = std::min<std::size_t>(planned.count, format::kCountSaturated);
    append_little_endian(out, planned.number.value());
    append_little_endian(out, narrow<std::uint32_t>(offset));
    append_little_endian(out, narrow<std::uint16_t>(size - planned.values_size));
    append_little_endian(out, static_cast<std::uint16_t>(count));
    offset += size;
  }
  for (const ExternalAttribute& external : section.external) {
    append_little_endian(out, external.number.value());
    append_little_endian(out, external.value_count);
    append_little_endian(out, std::uint32_t{0});
  }
}

void append_attributes(std::string& out, const Section& section) {
  for (const Planned& planned : section.inlined) {
    if (!planned.kept.empty()) {
      out.append(planned.kept);
      continue;
    }
    format::append_header(out, format::kSequence, type_and_values_size(planned));
    format::append_header(out, format::kOctetString, planned.type.size());
    out.append(planned.type);
    format::append_header(out, format::kSet, planned.values_size);
    for (const std::string& value : planned.values) {
      format::append_header(out, format::kOctetString, value.size());
      out.append(value);
    }
  }
}

Planned plan_part(const RecordPart& part, const Dictionary& dictionary) {
  if (part.kept)
    return {part.number,           part.kept->encoded, {}, {}, part.kept->values.contents().size(),
            part.kept->value_count};
  Planned planned{part.number,       {}, part.values, dictionary.text(part.number), 0,
                  part.values.size()};
  for (const std::string& value : part.values)
    planned.values_size += format::header_size(value.size()) + value.size();
  return planned;
}

}  // namespace

std::string encode_record(std::string_view rdn, EntryId parent, std::span<const RecordPart> parts,
                          std::span<const ExternalAttribute> external,
                          const Dictionary& dictionary) {
  Section user;
  Section operational;
  user.inlined.reserve(parts.size());
  const auto section_of = [&](AttributeNumber number) -> Section& {
    return dictionary.description(number).type->operational() ? operational : user;
  };
  for (const ExternalAttribute& one : external) section_of(one.number).external.push_back(one);
  for (const RecordPart& part : parts) {
    if (!part.kept && part.values.empty()) continue;
    Section& section = section_of(part.number);
    section.inlined.push_back(plan_part(part, dictionary));
    section.size += attribute_size(section.inlined.back());
  }

  const std::size_t slots = user.inlined.size() + user.external.size() +
                            operational.inlined.size() + operational.external.size();
  std::string out;
  out.reserve(format::kHeaderSize + slots * format::kSlotSize + rdn.size() + user.size +
              operational.size);
  out.append(4, '\0');  // the checksum, when the rest stands
  out += static_cast<char>(format::kVersion);
  out += '\0';
  append_little_endian(out, narrow<std::uint16_t>(rdn.size()));
  append_little_endian(out, parent.value());
  append_little_endian(out, narrow<std::uint32_t>(user.size));
  append_little_endian(out, narrow<std::uint32_t>(operational.size));
  append_little_endian(out, narrow<std::uint16_t>(user.inlined.size()));
  append_little_endian(out, narrow<std::uint16_t>(user.external.size()));
  append_little_endian(out, narrow<std::uint16_t>(operational.inlined.size()));
  append_little_endian(out, narrow<std::uint16_t>(operational.external.size()));
  append_slots(out, user);
  append_slots(out, operational);
  out.append(rdn);
  append_attributes(out, user);
  append_attributes(out, operational);
  const std::uint32_t crc = crc32c(std::string_view(out).substr(format::kVersionAt));
  std::memcpy(out.data() + format::kCrc, &crc, sizeof crc);
  return out;
}

std::string encode_entry(const Entry& entry, Dictionary& dictionary,
                         const std::vector<ExternalAttribute>& external) {
  std::vector<RecordPart> parts;
  parts.reserve(entry.attributes.size());
  for (const Attribute& attribute : entry.attributes) {
    const AttributeNumber number = dictionary.intern(attribute.description);
    const auto same = [&](const ExternalAttribute& one) { return one.number == number; };
    if (std::none_of(external.begin(), external.end(), same))
      parts.push_back({number, {}, attribute.values});
  }
  return encode_record(entry.rdn, entry.parent, parts, external, dictionary);
}

Entry decode_entry(const EntryView& view, const Dictionary& dictionary,
                   std::vector<ExternalAttribute>* external) {
  Entry entry;
  entry.rdn = view.rdn();
  entry.parent = view.parent();
  const std::size_t count = view.attribute_count();
  entry.attributes.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const AttributeSlot slot = view.attribute(i);
    Attribute& attribute =
        entry.attributes.emplace_back(Attribute{dictionary.description(slot.number), {}});
    if (slot.external) {
      if (external != nullptr) external->push_back({slot.number, slot.value_count});
      continue;
    }
    attribute.values.reserve(std::min<std::size_t>(slot.value_count, slot.encoded.size() / 2));
    for (const std::string_view value : slot.values) attribute.values.emplace_back(value);
  }
  return entry;
}

}  // namespace kauri::entry
