#include "toolkit/load_types.h"

#include <algorithm>

namespace kauri::toolkit {

void LoadErrors::add(const LoadErrors& other) {
  wrong_code += other.wrong_code;
  wrong_entries += other.wrong_entries;
  broken_answer += other.broken_answer;
  lost += other.lost;
  no_answer += other.no_answer;
  no_connection += other.no_connection;
  if (first.empty()) first = other.first;
}

void OperationFigures::add(const OperationFigures& other) {
  operations += other.operations;
  entries += other.entries;
  expected_entries += other.expected_entries;
  has_expectation |= other.has_expectation;
  latency.merge(other.latency);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] += other.codes[i];
  next_number = std::max(next_number, other.next_number);
}

}  // namespace kauri::toolkit
