// Tells of a damaged database file where the process would otherwise end without a word.
//
// LMDB follows what is in its pages. A wrong bit in a leaf page that nobody has checked
// (page_check.h) can lead behind the end of the file, or into parts of LMDB that we never use,
// which the kernel answers with SIGBUS or SIGSEGV. While a MapGuard exists, such a signal for an
// address in its map, or from the code of LMDB, writes one line that names the file, and ends the
// process with status 1; all other signals go to the handler that was there before (the system's
// own, or a sanitizer's). Nothing can be saved: the thread may hold LMDB's locks.
//
// The handler is installed with the first guard and stays. Thread safety: thread-safe; one guard
// confined to a thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kauri::storage {

class MapGuard {
 public:
  MapGuard() = default;
  // `file` is what the message names. Only the first 64 guards of a process watch; no program of
  // ours has that many databases.
  MapGuard(const void* map, std::size_t size, const std::string& file);
  ~MapGuard();
  MapGuard(MapGuard&& other) noexcept;
  MapGuard& operator=(MapGuard&& other) noexcept;

 private:
  int slot_ = -1;
};

}  // namespace kauri::storage
