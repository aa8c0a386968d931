// Files that appear whole or not at all, and what reads them. Inside backend/, and for the tools
// over it. Thread safety: thread-compatible.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace kauri::backend {

// Closes on every way out. -1 = none.
class FileHandle {
 public:
  FileHandle() = default;
  explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
  ~FileHandle();
  FileHandle(FileHandle&& other) noexcept;
  FileHandle& operator=(FileHandle&& other) noexcept;
  int get() const { return descriptor_; }

 private:
  int descriptor_ = -1;
};

// A file that is written under a name of its own, for its owner alone, and gets its real name when
// it is whole. Without that it goes with the object.
class PartialFile {
 public:
  // What a process that was killed left behind is used again. RETURNS: kBusy while another process
  // writes it, kIo, kNotFound, kNoSpace.
  static Result<PartialFile> create(const std::string& partial_path);
  ~PartialFile();
  PartialFile(PartialFile&& other) noexcept = default;
  PartialFile& operator=(PartialFile&& other) noexcept;

  Result<void> write(std::string_view octets);
  // Puts it on stable storage under `path`. RETURNS: kExists when there is such a file.
  Result<void> commit(const std::string& path);

 private:
  PartialFile(FileHandle file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
  FileHandle file_;
  std::string path_;
};

// Reads a file, or standard input for "-", front to back.
class InputFile {
 public:
  static Result<InputFile> open(const std::string& path);
  // At most `size` octets, 0 at the end.
  Result<std::size_t> read(char* out, std::size_t size);
  const std::string& path() const { return path_; }

 private:
  InputFile(FileHandle file, std::string path) : file_(std::move(file)), path_(std::move(path)) {}
  FileHandle file_;  // none: standard input
  std::string path_;
};

// A directory that goes with the object, with all in it. One that was left behind by a process that
// was killed is emptied first.
class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(std::string path);
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace kauri::backend
