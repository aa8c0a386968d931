// A disk as a crash may leave it: what was flushed is there, of the rest any part may be.
//
// The disk writes sectors of 512 octets whole and obeys flushes; nothing more is taken for granted.
// A write that was not flushed may be there, or not, or some of its sectors; one may be there
// though an earlier one is not. Thread safety: thread-compatible.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "log.h"

namespace kauri::write_log {

inline constexpr std::uint64_t kSectorSize = 512;
inline constexpr std::uint64_t kPageSize = 4096;

// Which part of the writes that were not flushed an image has.
enum class Kept : std::uint8_t {
  kNone,
  kAll,
  kWrites,   // some of the writes, each whole
  kPages,    // some of the pages of 4,096 octets
  kSectors,  // some of the sectors
  kTorn,     // all, but for one that is torn at a sector
};
inline constexpr Kept kPartly[] = {Kept::kNone,  Kept::kAll,     Kept::kWrites,
                                   Kept::kPages, Kept::kSectors, Kept::kTorn};
std::string_view to_string(Kept kept);

// kLate is the planted fault: a sync flushes only what was written before the sync that came before
// it, as if each commit left out the one before its header page.
enum class Syncs : std::uint8_t { kObeyed, kLate };

class Disk {
 public:
  // Without content there is no file yet.
  explicit Disk(std::optional<std::string> content, Syncs syncs = Syncs::kObeyed)
      : flushed_(content.value_or("")),
        syncs_(syncs),
        place_(content ? Place::kSure : Place::kNone) {}

  // The next record of the log has happened. Its data must outlive the disk.
  void take(const Record& record);
  // What the file may hold now; nothing when it may not be there. `in_flight`: the record that was
  // under way, or nullptr.
  std::optional<std::string> image(Kept kept, Random& random, const Record* in_flight) const;
  std::size_t unflushed() const { return pending_.size(); }

 private:
  struct Pending {
    Record record;
    bool surely = false;  // on the disk already: a write with O_DSYNC that has returned
  };
  // Whether there is a file of this name: certainly, perhaps, not yet.
  enum class Place : std::uint8_t { kNone, kUnsure, kSure };
  static void apply(const Record& record, std::string& content);
  std::string content(Kept kept, Random& random, const Record* in_flight) const;

  std::string flushed_;
  std::vector<Pending> pending_;  // in order
  Syncs syncs_;
  Place place_;
  std::size_t before_last_sync_ = 0;  // of pending_; for kLate
};

}  // namespace kauri::write_log
