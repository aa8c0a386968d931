// What clients asked for and were promised, with the place in the write log of each: which states
// an image of the disk may show. Thread safety: immutable once read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kauri::write_log {

// A thing that clients change, and its state as text (tests/lib/write_load.py).
using States = std::map<std::string, std::string>;

class Ledger {
 public:
  // Lines of four fields, tabs between them: key, state ("-": it is gone), the size of the log
  // before the request was sent, the size of the log after its answer came ("-": none came). In the
  // order of the requests. RETURNS: kInvalid with the line.
  static Result<Ledger> parse(std::string_view text);

  // A sentence for each thing whose state an image of the log's first `position` octets must not
  // have: not the last acknowledged, and not one that was asked for since.
  std::vector<std::string> compare(const States& found, std::uint64_t position) const;
  std::size_t size() const { return size_; }

 private:
  struct Step {
    std::optional<std::string> state;
    std::uint64_t issued = 0;
    std::uint64_t acknowledged = 0;  // UINT64_MAX: never
  };
  std::map<std::string, std::vector<Step>, std::less<>> steps_;
  std::size_t size_ = 0;
};

}  // namespace kauri::write_log
