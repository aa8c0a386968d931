#include "toolkit/operation_source.h"

namespace kauri::toolkit {

void OperationSource::Queue::push(std::uint64_t number) {
  // What was taken makes room as soon as it is the larger half, so memory stays in proportion.
  if (head_ > 64 && head_ * 2 > numbers_.size()) {
    numbers_.erase(numbers_.begin(), numbers_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
  numbers_.push_back(number);
}

OperationSource::OperationSource(const Mix& mix, std::uint64_t seed, unsigned index,
                                 unsigned stride)
    : mix_(mix), random_((seed + 0x5851F42D4C957F2DU) * 0x9E3779B97F4A7C15U + index) {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < mix.parts.size(); ++i) {
    const Workload& workload = mix.parts[i].workload;
    // Each part has a stream of its own; the first one's does not depend on the others.
    numbers_.emplace_back(NumberSource::Options{workload.low, workload.high, workload.order,
                                                seed + i * 0xD1342543DE82EF95U, index, stride});
    weights_up_to_.push_back(sum += mix.parts[i].weight);
    if (workload.kind == WorkloadKind::kAdd && mix.has(WorkloadKind::kDelete)) add_part_ = i;
    if (workload.requests_back) modrdn_part_ = i;
  }
}

std::uint32_t OperationSource::draw() {
  if (weights_up_to_.size() == 1) return 0;
  const std::uint64_t drawn = random_.next_u64() % weights_up_to_.back();
  std::uint32_t part = 0;
  while (weights_up_to_[part] <= drawn) ++part;
  return part;
}

std::optional<NextOperation> OperationSource::next() {
  std::uint32_t part = draw();
  if (part == modrdn_part_ && !renamed_.empty()) return next_back();
  if (add_part_ && mix_.parts[part].workload.kind == WorkloadKind::kDelete) {
    if (!added_.empty()) return NextOperation{part, false, added_.pop()};
    part = *add_part_;
  }
  const auto number = numbers_[part].next();
  if (!number) {
    used_up_ = part;
    return std::nullopt;
  }
  return NextOperation{part, false, part == modrdn_part_ ? at_home(part, *number) : *number};
}

// That number, or the next one whose entry is not being renamed. Of away_.size() + 1 numbers in a
// row one is not, unless the range is too small for the requests on their way.
std::uint64_t OperationSource::at_home(std::uint32_t part, std::uint64_t number) {
  for (std::size_t i = away_.size(); i > 0 && away_.contains(number); --i) {
    number = *numbers_[part].next();
  }
  away_.insert(number);
  return number;
}

std::optional<NextOperation> OperationSource::next_back() {
  if (!modrdn_part_ || renamed_.empty()) return std::nullopt;
  return NextOperation{*modrdn_part_, true, renamed_.pop()};
}

void OperationSource::succeeded(const NextOperation& operation) {
  if (operation.part == modrdn_part_) {
    if (operation.back) {
      away_.erase(operation.number);
    } else {
      renamed_.push(operation.number);
    }
  }
  if (operation.part == add_part_) added_.push(operation.number);
}

}  // namespace kauri::toolkit
