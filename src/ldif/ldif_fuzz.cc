// Reading of any octets: no fault, the same answer whatever the size of reads, and writing then
// reading again gives the same records.
#include <cstdint>
#include <cstdlib>

#include "ldif/test_support.h"
#include "ldif/writer.h"

using namespace kauri::ldif;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 1U << 16U) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ReaderOptions options;
  options.line_size_max = 4096;
  options.record_size_max = 8192;
  options.buffer_size = 4096;
  const auto whole = read_all(text, options);
  options.buffer_size = 16;
  require(read_all(text, options, 7) == whole);

  StringSource source(text);
  Reader reader(source, options);
  Record record;
  std::string written;
  std::vector<std::string> expected;
  for (;;) {
    const auto more = reader.next(record);
    if (!more) continue;
    if (!*more) break;
    Writer(written, {.line_width = 2 + size % 80}).record(record);
    expected.push_back(describe(record));
  }
  require(read_all(written, {.buffer_size = 4096}) == expected);
  return 0;
}
