// Sequences of operations against a model of a directory (operation/testing/model_duel.h): the
// octets choose what is asked; what the real directory answers otherwise than the model does is a
// fault.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "base/assert.h"
#include "operation/testing/model_duel.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kauri::operation::testing;
  OctetChoices choices({reinterpret_cast<const char*>(data), size});
  DuelOptions options;
  options.steps_max = 100;
  options.compare_every = 25;
  const DuelResult result = run_duel(choices, options);
  if (!result.difference.empty()) std::fprintf(stderr, "%s\n", result.difference.c_str());
  KAURI_ASSERT(result.difference.empty());
  return 0;
}
