#include "storage/fault_env.h"

#include <utility>

#include "base/assert.h"

namespace kauri::storage {

void FaultPlan::fail(FaultPoint point, std::uint64_t n, ErrorCode code, bool repeat) {
  KAURI_ASSERT(n >= 1);
  Rule& rule = rules_[static_cast<std::size_t>(point)];
  rule.code = code;
  rule.repeat = repeat;
  rule.fail_at = rule.calls + n;
}

void FaultPlan::clear() {
  for (Rule& rule : rules_) rule.fail_at = 0;
}

std::uint64_t FaultPlan::calls(FaultPoint point) const {
  return rules_[static_cast<std::size_t>(point)].calls;
}

Result<void> FaultPlan::pass(FaultPoint point) {
  Rule& rule = rules_[static_cast<std::size_t>(point)];
  const std::uint64_t call = ++rule.calls;
  const std::uint64_t fail_at = rule.fail_at;
  if (fail_at == 0 || call < fail_at || (call > fail_at && !rule.repeat)) return {};
  ++failures_;
  return Error(rule.code, "injected fault at call " + std::to_string(call));
}

namespace {

class FaultCursor final : public Cursor {
 public:
  FaultCursor(std::unique_ptr<Cursor> inner, std::shared_ptr<FaultPlan> plan)
      : inner_(std::move(inner)), plan_(std::move(plan)) {}
  Result<bool> seek(std::string_view key) override {
    KAURI_CHECK(plan_->pass(FaultPoint::kRead));
    return inner_->seek(key);
  }
  Result<bool> seek_exact(std::string_view key) override {
    KAURI_CHECK(plan_->pass(FaultPoint::kRead));
    return inner_->seek_exact(key);
  }
  Result<bool> first() override {
    KAURI_CHECK(plan_->pass(FaultPoint::kRead));
    return inner_->first();
  }
  Result<bool> last() override {
    KAURI_CHECK(plan_->pass(FaultPoint::kRead));
    return inner_->last();
  }
  Result<bool> next() override {
    KAURI_CHECK(plan_->pass(FaultPoint::kRead));
    return inner_->next();
  }
  Result<bool> previous() override {
    KAURI_CHECK(plan_->pass(FaultPoint::kRead));
    return inner_->previous();
  }
  bool at_record() const override { return inner_->at_record(); }
  std::string_view key() const override { return inner_->key(); }
  std::string_view value() const override { return inner_->value(); }

 private:
  std::unique_ptr<Cursor> inner_;
  std::shared_ptr<FaultPlan> plan_;
};

// The part that reading and writing transactions share.
template <class Base>
class FaultTxn : public Base {
 public:
  FaultTxn(std::unique_ptr<Base> inner, std::shared_ptr<FaultPlan> plan)
      : inner_(std::move(inner)), plan_(std::move(plan)) {}
  Result<std::optional<std::string_view>> get(Table table, std::string_view key) override {
    KAURI_CHECK(plan_->pass(FaultPoint::kRead));
    return inner_->get(table, key);
  }
  Result<std::unique_ptr<Cursor>> cursor(Table table) override {
    KAURI_TRY(auto cursor, inner_->cursor(table));
    return std::unique_ptr<Cursor>(std::make_unique<FaultCursor>(std::move(cursor), plan_));
  }
  std::uint64_t id() const override { return inner_->id(); }
  Result<TableStats> table_stats(Table table) override { return inner_->table_stats(table); }

 protected:
  std::unique_ptr<Base> inner_;
  std::shared_ptr<FaultPlan> plan_;
};

class FaultReadTxn final : public FaultTxn<ReadTxn> {
 public:
  using FaultTxn<ReadTxn>::FaultTxn;
  void reset() override { inner_->reset(); }
  Result<void> renew() override {
    KAURI_CHECK(plan_->pass(FaultPoint::kBegin));
    return inner_->renew();
  }
};

class FaultWriteTxn final : public FaultTxn<WriteTxn> {
 public:
  using FaultTxn<WriteTxn>::FaultTxn;
  Result<void> put(Table table, std::string_view key, std::string_view value) override {
    KAURI_CHECK(plan_->pass(FaultPoint::kWrite));
    return inner_->put(table, key, value);
  }
  Result<void> append(Table table, std::string_view key, std::string_view value) override {
    KAURI_CHECK(plan_->pass(FaultPoint::kWrite));
    return inner_->append(table, key, value);
  }
  Result<bool> erase(Table table, std::string_view key) override {
    KAURI_CHECK(plan_->pass(FaultPoint::kWrite));
    return inner_->erase(table, key);
  }
  Result<void> clear(Table table) override {
    KAURI_CHECK(plan_->pass(FaultPoint::kWrite));
    return inner_->clear(table);
  }
  Result<void> commit() override {
    if (auto due = plan_->pass(FaultPoint::kCommit); !due) {
      inner_->abort();
      return due;
    }
    return inner_->commit();
  }
  void abort() override { inner_->abort(); }
};

class FaultEnv final : public Env {
 public:
  FaultEnv(std::unique_ptr<Env> inner, std::shared_ptr<FaultPlan> plan)
      : inner_(std::move(inner)), plan_(std::move(plan)) {}
  Result<std::unique_ptr<ReadTxn>> begin_read() override {
    KAURI_CHECK(plan_->pass(FaultPoint::kBegin));
    KAURI_TRY(auto txn, inner_->begin_read());
    return std::unique_ptr<ReadTxn>(std::make_unique<FaultReadTxn>(std::move(txn), plan_));
  }
  Result<std::unique_ptr<WriteTxn>> begin_write() override {
    KAURI_CHECK(plan_->pass(FaultPoint::kBegin));
    KAURI_TRY(auto txn, inner_->begin_write());
    return std::unique_ptr<WriteTxn>(std::make_unique<FaultWriteTxn>(std::move(txn), plan_));
  }
  Result<void> sync() override {
    KAURI_CHECK(plan_->pass(FaultPoint::kCommit));
    return inner_->sync();
  }
  EnvStats stats() override { return inner_->stats(); }
  Result<unsigned> check_readers() override { return inner_->check_readers(); }
  Result<void> copy_to(int fd) override { return inner_->copy_to(fd); }
  Durability durability() const override { return inner_->durability(); }
  const std::string& path() const override { return inner_->path(); }

 private:
  std::unique_ptr<Env> inner_;
  std::shared_ptr<FaultPlan> plan_;
};

}  // namespace

std::unique_ptr<Env> make_fault_env(std::unique_ptr<Env> env, std::shared_ptr<FaultPlan> plan) {
  return std::make_unique<FaultEnv>(std::move(env), std::move(plan));
}

}  // namespace kauri::storage
