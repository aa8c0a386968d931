// Reader: a bounds-checked cursor over BER octets (X.690 as RFC 4511 section 5.1 restricts it).
//
// Thread safety: thread-compatible. Lifetime: every view returned points into the octets given to
// the constructor. The error is sticky: after the first fault every read returns an empty value and
// ok() is false, so a whole structure is read and checked once. Nothing is allocated. Accepted:
// definite lengths in short form and in long form of 1 to 8 octets with leading zeros. Refused:
// indefinite lengths, lengths past the end, multi-octet tags, nesting past limits::kBerDepthMax.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kauri::ber {

using Tag = std::uint8_t;
inline constexpr Tag kBoolean = 0x01;
inline constexpr Tag kInteger = 0x02;
inline constexpr Tag kOctetString = 0x04;
inline constexpr Tag kNull = 0x05;
inline constexpr Tag kEnumerated = 0x0A;
inline constexpr Tag kSequence = 0x30;
inline constexpr Tag kSet = 0x31;
constexpr Tag context(unsigned n) {
  return static_cast<Tag>(0x80U | n);
}
constexpr Tag context_constructed(unsigned n) {
  return static_cast<Tag>(0xA0U | n);
}
constexpr Tag application(unsigned n) {
  return static_cast<Tag>(0x40U | n);
}
constexpr Tag application_constructed(unsigned n) {
  return static_cast<Tag>(0x60U | n);
}

class Reader {
 public:
  Reader() = default;
  explicit Reader(std::string_view octets, unsigned depth = 0) : rest_(octets), depth_(depth) {}

  bool ok() const { return error_ == nullptr; }
  // Why the first fault happened, as a static sentence; nullptr while ok().
  const char* error() const { return error_; }
  bool at_end() const { return rest_.empty(); }
  // Elements that enclose what this reader reads.
  unsigned depth() const { return depth_; }
  // The octets not yet read.
  std::string_view rest() const { return rest_; }

  // The tag of the next element without reading it; 0 at the end or after a fault.
  Tag peek() const { return ok() && !rest_.empty() ? static_cast<Tag>(rest_[0]) : Tag{0}; }

  // Reads the next element, whatever its tag. RETURNS: its contents; sets `tag`.
  std::string_view any_element(Tag& tag);
  // Reads the next element, which must have `tag`. RETURNS: its contents.
  std::string_view element(const Tag& tag);
  // A variable would be taken for something to be filled: any_element() does that.
  std::string_view element(Tag& tag) = delete;
  // Reads the next element with its header. RETURNS: the whole encoding.
  std::string_view whole_element();
  // Reads a constructed element with `tag` and gives a reader of its contents, one level deeper.
  Reader nested(Tag tag);

  std::string_view octet_string(const Tag tag = kOctetString) { return element(tag); }
  // INTEGER and ENUMERATED of 1 to 8 octets. Padding octets are accepted.
  std::int64_t integer(Tag tag = kInteger);
  // Fault if outside [low, high].
  std::int64_t integer_in(std::int64_t low, std::int64_t high, Tag tag = kInteger);
  // One octet; any value but 0 is TRUE.
  bool boolean(Tag tag = kBoolean);
  void null(Tag tag = kNull);

  // If the next element has `tag` reads it into `contents` and returns true.
  bool optional(Tag tag, std::string_view& contents);
  // Marks the reader as failed with a static sentence; keeps the first one.
  void fail(const char* why) {
    if (error_ == nullptr) error_ = why;
    rest_ = {};
  }

 private:
  std::string_view rest_;
  unsigned depth_ = 0;
  std::uint8_t last_header_size_ = 0;  // of the element that whole_element() read last
  const char* error_ = nullptr;
};

// Where a first element ends that may not have arrived whole.
struct Frame {
  enum class State : std::uint8_t { kIncomplete, kComplete, kBroken };
  State state = State::kIncomplete;
  std::size_t size = 0;         // octets of the whole element, once its header has arrived; else 0
  std::size_t header_size = 0;  // octets of tag and length, once they have arrived; else 0
  const char* error = nullptr;  // static sentence when kBroken
};

// Looks at the head of a stream for one LDAPMessage (tag SEQUENCE). kBroken when the first octet is
// another tag, the length is indefinite or has more than 8 octets, or the message would be larger
// than `size_max` (told from the header alone, before its contents arrive).
Frame find_message(std::string_view stream, std::size_t size_max);

}  // namespace kauri::ber
