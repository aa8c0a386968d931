// ImportPipeline: LDIF files to batches of prepared entries, in the order of the files, with one
// thread that reads and several that parse, check and make index keys. Inside backend/ only.
//
// Thread safety: next() is called by one thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "backend/import_record.h"
#include "index/index_catalog.h"

namespace kauri::backend {

// The index keys of a batch, each with the records (by place in the batch) that have it.
struct BatchKeys {
  struct Key {
    std::uint64_t hash = 0;
    std::size_t offset = 0;  // in `octets`
    std::uint32_t size = 0;
    std::vector<std::uint32_t> records;
  };
  std::string octets;
  std::vector<Key> keys;
  std::string_view key(const Key& one) const {
    return std::string_view(octets).substr(one.offset, one.size);
  }
};

struct ImportBatch {
  std::uint64_t sequence = 0;
  std::vector<RawRecord> raw;
  std::vector<PreparedRecord> prepared;
  BatchKeys keys;
  std::uint64_t octets_read = 0;  // of all files so far
};

struct PipelineOptions {
  std::vector<std::string> files;  // "-" = standard input
  unsigned threads = 1;
  bool keep_operational = true;
  std::int64_t start_micros = 0;
  const index::IndexCatalog* catalog = nullptr;  // nullptr: no index keys are made
};

class ImportPipeline {
 public:
  ImportPipeline(PipelineOptions options, std::shared_ptr<const schema::Schema> schema,
                 Random& random, HashPassword hash_password);
  // Stops what still runs.
  ~ImportPipeline();

  // The next batch; nullptr at the end. RETURNS: kNotFound, kIo of a file.
  Result<std::unique_ptr<ImportBatch>> next();

 private:
  void read_all();
  Result<void> read_file(const std::string& file);
  bool hand_over(std::unique_ptr<ImportBatch> batch);
  void work();
  void prepare(RecordMaker& maker, ImportBatch& batch);

  PipelineOptions options_;
  std::shared_ptr<const schema::Schema> schema_;
  Random& random_;
  HashPassword hash_password_;
  std::size_t in_flight_max_;

  // The reading thread's.
  std::unique_ptr<ImportBatch> filling_;
  std::size_t filling_octets_ = 0;
  std::uint64_t ordinal_ = 0;
  std::uint64_t octets_before_ = 0;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::deque<std::unique_ptr<ImportBatch>> to_prepare_;
  std::map<std::uint64_t, std::unique_ptr<ImportBatch>> prepared_;
  std::uint64_t handed_over_ = 0;
  std::uint64_t taken_ = 0;
  bool read_to_end_ = false;
  bool stopping_ = false;
  std::optional<Error> error_;

  std::vector<std::thread> threads_;
};

}  // namespace kauri::backend
