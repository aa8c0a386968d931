#include "entry/entry_view.h"

#include <algorithm>
#include <cstring>

#include "base/digest.h"
#include "base/endian.h"
#include "entry/entry_format.h"

namespace kauri::entry {
namespace {

template <class T>
T load(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

Error damaged(std::string what) {
  return corruption("entry record: " + std::move(what));
}

// Checks `count` inline slots against the `size` octets that they cut up. RETURNS: what is wrong,
// or nullptr.
const char* check_inline_slots(const char* slot, std::size_t count, std::size_t size) {
  if (count == 0) return size == 0 ? nullptr : "there are attributes that no slot names";
  if (load<std::uint32_t>(slot + format::kOffset) != 0)
    return "the first attribute does not start at 0";
  for (std::size_t i = 0; i < count; ++i, slot += format::kSlotSize) {
    const std::size_t start = load<std::uint32_t>(slot + format::kOffset);
    const std::size_t end =
        i + 1 < count ? load<std::uint32_t>(slot + format::kSlotSize + format::kOffset) : size;
    if (end > size || start >= end) return "an attribute lies outside of its place";
    if (load<std::uint16_t>(slot + format::kValuesAt) > end - start)
      return "values start outside of the attribute";
    if (load<std::uint32_t>(slot + format::kNumber) == 0) return "an attribute has the number 0";
  }
  return nullptr;
}

const char* check_external_slots(const char* slot, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i, slot += format::kSlotSize) {
    if (load<std::uint32_t>(slot + format::kNumber) == 0) return "an attribute has the number 0";
    if (load<std::uint32_t>(slot + format::kValuesAt) != 0)
      return "an external attribute has octets that must be 0";
  }
  return nullptr;
}

}  // namespace

void ValueRange::Iterator::load_slowly() {
  value_ = {};
  step_ = 0;
  std::size_t size = 0;
  const std::size_t header = format::read_header(rest_, format::kOctetString, size);
  if (header == 0) {
    rest_.remove_prefix(rest_.size());  // the end, or damage
    return;
  }
  value_ = rest_.substr(header, size);
  step_ = header + size;
}

Result<EntryView> EntryView::parse(std::string_view record) {
  if (record.size() < format::kHeaderSize) [[unlikely]]
    return damaged("has " + std::to_string(record.size()) + " octets, fewer than its header");
  const char* at = record.data();
  const auto stored = load<std::uint32_t>(at + format::kCrc);
  const std::uint32_t computed = crc32c(record.substr(format::kVersionAt));
  if (stored != computed) [[unlikely]]
    return damaged("the checksum is " + std::to_string(computed) + ", stored is " +
                   std::to_string(stored));
  if (const auto version = static_cast<unsigned char>(at[format::kVersionAt]);
      version != format::kVersion) [[unlikely]]
    return damaged("format version " + std::to_string(version) + " is unknown to this program");
  if (at[format::kReserved] != 0) [[unlikely]]
    return damaged("the reserved octet is not 0");

  EntryView view;
  view.parent_ = EntryId(load<std::uint64_t>(at + format::kParent));
  view.user_inline_ = load<std::uint16_t>(at + format::kUserInline);
  view.user_external_ = load<std::uint16_t>(at + format::kUserExternal);
  view.operational_inline_ = load<std::uint16_t>(at + format::kOperationalInline);
  view.operational_external_ = load<std::uint16_t>(at + format::kOperationalExternal);
  const std::size_t directory_size = view.attribute_count() * format::kSlotSize;
  const std::size_t rdn_size = load<std::uint16_t>(at + format::kRdnSize);
  const std::size_t user_size = load<std::uint32_t>(at + format::kUserSize);
  const std::size_t operational_size = load<std::uint32_t>(at + format::kOperationalSize);
  const std::size_t due =
      format::kHeaderSize + directory_size + rdn_size + user_size + operational_size;
  if (due != record.size()) [[unlikely]]
    return damaged("has " + std::to_string(record.size()) + " octets, its parts make " +
                   std::to_string(due));

  view.directory_ = at + format::kHeaderSize;
  view.rdn_ = record.substr(format::kHeaderSize + directory_size, rdn_size);
  view.user_encoded_ = record.substr(format::kHeaderSize + directory_size + rdn_size, user_size);
  view.operational_encoded_ = record.substr(record.size() - operational_size);

  const char* slot = view.directory_;
  const char* why = check_inline_slots(slot, view.user_inline_, user_size);
  slot += view.user_inline_ * format::kSlotSize;
  if (why == nullptr) why = check_external_slots(slot, view.user_external_);
  slot += view.user_external_ * format::kSlotSize;
  if (why == nullptr) why = check_inline_slots(slot, view.operational_inline_, operational_size);
  slot += view.operational_inline_ * format::kSlotSize;
  if (why == nullptr) why = check_external_slots(slot, view.operational_external_);
  if (why != nullptr) [[unlikely]]
    return damaged(why);
  const std::size_t count = view.attribute_count();
  for (std::size_t i = 0; i < count; ++i)
    view.highest_number_ =
        std::max(view.highest_number_,
                 load<std::uint32_t>(view.directory_ + i * format::kSlotSize + format::kNumber));
  return view;
}

AttributeSlot EntryView::attribute(std::size_t index) const {
  const char* slot = directory_ + index * format::kSlotSize;
  AttributeSlot out;
  out.number = AttributeNumber(load<std::uint32_t>(slot + format::kNumber));
  std::size_t place = index;
  std::size_t inline_count = user_inline_;
  std::string_view encoded = user_encoded_;
  const std::size_t user_count = std::size_t{user_inline_} + user_external_;
  if (index >= user_count) {
    out.operational = true;
    place -= user_count;
    inline_count = operational_inline_;
    encoded = operational_encoded_;
  }
  const std::size_t offset = load<std::uint32_t>(slot + format::kOffset);
  if (place >= inline_count) {
    out.external = true;
    out.value_count = static_cast<std::uint32_t>(offset);
    return out;
  }
  const std::size_t end = place + 1 < inline_count
                              ? load<std::uint32_t>(slot + format::kSlotSize + format::kOffset)
                              : encoded.size();
  out.encoded = encoded.substr(offset, end - offset);
  out.values = ValueRange(out.encoded.substr(load<std::uint16_t>(slot + format::kValuesAt)));
  out.value_count = load<std::uint16_t>(slot + format::kValueCount);
  if (out.value_count == format::kCountSaturated) [[unlikely]] {
    out.value_count = 0;
    for ([[maybe_unused]] const std::string_view value : out.values) ++out.value_count;
  }
  return out;
}

std::optional<AttributeSlot> EntryView::find(AttributeNumber number) const {
  const std::size_t count = attribute_count();
  const char* slot = directory_ + format::kNumber;
  for (std::size_t i = 0; i < count; ++i, slot += format::kSlotSize)
    if (load<std::uint32_t>(slot) == number.value()) return attribute(i);
  return std::nullopt;
}

Result<void> EntryView::check_values() const {
  const std::size_t count = attribute_count();
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    const AttributeSlot slot = attribute(i);
    numbers.push_back(slot.number.value());
    if (!slot.external) KAURI_CHECK(check_attribute(slot));
  }
  std::sort(numbers.begin(), numbers.end());
  if (const auto twice = std::adjacent_find(numbers.begin(), numbers.end()); twice != numbers.end())
    return damaged("two slots have the attribute number " + std::to_string(*twice));
  return {};
}

Result<void> EntryView::check_attribute(const AttributeSlot& slot) const {
  const auto refuse = [&](std::string_view what) {
    return damaged("attribute number " + std::to_string(slot.number.value()) + ": " +
                   std::string(what));
  };
  std::string_view rest = slot.encoded;
  std::size_t size = 0;
  std::size_t header = format::read_header(rest, format::kSequence, size);
  if (header == 0 || header + size != rest.size()) return refuse("is not one SEQUENCE");
  rest.remove_prefix(header);
  header = format::read_header(rest, format::kOctetString, size);
  if (header == 0 || size == 0) return refuse("has no type");
  rest.remove_prefix(header + size);
  header = format::read_header(rest, format::kSet, size);
  if (header == 0 || header + size != rest.size()) return refuse("does not end with a SET");
  rest.remove_prefix(header);
  const char* values = slot.encoded.data() + (slot.encoded.size() - rest.size());
  const char* named =
      slot.values.begin() != slot.values.end() ? (*slot.values.begin()).data() : nullptr;
  std::uint32_t count = 0;
  while (!rest.empty()) {
    header = format::read_header(rest, format::kOctetString, size);
    if (header == 0)
      return refuse("value " + std::to_string(count + 1) + " is not an OCTET STRING");
    if (count == 0 && rest.data() == values && named != values + header)
      return refuse("the slot names another place than that of the first value");
    rest.remove_prefix(header + size);
    ++count;
  }
  if (count == 0) return refuse("has no value");
  if (count != slot.value_count)
    return refuse("has " + std::to_string(count) + " values, the slot says " +
                  std::to_string(slot.value_count));
  return {};
}

}  // namespace kauri::entry
