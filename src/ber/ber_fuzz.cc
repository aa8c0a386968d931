// The BER reader over arbitrary octets: nothing is read past the end, find_message agrees with
// itself however the octets are split, and what the writer makes of the elements read is read back
// as the same.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "ber/reader.h"
#include "ber/writer.h"

namespace {

using kauri::ber::Frame;
using kauri::ber::Reader;

void check_frames(std::string_view octets) {
  constexpr std::size_t kSizeMax = 4096;
  const Frame whole = kauri::ber::find_message(octets, kSizeMax);
  for (std::size_t size = 0; size <= octets.size() && size < 64; ++size) {
    const Frame part = kauri::ber::find_message(octets.substr(0, size), kSizeMax);
    KAURI_ASSERT(part.state == Frame::State::kIncomplete || part.state == whole.state);
    if (part.header_size != 0) KAURI_ASSERT(part.header_size == whole.header_size);
    if (part.state == Frame::State::kComplete) KAURI_ASSERT(part.size == whole.size);
  }
}

// Reads as deep as the constructed bit says, and writes what was read with minimal lengths.
std::string rewrite(std::string_view octets) {
  std::string out;
  Reader reader(octets);
  while (!reader.at_end()) {
    kauri::ber::Tag tag = 0;
    const std::string_view contents = reader.any_element(tag);
    if (!reader.ok()) break;
    kauri::ber::append_header(out, tag, contents.size());
    out.append(contents);
  }
  return out;
}

void read_deep(std::string_view octets) {
  std::vector<Reader> open = {Reader(octets)};
  while (!open.empty()) {
    Reader& top = open.back();
    if (top.at_end()) {
      open.pop_back();
      continue;
    }
    switch (const kauri::ber::Tag tag = top.peek()) {
      case kauri::ber::kInteger:
        top.integer();
        break;
      case kauri::ber::kBoolean:
        top.boolean();
        break;
      case kauri::ber::kNull:
        top.null();
        break;
      default:
        if ((tag & 0x20U) != 0) {
          const Reader inner = top.nested(tag);
          open.push_back(inner);
        } else {
          top.whole_element();
        }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view octets(reinterpret_cast<const char*>(data), size);
  check_frames(octets);
  read_deep(octets);
  const std::string once = rewrite(octets);
  KAURI_ASSERT(rewrite(once) == once);
  return 0;
}
