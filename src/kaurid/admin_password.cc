#include "kaurid/admin_password.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/limits.h"

namespace kauri::kaurid {
namespace {

// Without letters and digits that look alike; 32 of them, so that each carries five random bits.
constexpr std::string_view kAlphabet = "abcdefghijkmnpqrstuvwxyz23456789";
static_assert(kAlphabet.size() == 32);
constexpr std::size_t kGeneratedLength = 24;  // 120 bits

std::string generate(Random& random) {
  std::array<unsigned char, kGeneratedLength> octets{};
  random.fill(octets);
  std::string out;
  for (const unsigned char octet : octets) out += kAlphabet[octet % kAlphabet.size()];
  return out;
}

Error io_error(const std::string& what, const std::string& path, int error) {
  return {error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
          what + " " + path + ": " + std::strerror(error)};
}

// At most `size_max` octets of a file.
Result<std::string> read_file(const std::string& path, std::size_t size_max) {
  const int descriptor =
      path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return io_error("cannot read", path, errno);
  std::string out(size_max, '\0');
  std::size_t size = 0;
  while (size < size_max) {
    const ssize_t got = ::read(descriptor, out.data() + size, size_max - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const int error = errno;
      ::close(descriptor);
      return io_error("cannot read", path, error);
    }
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  ::close(descriptor);
  out.resize(size);
  return out;
}

// Whole or not at all: a crash must not leave an administrator whose password nobody knows.
Result<void> write_secret(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".new";
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) return io_error("cannot write", temporary, errno);
  const bool written =
      ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
      ::fsync(descriptor) == 0;
  const int error = errno;
  ::close(descriptor);
  if (!written) return io_error("cannot write", temporary, error);
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    return io_error("cannot write", path, errno);
  }
  return {};
}

std::string kept_hash_path(const std::string& data) {
  return data + "/admin.hash";
}

}  // namespace

Result<std::string> read_password_file(const std::string& path) {
  KAURI_TRY(std::string text, read_file(path, limits::kPasswordSizeMax + 3));
  const std::size_t end = text.find('\n');
  if (end != std::string::npos) text.resize(end);
  if (!text.empty() && text.back() == '\r') text.pop_back();
  const std::string name = path == "-" ? "standard input" : path;
  if (text.empty()) return invalid("the first line of " + name + " is empty: no password");
  if (text.size() > limits::kPasswordSizeMax) {
    return limit_exceeded("the first line of " + name + " is longer than the limit of " +
                          std::to_string(limits::kPasswordSizeMax) + " octets for a password");
  }
  return text;
}

Result<AdminPassword> admin_password(const AdminPasswordSource& source, Random& random) {
  AdminPassword out;
  if (!source.file.empty()) {
    KAURI_TRY(const std::string password, read_password_file(source.file));
    KAURI_TRY(out.hash, security::hash_password(password, source.scheme, random));
    return out;
  }
  if (!source.configured_hash.empty()) {
    if (!security::is_known_scheme(source.configured_hash)) {
      return invalid(
          "the administrator's password_hash is no hash of a known scheme; `kauri hash` makes one");
    }
    out.hash = source.configured_hash;
    return out;
  }
  const std::string path = kept_hash_path(source.data);
  auto kept = read_file(path, 1024);
  if (kept) {
    const std::size_t end = kept->find('\n');
    if (end != std::string::npos) kept->resize(end);
    if (!security::is_known_scheme(*kept)) {
      return invalid(path + " holds no password hash; remove it to have a new password made");
    }
    out.hash = std::move(*kept);
    return out;
  }
  if (kept.error().code() != ErrorCode::kNotFound) return std::move(kept).error();
  out.generated = generate(random);
  KAURI_TRY(out.hash, security::hash_password(out.generated, source.scheme, random));
  return out;
}

Result<void> keep_admin_password(const AdminPassword& made, const std::string& data) {
  return write_secret(kept_hash_path(data), made.hash + "\n");
}

}  // namespace kauri::kaurid
