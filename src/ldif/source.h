// Source: where the octets of an LDIF file come from. Thread safety: thread-compatible.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace kauri::ldif {

class Source {
 public:
  virtual ~Source() = default;
  // Reads up to `size` octets. RETURNS: how many, 0 only at the end; kIo.
  virtual Result<std::size_t> read(char* out, std::size_t size) = 0;
};

// Octets in memory, which must outlive the source.
class StringSource final : public Source {
 public:
  explicit StringSource(std::string_view octets) : rest_(octets) {}
  Result<std::size_t> read(char* out, std::size_t size) override;

 private:
  std::string_view rest_;
};

// An open file, pipe or socket. `name` is for messages.
class FdSource final : public Source {
 public:
  // Closes `fd` at its end if `own`.
  FdSource(int fd, std::string name, bool own) : fd_(fd), name_(std::move(name)), own_(own) {}
  ~FdSource() override;
  FdSource(const FdSource&) = delete;
  FdSource& operator=(const FdSource&) = delete;
  Result<std::size_t> read(char* out, std::size_t size) override;

 private:
  int fd_;
  std::string name_;
  bool own_;
};

// RETURNS: kNotFound, kIo.
Result<std::unique_ptr<Source>> open_file(const std::string& path);

}  // namespace kauri::ldif
