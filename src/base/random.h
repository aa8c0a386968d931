// Random: the only source of randomness. Thread safety: thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>

namespace kauri {

class Random {
 public:
  virtual ~Random() = default;
  virtual void fill(std::span<unsigned char> out) = 0;

  std::uint64_t next_u64();
  // A random (version 4) UUID as 16 octets.
  std::array<unsigned char, 16> uuid();
  std::string bytes(std::size_t count);

  // The kernel's generator, buffered for each thread; for keys, salts and UUIDs. Lives as long as
  // the process.
  static Random& system();
};

// Repeatable from its seed; for tests and data generators, never for secrets.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
  void fill(std::span<unsigned char> out) override;

 private:
  std::mutex mutex_;
  std::uint64_t state_;  // guarded by mutex_; splitmix64
};

// 16 octets as "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" in lower case (RFC 4530).
std::string format_uuid(std::span<const unsigned char, 16> uuid);

}  // namespace kauri
