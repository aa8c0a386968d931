// Random scripts against the connections of a worker. KAURI_SCRIPTS sets how many, KAURI_SEED
// repeats a failure.
#include "server/connection_script.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/random.h"

namespace kauri::server {
namespace {

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(ConnectionScript, EveryConnectionAnswersAndEnds) {
  const std::uint64_t scripts = from_environment("KAURI_SCRIPTS", 400);
  const std::uint64_t first = from_environment("KAURI_SEED", 1);
  ScriptResult sum;
  for (std::uint64_t seed = first; seed < first + scripts; ++seed) {
    SeededRandom random(seed);
    const ScriptResult one = play_script(random.bytes(50 + random.next_u64() % 800));
    ASSERT_EQ(one.fault, "") << "KAURI_SEED=" << seed;
    sum.requests += one.requests;
    sum.answers += one.answers;
    sum.connections += one.connections;
    sum.timeouts += one.timeouts;
  }
  EXPECT_GT(sum.requests, 10 * scripts);
  EXPECT_GT(sum.answers, sum.requests);
  EXPECT_GT(sum.connections, scripts);
  EXPECT_GT(sum.timeouts, scripts / 20);
}

}  // namespace
}  // namespace kauri::server
