// EntryView: a stored entry read in place, and the codec of the stored form ("wire form",
// docs/formats/entry.md).
//
// The record holds a header, a directory of attributes and, behind it, each attribute as the BER
// PartialAttribute that a SearchResultEntry carries, first all user attributes, then the
// operational ones, with a CRC-32C over all of it. VALID UNTIL: views point into the record. Thread
// safety: immutable.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/strong_id.h"
#include "entry/dictionary.h"
#include "entry/entry.h"

namespace kauri::entry {

// Walks the values of an encoded SET OF OCTET STRING. Stays inside it whatever the octets are: the
// walk ends at a value that is damaged (EntryView::check_values finds those).
class ValueRange {
 public:
  class Iterator {
   public:
    explicit Iterator(std::string_view rest) : rest_(rest) { load(); }
    std::string_view operator*() const { return value_; }
    Iterator& operator++() {
      rest_.remove_prefix(step_);
      load();
      return *this;
    }
    bool operator!=(const Iterator& other) const { return rest_.data() != other.rest_.data(); }

   private:
    void load() {
      // Nearly all values are shorter than 128 octets.
      if (rest_.size() >= 2 && rest_[0] == 0x04) [[likely]] {
        const auto length = static_cast<unsigned char>(rest_[1]);
        if (length < 0x80 && length <= rest_.size() - 2) [[likely]] {
          value_ = rest_.substr(2, length);
          step_ = std::size_t{2} + length;
          return;
        }
      }
      load_slowly();
    }
    void load_slowly();
    std::string_view rest_;
    std::string_view value_;
    std::size_t step_ = 0;
  };
  ValueRange() = default;
  explicit ValueRange(std::string_view set_contents) : contents_(set_contents) {}
  Iterator begin() const { return Iterator(contents_); }
  Iterator end() const { return Iterator(contents_.substr(contents_.size())); }
  bool empty() const { return contents_.empty(); }
  std::string_view contents() const { return contents_; }

 private:
  std::string_view contents_;
};

struct AttributeSlot {
  AttributeNumber number;
  std::uint32_t value_count =
      0;                  // of an external attribute: how many values the values table holds
  bool external = false;  // values are in the values table; `encoded` is empty then
  bool operational = false;
  std::string_view encoded;  // the whole PartialAttribute
  ValueRange values;
};

class EntryView {
 public:
  // Checks the checksum and the structure: all that the accessors rely on. RETURNS: kCorruption
  // with what failed.
  static Result<EntryView> parse(std::string_view record);

  // Checks what parse() leaves to the checksum: the encoding of each attribute and value, the
  // counts, that no number comes twice. For verification and tests. RETURNS: kCorruption with what
  // failed.
  Result<void> check_values() const;

  EntryId parent() const { return parent_; }
  std::string_view rdn() const { return rdn_; }  // RFC 4514 text; the whole DN for the suffix entry
  bool has_external() const { return user_external_ + operational_external_ > 0; }
  std::size_t attribute_count() const {
    return std::size_t{user_inline_} + user_external_ + operational_inline_ + operational_external_;
  }
  // Of all slots; 0 = there is none. A record can be sound and still name a number that the
  // dictionary has lost.
  AttributeNumber highest_number() const { return AttributeNumber(highest_number_); }
  // REQUIRES: index < attribute_count(). User attributes come first.
  AttributeSlot attribute(std::size_t index) const;
  std::optional<AttributeSlot> find(AttributeNumber number) const;
  // All user (operational) attributes as consecutive PartialAttributes; external ones are not in
  // it.
  std::string_view user_encoded() const { return user_encoded_; }
  std::string_view operational_encoded() const { return operational_encoded_; }

 private:
  Result<void> check_attribute(const AttributeSlot& slot) const;

  EntryId parent_;
  std::string_view rdn_;
  const char* directory_ = nullptr;
  std::string_view user_encoded_;
  std::string_view operational_encoded_;
  // Slots of the directory, in this order.
  std::uint16_t user_inline_ = 0;
  std::uint16_t user_external_ = 0;
  std::uint16_t operational_inline_ = 0;
  std::uint16_t operational_external_ = 0;
  std::uint32_t highest_number_ = 0;
};

// Access to values that live outside the record. Implemented by the backend over the values table.
class ExternalValues {
 public:
  virtual ~ExternalValues() = default;
  // Whether the attribute has a value with this normal form (by the type's equality rule).
  virtual Result<bool> contains(EntryId id, AttributeNumber number,
                                std::string_view normal_value) = 0;
  // Calls back with each value of an external attribute; stops when it returns false. RETURNS:
  // kCorruption when there are not as many as the entry says: some were lost.
  virtual Result<void> for_each(EntryId id, const AttributeSlot& slot,
                                bool (*callback)(void* context, std::string_view value),
                                void* context) = 0;
};

// Which attributes of an Entry are stored outside the record, with their value counts.
struct ExternalAttribute {
  AttributeNumber number;
  std::uint32_t value_count = 0;
};

// An attribute of a record that is being made: as another record of the same dictionary has it, or
// from its values.
struct RecordPart {
  AttributeNumber number;
  std::optional<AttributeSlot> kept = {};
  std::span<const std::string> values = {};  // none = there is no such attribute
};
// Encodes an entry of these attributes, in this order, and of external ones, which get a directory
// slot only; the caller stores their values. REQUIRES: all numbers are in the dictionary, none
// comes twice.
std::string encode_record(std::string_view rdn, EntryId parent, std::span<const RecordPart> parts,
                          std::span<const ExternalAttribute> external,
                          const Dictionary& dictionary);
// Encodes `entry`; numbers are interned in `dictionary` (so: writer thread or import). Attributes
// listed in `external` get a directory slot only; the caller stores their values.
std::string encode_entry(const Entry& entry, Dictionary& dictionary,
                         const std::vector<ExternalAttribute>& external = {});
// Back to the in-memory form; external attributes come without values and are listed in *external
// (if not null). REQUIRES: the dictionary contains all numbers of the record.
Entry decode_entry(const EntryView& view, const Dictionary& dictionary,
                   std::vector<ExternalAttribute>* external);

}  // namespace kauri::entry
