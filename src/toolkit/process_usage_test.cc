#include "toolkit/process_usage.h"

#include <gtest/gtest.h>
#include <unistd.h>

namespace kauri::toolkit {
namespace {

TEST(ProcessUsage, ReadsTimesBehindAnyCommandName) {
  ProcessUsage usage;
  ASSERT_TRUE(parse_process_stat("42 (a ) b) (c) S 1 42 42 0 -1 4194560 10 0 0 0 250 75 0 0 20 0\n",
                                 100, usage));
  EXPECT_DOUBLE_EQ(usage.user_seconds, 2.5);
  EXPECT_DOUBLE_EQ(usage.system_seconds, 0.75);
  EXPECT_DOUBLE_EQ(usage.cpu_seconds(), 3.25);
}

TEST(ProcessUsage, BrokenStatIsAnError) {
  ProcessUsage usage;
  for (const char* text : {"", "42 kaurid S 1 2 3", "42 (kaurid) S 1 2 3",
                           "42 (x) S 1 42 42 0 -1 4194560 10 0 0 0 many 75 0"}) {
    EXPECT_FALSE(parse_process_stat(text, 100, usage)) << text;
  }
}

TEST(ProcessUsage, ReadsMemoryFromStatus) {
  ProcessUsage usage;
  ASSERT_TRUE(
      parse_process_status("Name:\tx\nPid:\t42\nVmHWM:\t   300 kB\nVmRSS:\t   200 kB\n"
                           "RssAnon:\t   150 kB\n",
                           usage));
  EXPECT_EQ(usage.rss_bytes, 200U * 1024);
  EXPECT_EQ(usage.rss_anon_bytes, 150U * 1024);
  EXPECT_EQ(usage.rss_peak_bytes, 300U * 1024);
  EXPECT_FALSE(parse_process_status("Name:\tx\n", usage));
}

TEST(ProcessUsage, OwnProcessUsesSomething) {
  const auto usage = read_process_usage(getpid());
  ASSERT_TRUE(usage) << usage.error().message();
  EXPECT_GT(usage->rss_bytes, 100U * 1024);
  EXPECT_GE(usage->rss_peak_bytes, usage->rss_anon_bytes);
  EXPECT_GT(own_cpu_nanos(), 0);
  EXPECT_GT(thread_cpu_nanos(), 0);
}

TEST(ProcessUsage, NamesAProcessThatIsNotThere) {
  const auto usage = read_process_usage(2'000'000'000);
  ASSERT_FALSE(usage);
  EXPECT_EQ(usage.error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(usage.error().message(), "there is no process 2000000000");
}

TEST(ProcessUsage, MachineTimesLeaveOutIdleWaitingAndStolen) {
  const auto busy = parse_machine_stat("cpu  100 10 50 9999 888 20 30 777 0 0\ncpu0 1", 100);
  ASSERT_TRUE(busy);
  EXPECT_DOUBLE_EQ(*busy, 2.1);
  EXPECT_FALSE(parse_machine_stat("cpu 1 2 3", 100));
  EXPECT_FALSE(parse_machine_stat("intr 1", 100));
  const auto real = read_machine_busy_seconds();
  ASSERT_TRUE(real) << real.error().message();
  EXPECT_GT(*real, 0);
}

TEST(ProcessUsage, DescribesTheMachine) {
  const Machine machine = describe_machine();
  EXPECT_TRUE(machine.kernel.starts_with("Linux ")) << machine.kernel;
  EXPECT_GT(machine.processors, 0U);
  EXPECT_GT(machine.memory_bytes, 0U);
}

}  // namespace
}  // namespace kauri::toolkit
