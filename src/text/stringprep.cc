#include "text/stringprep.h"

#include <unicode/uchar.h>
#include <unicode/usprep.h>
#include <unicode/ustring.h>

#include <array>
#include <cstddef>
#include <limits>
#include <string>

#include "base/assert.h"
#include "base/limit_counters.h"
#include "base/limits.h"
#include "text/combining_marks.h"
#include "text/utf8.h"

namespace kauri::text {

namespace {

// The map step for ASCII: the octet that stands for each, or one of these.
constexpr unsigned char kDropped = 0x80;
constexpr unsigned char kNotAscii = 0x81;

constexpr std::array<unsigned char, 256> make_map(bool fold) {
  std::array<unsigned char, 256> map{};
  for (unsigned i = 0; i < 256; ++i) {
    unsigned char to = static_cast<unsigned char>(i);
    if (i >= 0x80) {
      to = kNotAscii;
    } else if (i >= 0x09 && i <= 0x0D) {
      to = ' ';
    } else if ((i >= 0x01 && i < 0x20) || i == 0x7F) {
      to = kDropped;
    } else if (fold && i >= 'A' && i <= 'Z') {
      to = static_cast<unsigned char>(i + 32);
    }
    map[i] = to;
  }
  return map;
}
constexpr std::array<unsigned char, 256> kExactMap = make_map(false);
constexpr std::array<unsigned char, 256> kFoldedMap = make_map(true);

// Section 2.6.1 as a filter: takes spaces and other characters in order.
class SpaceWriter {
 public:
  SpaceWriter(StringPart part, std::string& out) : part_(part), out_(out) {
    if (starts_value()) out_.push_back(' ');
  }
  void space() { pending_ = true; }
  void octet(char c) {
    if (pending_) flush_spaces();
    out_.push_back(c);
    seen_ = true;
  }
  void character(char32_t c, bool /*bare*/) {
    if (pending_) flush_spaces();
    append_utf8(out_, c);
    seen_ = true;
  }
  void finish() {
    const bool ends_value = part_ == StringPart::kWhole || part_ == StringPart::kFinal;
    if (!seen_) {
      // Only spaces: two for a value; one for a part, which an initial part has already.
      if (part_ != StringPart::kInitial) out_.push_back(' ');
    } else if (ends_value || pending_) {
      out_.push_back(' ');
    }
  }

 private:
  bool starts_value() const { return part_ == StringPart::kWhole || part_ == StringPart::kInitial; }
  void flush_spaces() {
    if (seen_) {
      out_.append(2, ' ');
    } else if (!starts_value()) {
      out_.push_back(' ');
    }
    pending_ = false;
  }

  StringPart part_;
  std::string& out_;
  bool pending_ = false;
  bool seen_ = false;
};

// Sections 2.6.2 and 2.6.3: spaces, and hyphens if asked, are dropped.
class DroppingWriter {
 public:
  DroppingWriter(bool drop_hyphens, std::string& out) : drop_hyphens_(drop_hyphens), out_(out) {}
  void space() {}
  void octet(char c) {
    if (c != '-' || !drop_hyphens_) out_.push_back(c);
  }
  // `bare`: no combining mark follows.
  void character(char32_t c, bool bare) {
    if (!drop_hyphens_ || !bare || !is_hyphen(c)) append_utf8(out_, c);
  }
  void finish() {}

 private:
  static bool is_hyphen(char32_t c) {
    return c == 0x2D || c == 0x058A || c == 0x2010 || c == 0x2011 || c == 0x2212 || c == 0xFE63 ||
           c == 0xFF0D;
  }
  bool drop_hyphens_;
  std::string& out_;
};

const UStringPrepProfile* open_profile(UStringPrepProfileType type) {
  UErrorCode error = U_ZERO_ERROR;
  const UStringPrepProfile* profile = usprep_openByType(type, &error);
  KAURI_ASSERT(U_SUCCESS(error));  // The tables are part of the ICU library itself.
  return profile;
}

const UStringPrepProfile* profile_for(Letters letters) {
  static const UStringPrepProfile* const kExact = open_profile(USPREP_RFC4518_LDAP);
  static const UStringPrepProfile* const kFolded = open_profile(USPREP_RFC4518_LDAP_CI);
  return letters == Letters::kFolded ? kFolded : kExact;
}

// Map, normalise and prohibit one run of UTF-16 without NUL, by ICU.
bool prepare_run(std::u16string_view run, Letters letters, std::u16string& out) {
  out.resize(run.size() + 16);
  for (int attempt = 0; attempt < 2; ++attempt) {
    UErrorCode error = U_ZERO_ERROR;
    const std::int32_t length = usprep_prepare(
        profile_for(letters), run.data(), static_cast<std::int32_t>(run.size()), out.data(),
        static_cast<std::int32_t>(out.size()), USPREP_ALLOW_UNASSIGNED, nullptr, &error);
    if (U_SUCCESS(error)) {
      out.resize(static_cast<std::size_t>(length));
      return true;
    }
    if (error != U_BUFFER_OVERFLOW_ERROR) return false;
    out.resize(static_cast<std::size_t>(length) + 1);
  }
  return false;
}

// The code point at *i of well-formed UTF-16, stepping over it.
char32_t step(std::u16string_view text, std::size_t* i) {
  const char32_t unit = text[(*i)++];
  if (unit < 0xD800 || unit > 0xDBFF || *i >= text.size()) return unit;
  const char32_t low = text[(*i)++];
  return 0x10000 + ((unit - 0xD800) << 10U) + (low - 0xDC00);
}

// Whether the character is a mark, or becomes one: some have no combining class of their own and
// decompose into marks alone.
bool becomes_mark(UChar32 c) {
  constexpr UChar32 kHalfwidthVoiced = 0xFF9E;
  constexpr UChar32 kHalfwidthSemiVoiced = 0xFF9F;
  return u_getIntPropertyValue(c, UCHAR_LEAD_CANONICAL_COMBINING_CLASS) != 0 ||
         c == kHalfwidthVoiced || c == kHalfwidthSemiVoiced;
}

// Whether the map step drops the character (RFC 4518 section 2.2).
bool is_dropped(UChar32 c) {
  constexpr UChar32 kMongolianSoftHyphen = 0x1806;
  constexpr UChar32 kObjectReplacement = 0xFFFC;
  return u_charType(c) == U_FORMAT_CHAR || c == kMongolianSoftHyphen || c == kObjectReplacement ||
         u_hasBinaryProperty(c, UCHAR_DEFAULT_IGNORABLE_CODE_POINT) != 0;
}

// What a character is to a run of marks. What the map step drops does not part it.
enum class InRun : std::uint8_t { kMark, kDropped, kParts };

InRun role_in_run(UChar32 c) {
  if (c < 0x300) {
    return (c >= 0x20 && c < 0x7F) || (c >= 0xA0 && c != 0xAD) ? InRun::kParts : InRun::kDropped;
  }
  if (becomes_mark(c)) return InRun::kMark;
  return is_dropped(c) ? InRun::kDropped : InRun::kParts;
}

// Whether more marks follow each other than limits::kCombiningMarksMax.
bool has_long_run_of_marks(std::u16string_view text) {
  std::size_t marks = 0;
  std::size_t i = 0;
  while (i < text.size()) {
    const InRun role = role_in_run(static_cast<UChar32>(step(text, &i)));
    if (role == InRun::kParts) {
      marks = 0;
    } else if (role == InRun::kMark && ++marks > limits::kCombiningMarksMax) {
      limits::count(limits::Counter::kCombiningMarks);
      return true;
    }
  }
  return false;
}

// The same at the character of UTF-8 that starts at *at, over which it steps; an octet that starts
// none parts a run.
InRun step_in_run(std::string_view text, std::size_t* at) {
  char32_t c = 0;
  if (next_code_point(text, at, &c)) return role_in_run(static_cast<UChar32>(c));
  ++*at;
  return InRun::kParts;
}

// Where the character that holds the octet at `at` starts; what is no UTF-8 is not gone through.
std::size_t start_of_character(std::string_view text, std::size_t at) {
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80; };
  for (int octets = 0; octets < 3 && at > 0 && continues(text[at]); ++octets) --at;
  return at;
}

template <class Writer>
bool write_run(std::u16string_view run, Writer& writer) {
  std::size_t i = 0;
  while (i < run.size()) {
    const char32_t c = step(run, &i);
    if (c == 0xFFFD || (c >= 0xD800 && c <= 0xDFFF)) return false;
    // A space or hyphen under a combining mark is a character of its own (RFC 4518 section 2.6).
    std::size_t after = i;
    const bool bare = after >= run.size() || !is_combining_mark(step(run, &after));
    if (c == ' ' && bare) {
      writer.space();
    } else {
      writer.character(c, bare);
    }
  }
  return true;
}

// All of RFC 4518 through ICU, run by run between NULs.
template <class Writer>
bool prepare_unicode(std::string_view text, Letters letters, Writer& writer) {
  if (text.size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()) / 32) {
    return false;
  }
  std::u16string units(text.size(), u'\0');
  std::int32_t length = 0;
  UErrorCode error = U_ZERO_ERROR;
  u_strFromUTF8(units.data(), static_cast<std::int32_t>(units.size()), &length, text.data(),
                static_cast<std::int32_t>(text.size()), &error);
  if (U_FAILURE(error)) return false;
  units.resize(static_cast<std::size_t>(length));
  if (has_long_run_of_marks(units)) return false;
  std::u16string_view rest = units;
  std::u16string prepared;
  while (true) {
    const std::size_t end = rest.find(u'\0');
    if (!prepare_run(rest.substr(0, end), letters, prepared)) return false;
    if (!write_run(prepared, writer)) return false;
    if (end == std::u16string_view::npos) return true;
    writer.octet('\0');
    rest.remove_prefix(end + 1);
  }
}

// The ASCII path; false when it meets an octet above 0x7F.
template <class Writer>
bool prepare_ascii(std::string_view text, const std::array<unsigned char, 256>& map,
                   Writer& writer) {
  for (const char c : text) {
    const unsigned char to = map[static_cast<unsigned char>(c)];
    if (to == ' ') {
      writer.space();
    } else if (to < 0x80) {
      writer.octet(static_cast<char>(to));
    } else if (to == kNotAscii) {
      return false;
    }
  }
  return true;
}

// prepare_string() for ASCII, by hand: it is on the path of every search. False, with `out`
// unchanged, when `text` holds an octet above 0x7F.
bool prepare_ascii_string(std::string_view text, Letters letters, StringPart part,
                          std::string& out) {
  const auto& map = letters == Letters::kFolded ? kFoldedMap : kExactMap;
  const bool starts = part == StringPart::kWhole || part == StringPart::kInitial;
  const bool ends = part == StringPart::kWhole || part == StringPart::kFinal;
  const std::size_t start = out.size();
  // At most every other octet is a space that becomes two; one more at each end.
  out.resize(start + text.size() + text.size() / 2 + 3);
  char* const first = out.data() + start + (starts ? 1 : 0);
  if (starts) out[start] = ' ';
  char* to = first;
  bool pending = false;
  for (const char c : text) {
    const unsigned char mapped = map[static_cast<unsigned char>(c)];
    if (mapped == ' ') {
      pending = true;
    } else if (mapped < 0x80) {
      if (pending) {
        if (to != first) {
          *to++ = ' ';
          *to++ = ' ';
        } else if (!starts) {
          *to++ = ' ';
        }
        pending = false;
      }
      *to++ = static_cast<char>(mapped);
    } else if (mapped == kNotAscii) {
      out.resize(start);
      return false;
    }
  }
  // Only spaces: two for a value; one for a part, which an initial part has already.
  if (to == first ? part != StringPart::kInitial : ends || pending) *to++ = ' ';
  out.resize(static_cast<std::size_t>(to - out.data()));
  return true;
}

template <class MakeWriter>
bool prepare(std::string_view text, Letters letters, std::string& out, MakeWriter make_writer) {
  const std::size_t start = out.size();
  {
    auto writer = make_writer();
    if (prepare_ascii(text, letters == Letters::kFolded ? kFoldedMap : kExactMap, writer)) {
      writer.finish();
      return true;
    }
  }
  out.resize(start);
  if (!is_valid_utf8(text)) return false;
  auto writer = make_writer();
  if (!prepare_unicode(text, letters, writer)) {
    out.resize(start);
    return false;
  }
  writer.finish();
  return true;
}

}  // namespace

bool prepare_string(std::string_view text, Letters letters, StringPart part, std::string& out) {
  if (prepare_ascii_string(text, letters, part, out)) return true;
  return prepare(text, letters, out, [&] { return SpaceWriter(part, out); });
}

static_assert(limits::kCombiningMarksMax == 30, "kExcessMarks names the limit");

bool has_excess_marks(std::string_view text) {
  // A mark has two octets at least, so a run that is too long holds one of any octets that are so
  // far apart, and no ASCII character: a look at those is enough for nearly all texts.
  constexpr std::size_t kStride = 2 * (limits::kCombiningMarksMax + 1);
  const auto parts = [text](std::size_t at) { return text[at] >= 0x20 && text[at] < 0x7F; };
  for (std::size_t probe = kStride - 1; probe < text.size(); probe += kStride) {
    const std::size_t start = start_of_character(text, probe);
    std::size_t end = start;
    if (step_in_run(text, &end) == InRun::kParts) continue;
    std::size_t first = start;
    while (first > 0 && probe - first < kStride && !parts(first - 1)) --first;
    while (end < text.size() && end - first < kStride && !parts(end)) ++end;
    if (end - first < kStride) {
      probe = end;
      continue;
    }
    // The characters themselves: back to the begin of the run, and through it.
    first = start;
    while (first > 0) {
      const std::size_t before = start_of_character(text, first - 1);
      std::size_t after = before;
      if (step_in_run(text, &after) == InRun::kParts) break;
      first = before;
    }
    std::size_t marks = 0;
    for (end = first; end < text.size();) {
      probe = end;
      const InRun role = step_in_run(text, &end);
      if (role == InRun::kParts) break;
      if (role == InRun::kMark && ++marks > limits::kCombiningMarksMax) return is_valid_utf8(text);
    }
  }
  return false;
}

bool prepare_numeric(std::string_view text, std::string& out) {
  return prepare(text, Letters::kFolded, out, [&] { return DroppingWriter(false, out); });
}

bool prepare_telephone(std::string_view text, std::string& out) {
  return prepare(text, Letters::kFolded, out, [&] { return DroppingWriter(true, out); });
}

}  // namespace kauri::text
