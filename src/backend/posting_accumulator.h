// PostingAccumulator: collects (index key, entry id) pairs in any order of keys and gives them back
// as whole lists in key order, for building an index in bulk.
//
// A hash table of keys with their ids as differences, a few octets each; when that outgrows its
// bound, a sorted run goes to a file and the runs are merged at the end. Thread safety:
// thread-compatible.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/strong_id.h"

namespace kauri::backend {

class PostingAccumulator {
 public:
  // Runs are unnamed files in `directory`.
  PostingAccumulator(std::string directory, std::size_t bytes_max);
  ~PostingAccumulator();
  PostingAccumulator(const PostingAccumulator&) = delete;
  PostingAccumulator& operator=(const PostingAccumulator&) = delete;

  static std::uint64_t hash_of(std::string_view key);
  // REQUIRES: for each key, ids that rise; the same id again is ignored. RETURNS: kIo, kNoSpace of
  // a run.
  Result<void> add(std::string_view key, EntryId id) { return add(key, hash_of(key), id); }
  Result<void> add(std::string_view key, std::uint64_t hash, EntryId id);

  using Sink = std::function<Result<void>(std::string_view key, const std::vector<EntryId>& ids)>;
  // Calls back with each list, keys rising. The accumulator is empty then.
  Result<void> finish(const Sink& sink);

  std::uint64_t keys() const { return keys_out_; }  // given back by finish()

 private:
  struct List;
  struct Run;
  class Arena;

  List* find_or_add(std::string_view key, std::uint64_t hash);
  void grow();
  void append_octets(List& list, std::uint64_t delta);
  std::string_view key_of(const List& list) const;
  void read_ids(const List& list, std::vector<EntryId>& out) const;
  std::vector<std::uint32_t> sorted() const;
  Result<void> spill();
  Result<void> merge(const Sink& sink);
  void reset();

  std::string directory_;
  std::size_t bytes_max_;
  std::vector<List> lists_;
  std::vector<std::uint32_t> slots_;  // index into lists_ plus one; 0 = free
  std::unique_ptr<Arena> arena_;
  std::vector<std::unique_ptr<Run>> runs_;
  std::uint64_t keys_out_ = 0;
};

}  // namespace kauri::backend
