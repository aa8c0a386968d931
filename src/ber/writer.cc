#include "ber/writer.h"

#include "base/assert.h"

namespace kauri::ber {
namespace {

constexpr std::size_t kShortFormMax = 127;

// Octets that the length alone takes.
std::size_t length_size(std::size_t size) {
  if (size <= kShortFormMax) return 1;
  std::size_t octets = 1;
  for (; size != 0; size >>= 8U) ++octets;
  return octets;
}

// Writes the minimal length over `length_size(size)` octets at `out`.
void write_length(char* out, std::size_t size) {
  const std::size_t octets = length_size(size);
  if (octets == 1) {
    out[0] = static_cast<char>(size);
    return;
  }
  out[0] = static_cast<char>(0x80U | (octets - 1));
  for (std::size_t i = octets - 1; i > 0; --i) {
    out[i] = static_cast<char>(size & 0xFFU);
    size >>= 8U;
  }
}

}  // namespace

std::size_t header_size(std::size_t size) {
  return 1 + length_size(size);
}

void append_header(std::string& out, Tag tag, std::size_t size) {
  char header[1 + 1 + sizeof(std::size_t)];
  header[0] = static_cast<char>(tag);
  write_length(header + 1, size);
  out.append(header, header_size(size));
}

std::size_t integer_size(std::int64_t value) {
  std::size_t octets = 1;
  for (; value < -128 || value > 127; value >>= 8) ++octets;
  return octets;
}

void Writer::begin(Tag tag) {
  KAURI_ASSERT(depth_ < kDepthMax);
  out_.push_back(static_cast<char>(tag));
  out_.push_back(0);
  starts_[depth_++] = out_.size();
}

void Writer::end() {
  KAURI_ASSERT(depth_ > 0);
  const std::size_t start = starts_[--depth_];
  KAURI_ASSERT(out_.size() >= start);
  const std::size_t size = out_.size() - start;
  const std::size_t more = length_size(size) - 1;
  if (more > 0) out_.insert(start, more, '\0');
  write_length(out_.data() + start - 1, size);
}

void Writer::octet_string(std::string_view value, Tag tag) {
  append_header(out_, tag, value.size());
  out_.append(value);
}

void Writer::integer(std::int64_t value, Tag tag) {
  const std::size_t size = integer_size(value);
  char octets[2 + sizeof(value)];
  octets[0] = static_cast<char>(tag);
  octets[1] = static_cast<char>(size);
  auto bits = static_cast<std::uint64_t>(value);
  for (std::size_t i = size; i > 0; --i) {
    octets[1 + i] = static_cast<char>(bits & 0xFFU);
    bits >>= 8U;
  }
  out_.append(octets, 2 + size);
}

void Writer::boolean(bool value, Tag tag) {
  const char octets[3] = {static_cast<char>(tag), 1, value ? '\xFF' : '\0'};
  out_.append(octets, sizeof(octets));
}

void Writer::null(Tag tag) {
  out_.push_back(static_cast<char>(tag));
  out_.push_back(0);
}

}  // namespace kauri::ber
