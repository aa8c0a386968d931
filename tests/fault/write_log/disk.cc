#include "disk.h"

#include <algorithm>

namespace kauri::write_log {
namespace {

void put(std::string& content, std::uint64_t offset, std::string_view data) {
  const auto at = static_cast<std::size_t>(offset);
  if (content.size() < at + data.size()) content.resize(at + data.size(), '\0');
  content.replace(at, data.size(), data);
}

// Calls back with the parts of a write that lie in one unit of the disk each.
template <class Visit>
void for_units(const Record& record, std::uint64_t unit, Visit visit) {
  for (std::uint64_t done = 0; done < record.data.size();) {
    const std::uint64_t at = record.offset + done;
    const std::uint64_t size = std::min(unit - at % unit, record.data.size() - done);
    visit(at, record.data.substr(done, size));
    done += size;
  }
}

bool is_write(RecordKind kind) {
  return kind == RecordKind::kWrite || kind == RecordKind::kDurableWrite ||
         kind == RecordKind::kTruncate;
}

// True for `percent` of 100 draws.
bool draw(Random& random, std::uint64_t percent) {
  return random.next_u64() % 100 < percent;
}

}  // namespace

std::string_view to_string(Kept kept) {
  switch (kept) {
    case Kept::kNone:
      return "no unflushed write";
    case Kept::kAll:
      return "all unflushed writes";
    case Kept::kWrites:
      return "some unflushed writes";
    case Kept::kPages:
      return "some unflushed pages";
    case Kept::kSectors:
      return "some unflushed sectors";
    case Kept::kTorn:
      return "unflushed writes, one torn";
  }
  return "";
}

void Disk::apply(const Record& record, std::string& content) {
  if (record.kind == RecordKind::kTruncate) {
    content.resize(static_cast<std::size_t>(record.offset), '\0');
  } else {
    put(content, record.offset, record.data);
  }
}

void Disk::take(const Record& record) {
  if (record.kind == RecordKind::kPlaced) {
    // A rename over a file that is there leaves one or the other; for this log they are the same.
    if (place_ == Place::kNone) place_ = Place::kUnsure;
    return;
  }
  if (record.kind == RecordKind::kPlaceSync) {
    if (place_ == Place::kUnsure) place_ = Place::kSure;
    return;
  }
  if (record.kind != RecordKind::kSync) {
    pending_.push_back({record, record.kind == RecordKind::kDurableWrite});
    return;
  }
  const std::size_t flushed = syncs_ == Syncs::kLate ? before_last_sync_ : pending_.size();
  for (std::size_t i = 0; i < flushed; ++i) apply(pending_[i].record, flushed_);
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(flushed));
  before_last_sync_ = pending_.size();
}

std::optional<std::string> Disk::image(Kept kept, Random& random, const Record* in_flight) const {
  if (place_ == Place::kNone) return std::nullopt;
  if (place_ == Place::kUnsure && kept != Kept::kAll && (kept == Kept::kNone || draw(random, 50)))
    return std::nullopt;
  return content(kept, random, in_flight);
}

std::string Disk::content(Kept kept, Random& random, const Record* in_flight) const {
  std::string content = flushed_;
  std::vector<Pending> pending = pending_;
  if (in_flight != nullptr && is_write(in_flight->kind)) pending.push_back({*in_flight, false});
  // Few, half or most of them: each shows other faults.
  constexpr std::uint64_t kPercents[] = {10, 50, 90};
  const std::uint64_t percent = kPercents[random.next_u64() % 3];
  const std::size_t torn = pending.empty() ? 0 : random.next_u64() % pending.size();
  std::uint64_t longest = 0;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    const Record& record = pending[i].record;
    longest = std::max<std::uint64_t>(longest, record.offset + record.data.size());
    if (pending[i].surely || kept == Kept::kAll || (kept == Kept::kTorn && i != torn)) {
      apply(record, content);
    } else if (kept == Kept::kTorn && record.kind != RecordKind::kTruncate) {
      std::uint64_t sectors = random.next_u64() % (record.data.size() / kSectorSize + 1);
      for_units(record, kSectorSize, [&](std::uint64_t at, std::string_view data) {
        if (sectors == 0) return;
        --sectors;
        put(content, at, data);
      });
    } else if (kept == Kept::kWrites || record.kind == RecordKind::kTruncate) {
      if (kept != Kept::kNone && draw(random, percent)) apply(record, content);
    } else if (kept == Kept::kPages || kept == Kept::kSectors) {
      for_units(record, kept == Kept::kPages ? kPageSize : kSectorSize,
                [&](std::uint64_t at, std::string_view data) {
                  if (draw(random, percent)) put(content, at, data);
                });
    }
  }
  // A file system may have given the file its size before its data.
  if (kept != Kept::kNone && content.size() < longest && draw(random, 30))
    content.resize(static_cast<std::size_t>(longest), '\0');
  return content;
}

}  // namespace kauri::write_log
