#include "backend/posting_accumulator.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <numeric>

#include "base/assert.h"

namespace kauri::backend {
namespace {

constexpr std::size_t kUnit = 8;  // the arena is addressed in units
constexpr std::size_t kBlockSize = std::size_t{1} << 20U;
constexpr std::size_t kChunkMax = 256;
constexpr std::size_t kChunkFirst = 8;
// Below it every few keys would make a run.
constexpr std::size_t kBytesMin = std::size_t{2} << 20U;

std::size_t put_varint(std::array<char, 10>& out, std::uint64_t value) {
  std::size_t size = 0;
  while (value >= 0x80) {
    out[size++] = static_cast<char>(value | 0x80U);
    value >>= 7U;
  }
  out[size++] = static_cast<char>(value);
  return size;
}

Error file_error(std::string_view what, const std::string& directory) {
  const int number = errno;
  return {number == ENOSPC ? ErrorCode::kNoSpace : ErrorCode::kIo,
          "a file for sorting in " + directory + " cannot be " + std::string(what) + ": " +
              std::strerror(number)};
}

}  // namespace

// A key and its ids: the first plain, the others as differences in a chain of chunks.
struct PostingAccumulator::List {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint32_t count = 0;
  std::uint32_t hash = 0;
  std::uint32_t key = 0;   // in units
  std::uint32_t head = 0;  // chunk, in units; 0 = none
  std::uint32_t tail = 0;
  std::uint16_t key_size = 0;
  std::uint16_t tail_used = 0;
};

// Octets in blocks, addressed by number. A chunk is {next u32, capacity u32, octets}.
class PostingAccumulator::Arena {
 public:
  Arena() { allocate(kUnit); }  // 0 stands for "none"

  std::uint32_t allocate(std::size_t size) {
    size = (size + kUnit - 1) / kUnit * kUnit;
    if (blocks_.empty() || used_ + size > kBlockSize) {
      blocks_.push_back(std::make_unique<char[]>(kBlockSize));
      used_ = 0;
    }
    const std::size_t at = (blocks_.size() - 1) * (kBlockSize / kUnit) + used_ / kUnit;
    KAURI_ASSERT(at <= 0xffffffffU);
    used_ += size;
    return static_cast<std::uint32_t>(at);
  }
  char* at(std::uint32_t unit) const {
    constexpr std::size_t kUnits = kBlockSize / kUnit;
    return blocks_[unit / kUnits].get() + unit % kUnits * kUnit;
  }
  std::uint32_t chunk(std::size_t capacity) {
    const std::uint32_t unit = allocate(8 + capacity);
    std::memset(at(unit), 0, 4);
    const auto stored = static_cast<std::uint32_t>(capacity);
    std::memcpy(at(unit) + 4, &stored, 4);
    return unit;
  }
  std::uint32_t next(std::uint32_t chunk) const { return load(at(chunk)); }
  void set_next(std::uint32_t chunk, std::uint32_t next) { std::memcpy(at(chunk), &next, 4); }
  std::uint32_t capacity(std::uint32_t chunk) const { return load(at(chunk) + 4); }
  char* octets(std::uint32_t chunk) const { return at(chunk) + 8; }
  std::size_t bytes() const { return blocks_.size() * kBlockSize; }

 private:
  static std::uint32_t load(const char* from) {
    std::uint32_t value = 0;
    std::memcpy(&value, from, 4);
    return value;
  }
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t used_ = 0;
};

// A sorted run in an unnamed file: {key size u16, key, count u32, ids u64 each as differences in
// varints}.
struct PostingAccumulator::Run {
  std::FILE* file = nullptr;
  std::string key;
  std::uint32_t count = 0;
  bool at_end = false;

  ~Run() {
    if (file != nullptr) std::fclose(file);
  }
  bool read(void* out, std::size_t size) { return std::fread(out, 1, size, file) == size; }
  // The head of the next list.
  Result<void> advance(const std::string& directory) {
    std::uint16_t size = 0;
    if (!read(&size, sizeof size)) {
      at_end = true;
      return std::ferror(file) != 0 ? Result<void>(file_error("read", directory)) : Result<void>();
    }
    key.resize(size);
    if (!read(key.data(), size) || !read(&count, sizeof count))
      return file_error("read", directory);
    return {};
  }
  Result<void> read_ids(std::vector<EntryId>& out, const std::string& directory) {
    std::uint64_t id = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      std::uint64_t delta = 0;
      for (unsigned shift = 0;; shift += 7) {
        const int octet = std::getc(file);
        if (octet == EOF || shift > 63) return file_error("read", directory);
        delta |= (static_cast<std::uint64_t>(octet) & 0x7fU) << shift;
        if ((octet & 0x80) == 0) break;
      }
      id += delta;
      if (out.empty() || out.back() != EntryId(id)) out.emplace_back(id);
    }
    return {};
  }
};

PostingAccumulator::PostingAccumulator(std::string directory, std::size_t bytes_max)
    : directory_(std::move(directory)), bytes_max_(std::max(bytes_max, kBytesMin)) {
  reset();
}

PostingAccumulator::~PostingAccumulator() = default;

void PostingAccumulator::reset() {
  lists_.clear();
  lists_.shrink_to_fit();
  slots_.assign(std::size_t{1} << 16U, 0);
  slots_.shrink_to_fit();
  arena_ = std::make_unique<Arena>();
}

std::uint64_t PostingAccumulator::hash_of(std::string_view key) {
  return std::hash<std::string_view>()(key);
}

std::string_view PostingAccumulator::key_of(const List& list) const {
  return {arena_->at(list.key), list.key_size};
}

void PostingAccumulator::grow() {
  std::vector<std::uint32_t> larger(slots_.size() * 2, 0);
  const std::size_t mask = larger.size() - 1;
  for (std::uint32_t i = 0; i < lists_.size(); ++i) {
    std::size_t at = lists_[i].hash & mask;
    while (larger[at] != 0) at = (at + 1) & mask;
    larger[at] = i + 1;
  }
  slots_ = std::move(larger);
}

PostingAccumulator::List* PostingAccumulator::find_or_add(std::string_view key,
                                                          std::uint64_t hash) {
  if ((lists_.size() + 1) * 4 > slots_.size() * 3) grow();
  const auto short_hash = static_cast<std::uint32_t>(hash ^ (hash >> 32U));
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = short_hash & mask;
  for (; slots_[at] != 0; at = (at + 1) & mask) {
    List& list = lists_[slots_[at] - 1];
    if (list.hash == short_hash && key_of(list) == key) return &list;
  }
  List& list = lists_.emplace_back();
  list.hash = short_hash;
  list.key = arena_->allocate(key.size());
  list.key_size = static_cast<std::uint16_t>(key.size());
  std::memcpy(arena_->at(list.key), key.data(), key.size());
  slots_[at] = static_cast<std::uint32_t>(lists_.size());
  return &list;
}

void PostingAccumulator::append_octets(List& list, std::uint64_t delta) {
  std::array<char, 10> octets{};
  const std::size_t size = put_varint(octets, delta);
  for (std::size_t i = 0; i < size; ++i) {
    if (list.head == 0) {
      list.head = list.tail = arena_->chunk(kChunkFirst);
      list.tail_used = 0;
    } else if (list.tail_used == arena_->capacity(list.tail)) {
      const std::size_t larger =
          std::min<std::size_t>(std::size_t{arena_->capacity(list.tail)} * 2, kChunkMax);
      const std::uint32_t chunk = arena_->chunk(larger);
      arena_->set_next(list.tail, chunk);
      list.tail = chunk;
      list.tail_used = 0;
    }
    arena_->octets(list.tail)[list.tail_used++] = octets[i];
  }
}

Result<void> PostingAccumulator::add(std::string_view key, std::uint64_t hash, EntryId id) {
  KAURI_ASSERT(!key.empty() && key.size() <= 0xffff);
  List& list = *find_or_add(key, hash);
  if (list.count == 0) {
    list.first = id.value();
  } else {
    if (list.last == id.value()) return {};
    KAURI_ASSERT(list.last < id.value());
    append_octets(list, id.value() - list.last);
  }
  list.last = id.value();
  ++list.count;
  const std::size_t bytes =
      arena_->bytes() + lists_.capacity() * sizeof(List) + slots_.size() * sizeof(std::uint32_t);
  if (bytes > bytes_max_) return spill();
  return {};
}

void PostingAccumulator::read_ids(const List& list, std::vector<EntryId>& out) const {
  out.emplace_back(list.first);
  std::uint64_t id = list.first;
  std::uint32_t chunk = list.head;
  std::uint32_t at = 0;
  for (std::uint32_t i = 1; i < list.count; ++i) {
    std::uint64_t delta = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (at == arena_->capacity(chunk)) {
        chunk = arena_->next(chunk);
        at = 0;
      }
      const auto octet = static_cast<unsigned char>(arena_->octets(chunk)[at++]);
      delta |= static_cast<std::uint64_t>(octet & 0x7fU) << shift;
      if ((octet & 0x80U) == 0) break;
    }
    id += delta;
    out.emplace_back(id);
  }
}

std::vector<std::uint32_t> PostingAccumulator::sorted() const {
  // The octets behind the attribute number and kind, which many keys share, decide most
  // comparisons.
  constexpr std::size_t kHead = 5;
  struct Item {
    std::uint64_t head = 0;
    std::uint64_t body = 0;
    std::uint32_t index = 0;
  };
  const auto load = [](std::string_view octets) {
    std::uint64_t value = 0;
    std::memcpy(&value, octets.data(), std::min<std::size_t>(octets.size(), sizeof value));
    return __builtin_bswap64(value);
  };
  std::vector<Item> items(lists_.size());
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    const std::string_view key = key_of(lists_[i]);
    items[i].head = load(key.substr(0, kHead));
    items[i].body = load(key.substr(std::min(kHead, key.size())));
    items[i].index = i;
  }
  std::sort(items.begin(), items.end(), [this](const Item& a, const Item& b) {
    if (a.head != b.head) return a.head < b.head;
    if (a.body != b.body) return a.body < b.body;
    return key_of(lists_[a.index]) < key_of(lists_[b.index]);
  });
  std::vector<std::uint32_t> order(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) order[i] = items[i].index;
  return order;
}

Result<void> PostingAccumulator::spill() {
  const int fd = ::open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) return file_error("made", directory_);
  auto run = std::make_unique<Run>();
  run->file = ::fdopen(fd, "w+b");
  if (run->file == nullptr) {
    ::close(fd);
    return file_error("opened", directory_);
  }
  std::string out;
  std::vector<EntryId> ids;
  std::array<char, 10> octets{};
  const auto flush = [&] {
    const bool done = std::fwrite(out.data(), 1, out.size(), run->file) == out.size();
    out.clear();
    return done;
  };
  for (const std::uint32_t index : sorted()) {
    const List& list = lists_[index];
    ids.clear();
    read_ids(list, ids);
    out.append(reinterpret_cast<const char*>(&list.key_size), sizeof list.key_size);
    out.append(key_of(list));
    out.append(reinterpret_cast<const char*>(&list.count), sizeof list.count);
    std::uint64_t before = 0;
    for (const EntryId id : ids) {
      out.append(octets.data(), put_varint(octets, id.value() - before));
      before = id.value();
    }
    if (out.size() >= kBlockSize && !flush()) return file_error("written", directory_);
  }
  if (!flush() || std::fflush(run->file) != 0) return file_error("written", directory_);
  std::rewind(run->file);
  runs_.push_back(std::move(run));
  reset();
  return {};
}

Result<void> PostingAccumulator::merge(const Sink& sink) {
  for (const std::unique_ptr<Run>& run : runs_) KAURI_CHECK(run->advance(directory_));
  std::vector<EntryId> ids;
  for (;;) {
    const Run* smallest = nullptr;
    for (const std::unique_ptr<Run>& run : runs_)
      if (!run->at_end && (smallest == nullptr || run->key < smallest->key)) smallest = run.get();
    if (smallest == nullptr) return {};
    const std::string key = smallest->key;
    ids.clear();
    // Runs are in the order of their ids.
    for (const std::unique_ptr<Run>& run : runs_) {
      if (run->at_end || run->key != key) continue;
      KAURI_CHECK(run->read_ids(ids, directory_));
      KAURI_CHECK(run->advance(directory_));
    }
    ++keys_out_;
    KAURI_CHECK(sink(key, ids));
  }
}

Result<void> PostingAccumulator::finish(const Sink& sink) {
  keys_out_ = 0;
  if (!runs_.empty()) {
    if (!lists_.empty()) KAURI_CHECK(spill());
    const Result<void> merged = merge(sink);
    runs_.clear();
    return merged;
  }
  std::vector<EntryId> ids;
  for (const std::uint32_t index : sorted()) {
    ids.clear();
    read_ids(lists_[index], ids);
    ++keys_out_;
    KAURI_CHECK(sink(key_of(lists_[index]), ids));
  }
  reset();
  return {};
}

}  // namespace kauri::backend
