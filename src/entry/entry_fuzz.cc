// Stored entries of any octets, with the checksum put right so that the structure is what is
// tested: nothing outside of the record is read, and a record that check_values() accepts survives
// decoding and encoding.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/digest.h"
#include "entry/entry_format.h"
#include "entry/entry_view.h"
#include "schema/schema_loader.h"

using namespace kauri;
using namespace kauri::entry;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

Dictionary& dictionary() {
  static Dictionary instance(schema::builtin_schema());
  if (instance.size() == 0) {
    for (const auto* type : instance.schema().attribute_types()) instance.intern({type, {}});
  }
  return instance;
}

std::size_t walk(const EntryView& view) {
  std::size_t octets = view.rdn().size();
  for (std::size_t i = 0; i < view.attribute_count(); ++i) {
    const AttributeSlot slot = view.attribute(i);
    require(view.find(slot.number).has_value());
    if (!slot.encoded.empty()) octets += static_cast<unsigned char>(slot.encoded.back());
    for (const std::string_view value : slot.values)
      for (const char c : value) octets += static_cast<unsigned char>(c);
  }
  return octets;
}

void round_trip(const EntryView& view) {
  for (std::size_t i = 0; i < view.attribute_count(); ++i)
    if (!dictionary().contains(view.attribute(i).number)) return;
  std::vector<ExternalAttribute> external;
  const Entry entry = decode_entry(view, dictionary(), &external);
  const std::string record = encode_entry(entry, dictionary(), external);
  const auto again = EntryView::parse(record);
  require(again.has_value() && again->check_values().has_value());
  require(again->attribute_count() == view.attribute_count());
  require(again->parent() == view.parent() && again->rdn() == view.rdn());
  require(decode_entry(*again, dictionary(), nullptr).attributes.size() == entry.attributes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < format::kHeaderSize) return 0;
  // On the heap and exactly as large as the input, so that a read behind it is seen.
  const auto memory = std::make_unique<char[]>(size);
  std::memcpy(memory.get(), data, size);
  const std::string_view record(memory.get(), size);
  const std::uint32_t crc = crc32c(record.substr(format::kVersionAt));
  std::memcpy(memory.get() + format::kCrc, &crc, sizeof crc);
  const auto view = EntryView::parse(record);
  if (!view) return 0;
  walk(*view);
  if (view->check_values()) round_trip(*view);
  return 0;
}
