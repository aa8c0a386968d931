#include "backend/import_pipeline.h"

#include <string_view>

#include "backend/posting_accumulator.h"
#include "index/index_keys.h"
#include "ldif/reader.h"
#include "ldif/source.h"

namespace kauri::backend {
namespace {

constexpr std::size_t kBatchRecords = 512;
constexpr std::size_t kBatchOctets = std::size_t{8} << 20U;

// Groups the keys of a batch in a small table that stays in the processor's cache.
class KeyGrouper {
 public:
  explicit KeyGrouper(BatchKeys& out) : out_(out), slots_(std::size_t{1} << 15U, 0) {}

  void add(std::string_view key, std::uint32_t record) {
    if (out_.keys.size() * 2 >= slots_.size()) grow();
    const std::uint64_t hash = PostingAccumulator::hash_of(key);
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    for (; slots_[at] != 0; at = (at + 1) & mask) {
      BatchKeys::Key& known = out_.keys[slots_[at] - 1];
      if (known.hash != hash || out_.key(known) != key) continue;
      known.records.push_back(record);
      return;
    }
    out_.keys.push_back(
        {hash, out_.octets.size(), static_cast<std::uint32_t>(key.size()), {record}});
    out_.octets.append(key);
    slots_[at] = static_cast<std::uint32_t>(out_.keys.size());
  }

 private:
  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    const std::size_t mask = slots_.size() - 1;
    for (std::uint32_t i = 0; i < out_.keys.size(); ++i) {
      std::size_t at = out_.keys[i].hash & mask;
      while (slots_[at] != 0) at = (at + 1) & mask;
      slots_[at] = i + 1;
    }
  }

  BatchKeys& out_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace

ImportPipeline::ImportPipeline(PipelineOptions options,
                               std::shared_ptr<const schema::Schema> schema, Random& random,
                               HashPassword hash_password)
    : options_(std::move(options)),
      schema_(std::move(schema)),
      random_(random),
      hash_password_(std::move(hash_password)),
      in_flight_max_(std::size_t{options_.threads} * 2 + 2) {
  threads_.emplace_back([this] { read_all(); });
  for (unsigned i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { work(); });
}

ImportPipeline::~ImportPipeline() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

Result<std::unique_ptr<ImportBatch>> ImportPipeline::next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] {
    return error_ || prepared_.contains(taken_) || (read_to_end_ && taken_ == handed_over_);
  });
  if (error_) return *error_;
  const auto found = prepared_.find(taken_);
  if (found == prepared_.end()) return std::unique_ptr<ImportBatch>();
  std::unique_ptr<ImportBatch> batch = std::move(found->second);
  prepared_.erase(found);
  ++taken_;
  lock.unlock();
  changed_.notify_all();
  return batch;
}

void ImportPipeline::read_all() {
  Result<void> done;
  for (const std::string& file : options_.files) {
    done = read_file(file);
    if (!done) break;
  }
  if (filling_ != nullptr) hand_over(std::move(filling_));
  {
    const std::lock_guard lock(mutex_);
    read_to_end_ = true;
    if (!done) error_ = done.error();
  }
  changed_.notify_all();
}

Result<void> ImportPipeline::read_file(const std::string& file) {
  std::unique_ptr<ldif::Source> source;
  if (file == "-") {
    source = std::make_unique<ldif::FdSource>(0, "standard input", false);
  } else {
    KAURI_TRY(source, ldif::open_file(file));
  }
  ldif::Reader reader(*source, ldif::ReaderOptions{});
  ldif::Record record;
  for (;;) {
    const std::uint64_t line = reader.line();
    const Result<bool> found = reader.next(record);
    if (found && !*found) break;
    RawRecord raw;
    if (found) {
      raw = own_record(record);
    } else {
      if (found.error().code() != ErrorCode::kInvalid && found.error().code() != ErrorCode::kLimit)
        return found.error();
      raw.line = line;
      raw.fault = found.error().message();
    }
    raw.file = &file;
    raw.ordinal = ordinal_++;
    if (filling_ == nullptr) {
      filling_ = std::make_unique<ImportBatch>();
      filling_octets_ = 0;
    }
    filling_octets_ += raw.octets.size();
    filling_->raw.push_back(std::move(raw));
    filling_->octets_read = octets_before_ + reader.octets_read();
    if (filling_->raw.size() >= kBatchRecords || filling_octets_ >= kBatchOctets) {
      if (!hand_over(std::move(filling_))) return {};
    }
  }
  octets_before_ += reader.octets_read();
  return {};
}

// False when the reading is to end.
bool ImportPipeline::hand_over(std::unique_ptr<ImportBatch> batch) {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopping_ || handed_over_ - taken_ < in_flight_max_; });
    if (stopping_) return false;
    batch->sequence = handed_over_++;
    to_prepare_.push_back(std::move(batch));
  }
  changed_.notify_all();
  return true;
}

void ImportPipeline::work() {
  RecordMaker maker(schema_, random_, options_.keep_operational, options_.start_micros,
                    hash_password_);
  for (;;) {
    std::unique_ptr<ImportBatch> batch;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return stopping_ || !to_prepare_.empty() || read_to_end_; });
      if (stopping_ || (to_prepare_.empty() && read_to_end_)) return;
      if (to_prepare_.empty()) continue;
      batch = std::move(to_prepare_.front());
      to_prepare_.pop_front();
    }
    prepare(maker, *batch);
    {
      const std::lock_guard lock(mutex_);
      prepared_.emplace(batch->sequence, std::move(batch));
    }
    changed_.notify_all();
  }
}

void ImportPipeline::prepare(RecordMaker& maker, ImportBatch& batch) {
  KeyGrouper grouper(batch.keys);
  batch.prepared.reserve(batch.raw.size());
  for (const RawRecord& raw : batch.raw) {
    batch.prepared.push_back(maker.make(raw));
    const PreparedRecord& made = batch.prepared.back();
    if (options_.catalog == nullptr || !made.reject.empty()) continue;
    const auto record = static_cast<std::uint32_t>(batch.prepared.size() - 1);
    for (const std::string& key : index::keys_of_entry(made.entry, *options_.catalog, *schema_))
      grouper.add(key, record);
  }
  batch.raw.clear();
}

}  // namespace kauri::backend
