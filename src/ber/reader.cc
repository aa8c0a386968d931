#include "ber/reader.h"

#include "base/limit_counters.h"
#include "base/limits.h"
#include "base/planted_fault.h"

namespace kauri::ber {
namespace {

constexpr unsigned char kLongForm = 0x80;
constexpr unsigned char kTagNumberMask = 0x1F;  // all ones: the tag number stands in further octets
constexpr std::size_t kLengthOctetsMax = 8;

unsigned char octet_at(std::string_view octets, std::size_t index) {
  return static_cast<unsigned char>(octets[index]);
}

// Tag and length at the head of `octets`.
struct Header {
  std::size_t size = 0;      // octets of tag and length; 0 while they have not all arrived
  std::uint64_t length = 0;  // octets of the contents
  const char* error = nullptr;
};

Header read_header(std::string_view octets) {
  Header header;
  if (octets.empty()) return header;
  if ((octet_at(octets, 0) & kTagNumberMask) == kTagNumberMask) {
    header.error = "a BER tag takes more than one octet, which LDAP does not use";
    return header;
  }
  if (octets.size() < 2) return header;
  const unsigned char first = octet_at(octets, 1);
  if ((first & kLongForm) == 0) {
    header.size = 2;
    header.length = first;
    return header;
  }
  const std::size_t count = first & 0x7FU;
  if (count == 0) {
    header.error = "a BER length is indefinite, which RFC 4511 section 5.1 forbids";
    return header;
  }
  if (count > kLengthOctetsMax) {
    header.error = "a BER length takes more than 8 octets";
    return header;
  }
  if (octets.size() < 2 + count) return header;
  for (std::size_t i = 0; i < count; ++i) {
    header.length = (header.length << 8U) | octet_at(octets, 2 + i);
  }
  header.size = 2 + count;
  return header;
}

// Two's complement. REQUIRES: 1 to 8 octets.
std::int64_t decode_integer(std::string_view contents) {
  std::uint64_t value = (octet_at(contents, 0) & 0x80U) != 0 ? ~std::uint64_t{0} : 0;
  for (const char c : contents) value = (value << 8U) | static_cast<unsigned char>(c);
  return static_cast<std::int64_t>(value);
}

}  // namespace

std::string_view Reader::whole_element() {
  if (!ok()) return {};
  const Header header = read_header(rest_);
  if (header.error != nullptr) {
    fail(header.error);
    return {};
  }
  if (header.size == 0) {
    fail(rest_.empty() ? "a BER element is missing"
                       : "a BER element ends inside its tag and length");
    return {};
  }
  // What the fuzz targets have to find: a length of two octets that are small is believed.
  const bool believed =
      KAURI_PLANTED_FAULT("reads-behind") && header.size == 4 && header.length < 512;
  if (!believed && header.length > rest_.size() - header.size) {
    fail("a BER length goes past the end of what contains it");
    return {};
  }
  const std::string_view whole(rest_.data(), header.size + header.length);
  rest_.remove_prefix(believed ? rest_.size() : whole.size());
  last_header_size_ = static_cast<std::uint8_t>(header.size);
  return whole;
}

std::string_view Reader::any_element(Tag& tag) {
  const std::string_view whole = whole_element();
  if (whole.empty()) {
    tag = 0;
    return {};
  }
  tag = octet_at(whole, 0);
  return whole.substr(last_header_size_);
}

std::string_view Reader::element(const Tag& tag) {
  if (ok() && !rest_.empty() && octet_at(rest_, 0) != tag) {
    fail("a BER element has another tag than the one that belongs here");
    return {};
  }
  Tag found = 0;
  return any_element(found);
}

Reader Reader::nested(const Tag tag) {
  if (ok() && depth_ + 1 > limits::kBerDepthMax) {
    limits::count(limits::Counter::kBerDepth);
    static_assert(limits::kBerDepthMax == 160, "the sentence names it");
    fail("BER elements are nested in each other more than 160 deep, which is the limit");
  }
  const std::string_view contents = element(tag);
  Reader inner(contents, depth_ + 1);
  if (!ok()) inner.fail(error_);
  return inner;
}

std::int64_t Reader::integer(const Tag tag) {
  const std::string_view contents = element(tag);
  if (!ok()) return 0;
  if (contents.empty() || contents.size() > sizeof(std::int64_t)) {
    fail("a BER integer has no octets or more than 8");
    return 0;
  }
  return decode_integer(contents);
}

std::int64_t Reader::integer_in(std::int64_t low, std::int64_t high, Tag tag) {
  const std::int64_t value = integer(tag);
  if (!ok()) return 0;
  if (value < low || value > high) {
    fail("a BER integer is outside the range of its field");
    return 0;
  }
  return value;
}

bool Reader::boolean(const Tag tag) {
  const std::string_view contents = element(tag);
  if (!ok()) return false;
  if (contents.size() != 1) {
    fail("a BER boolean is not one octet long");
    return false;
  }
  return contents[0] != 0;
}

void Reader::null(const Tag tag) {
  const std::string_view contents = element(tag);
  if (ok() && !contents.empty()) fail("a BER null has contents");
}

bool Reader::optional(const Tag tag, std::string_view& contents) {
  if (peek() != tag) return false;
  contents = element(tag);
  return ok();
}

Frame find_message(std::string_view stream, std::size_t size_max) {
  Frame frame;
  if (stream.empty()) return frame;
  if (octet_at(stream, 0) != kSequence) {
    frame.state = Frame::State::kBroken;
    frame.error = "the stream is not LDAP: a message starts with octet 30 (hexadecimal)";
    return frame;
  }
  const Header header = read_header(stream);
  if (header.error != nullptr) {
    frame.state = Frame::State::kBroken;
    frame.error = header.error;
    return frame;
  }
  if (header.size == 0) return frame;
  frame.header_size = header.size;
  if (header.size > size_max || header.length > size_max - header.size) {
    frame.state = Frame::State::kBroken;
    frame.error = "the message is larger than the limit for this connection";
    limits::count(limits::Counter::kMessageSize);
    return frame;
  }
  frame.size = header.size + header.length;
  if (stream.size() >= frame.size) frame.state = Frame::State::kComplete;
  return frame;
}

}  // namespace kauri::ber
