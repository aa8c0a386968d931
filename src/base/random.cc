#include "base/random.h"

#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include "base/assert.h"

namespace kauri {
namespace {

class SystemRandom final : public Random {
 public:
  void fill(std::span<unsigned char> out) override {
    thread_local Pool pool;
    if (out.size() > pool.bytes.size()) {
      read_kernel(out);
      return;
    }
    if (pool.used + out.size() > pool.bytes.size()) {
      read_kernel(pool.bytes);
      pool.used = 0;
    }
    std::memcpy(out.data(), pool.bytes.data() + pool.used, out.size());
    std::memset(pool.bytes.data() + pool.used, 0, out.size());
    pool.used += out.size();
  }

 private:
  struct Pool {
    std::array<unsigned char, 256> bytes{};
    std::size_t used = 256;
  };

  static void read_kernel(std::span<unsigned char> out) {
    std::size_t done = 0;
    while (done < out.size()) {
      const ssize_t got = getrandom(out.data() + done, out.size() - done, 0);
      KAURI_ASSERT(got > 0 || errno == EINTR);
      if (got > 0) done += static_cast<std::size_t>(got);
    }
  }
};

}  // namespace

std::uint64_t Random::next_u64() {
  std::array<unsigned char, 8> bytes{};
  fill(bytes);
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data(), bytes.size());
  return value;
}

std::array<unsigned char, 16> Random::uuid() {
  std::array<unsigned char, 16> bytes{};
  fill(bytes);
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0FU) | 0x40U);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3FU) | 0x80U);
  return bytes;
}

std::string Random::bytes(std::size_t count) {
  std::string out(count, '\0');
  fill({reinterpret_cast<unsigned char*>(out.data()), out.size()});
  return out;
}

Random& Random::system() {
  static SystemRandom random;
  return random;
}

void SeededRandom::fill(std::span<unsigned char> out) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < out.size(); i += 8) {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    z ^= z >> 31U;
    std::memcpy(out.data() + i, &z, std::min<std::size_t>(8, out.size() - i));
  }
}

std::string format_uuid(std::span<const unsigned char, 16> uuid) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(36);
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) out += '-';
    out += kDigits[uuid[i] >> 4U];
    out += kDigits[uuid[i] & 0x0FU];
  }
  return out;
}

}  // namespace kauri
