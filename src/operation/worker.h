// Worker: what one worker thread keeps for its connections: a read session for each database and
// buffers that are used again, so that a simple operation allocates nothing. Internal to
// operation/.
//
// Thread safety: confined to its worker thread, but for completions().
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backend/read_session.h"
#include "ldap/message.h"
#include "operation/completion_queue.h"
#include "operation/names.h"
#include "operation/service.h"

namespace kauri::operation {

class ServiceImpl;
class SearchTask;

// A snapshot held for the length of a scope.
class ReadGuard {
 public:
  static Result<ReadGuard> begin(backend::ReadSession& session) {
    KAURI_CHECK(session.begin());
    return ReadGuard(session);
  }
  ReadGuard(ReadGuard&& other) noexcept : session_(std::exchange(other.session_, nullptr)) {}
  ReadGuard& operator=(ReadGuard&&) = delete;
  ~ReadGuard() {
    if (session_ != nullptr) session_->end();
  }

 private:
  explicit ReadGuard(backend::ReadSession& session) : session_(&session) {}
  backend::ReadSession* session_;
};

// A search base that was found before. The id holds for the snapshot that it was found in.
struct KnownBase {
  Name name;
  std::size_t database = 0;
  EntryId id;
  std::uint64_t snapshot = 0;
};

class Worker final : public WorkerContext {
 public:
  static Result<std::unique_ptr<Worker>> make(ServiceImpl& service);
  ~Worker() override;

  backend::ReadSession& read(std::size_t database) { return *reads_[database]; }
  const std::shared_ptr<CompletionQueue>& completions() const { return completions_; }

  // A search task with the memory of an earlier one.
  std::unique_ptr<SearchTask> take_task();
  void give_back(std::unique_ptr<SearchTask> task);
  // Lets go of what an unusually large request made of the buffers below.
  void forget_request();

  // nullptr when the text was not seen lately. VALID UNTIL: the next remember_base().
  KnownBase* known_base(std::string_view text);
  KnownBase* remember_base(std::string_view text, Name name, std::size_t database);

  // Buffers for the operation at hand.
  ldap::Message message;
  ldap::BindRequest bind;
  ldap::SearchRequest search;
  ldap::ModifyRequest modify;
  ldap::AddRequest add;
  ldap::ModifyDnRequest modify_dn;
  ldap::CompareRequest compare;
  ldap::ExtendedRequest extended;
  OperationRecord record;
  std::string dn;
  std::string attributes;

 private:
  Worker();

  static constexpr std::size_t kKnownBasesMax = 256;
  static constexpr std::size_t kKnownBaseTextMax = 512;
  static constexpr std::size_t kIdleTasksMax = 16;
  static constexpr std::size_t kIdleTaskMemoryMax = std::size_t{64} << 10U;
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };

  std::vector<std::unique_ptr<backend::ReadSession>> reads_;
  std::shared_ptr<CompletionQueue> completions_ = std::make_shared<CompletionQueue>();
  std::vector<std::unique_ptr<SearchTask>> idle_tasks_;
  std::unordered_map<std::string, KnownBase, TextHash, std::equal_to<>> bases_;
  KnownBase unremembered_;
};

}  // namespace kauri::operation
