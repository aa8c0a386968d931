// Record: one record of an LDIF file (RFC 2849), content or change, as views.
//
// VALID UNTIL: all views in a Record that a Reader filled end with the next call of Reader::next()
// and with the Reader. Thread safety: thread-compatible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace kauri::ldif {

enum class RecordKind : std::uint8_t { kContent, kAdd, kDelete, kModify, kModDn };
enum class ModificationKind : std::uint8_t {
  kAdd,
  kDelete,
  kReplace,
  kIncrement
};  // kIncrement: RFC 4525

// "add", "modrdn", ... as changetype has it; "content" for a content record.
std::string_view to_string(RecordKind kind);
std::string_view to_string(ModificationKind kind);

struct AttributeValue {
  std::string_view description;  // as written; letters, digits and "-._;" only
  std::string_view value;        // decoded octets
  std::uint64_t line = 0;        // where it starts; the first line of a file is 1
};

struct Modification {
  ModificationKind kind = ModificationKind::kAdd;
  std::string_view description;
  std::uint64_t line = 0;
  std::size_t first = 0;  // its values in Record::attributes, see Record::values_of
  std::size_t count = 0;
};

struct Control {
  std::string_view oid;
  bool critical = false;
  std::optional<std::string_view> value;
  std::uint64_t line = 0;
};

struct Record {
  std::uint64_t line = 0;  // of "dn:"
  std::string_view dn;     // UTF-8, not parsed further
  RecordKind kind = RecordKind::kContent;
  std::vector<Control> controls;
  // kContent, kAdd: in the order of the file; values of one attribute need not stand together.
  // kModify: the values of all modifications.
  std::vector<AttributeValue> attributes;
  std::vector<Modification> modifications;  // kModify
  std::string_view new_rdn;                 // kModDn, as the next two
  bool delete_old_rdn = false;
  std::optional<std::string_view> new_superior;

  std::span<const AttributeValue> values_of(const Modification& modification) const {
    return std::span(attributes).subspan(modification.first, modification.count);
  }
  // Empty, with the memory of the vectors kept.
  void clear();
};

}  // namespace kauri::ldif
