// SlowLog: the access log, and the lines of operations that took long once more in a file of their
// own. Thread safety: thread-safe, as the logs behind it; both outlive it.
#pragma once

#include <cstdint>

#include "server/access_log.h"

namespace kauri::server {

class SlowLog final : public operation::AccessLog {
 public:
  // An operation is slow when it took at least `threshold_nanos` from its arrival to its answer.
  SlowLog(AccessLogFile& all, AccessLogFile& slow, std::int64_t threshold_nanos)
      : all_(all), slow_(slow), threshold_nanos_(threshold_nanos) {}

  bool enabled() const override { return all_.enabled() || slow_.enabled(); }
  void log(const operation::OperationRecord& record) override {
    all_.log(record);
    if (record.etime_nanos >= threshold_nanos_) slow_.log(record);
  }

 private:
  AccessLogFile& all_;
  AccessLogFile& slow_;
  const std::int64_t threshold_nanos_;
};

}  // namespace kauri::server
