// Runs kauri in process, as a user would call it, in a directory of the test's own. For tests.
// Thread safety: confined to one thread.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "kauri/commands.h"

namespace kauri::tool {

struct CommandOutcome {
  int status = 0;
  std::string out;
  std::string err;
};

inline CommandOutcome run_command(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "kauri");
  std::vector<const char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(argument.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  CommandOutcome outcome;
  outcome.status = run(static_cast<int>(pointers.size()), pointers.data());
  outcome.out = testing::internal::GetCapturedStdout();
  outcome.err = testing::internal::GetCapturedStderr();
  return outcome;
}

class CommandTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "kauri-c-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string path(const std::string& name) const { return (directory_ / name).string(); }
  std::string file(const std::string& name, const std::string& octets) const {
    std::ofstream(path(name), std::ios::binary) << octets;
    return path(name);
  }
  static std::string octets_of(const std::string& name) {
    std::ifstream in(name, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::vector<std::string> names_in(const std::string& name) const {
    std::vector<std::string> out;
    for (const auto& one : std::filesystem::directory_iterator(path(name)))
      out.push_back(one.path().filename().string());
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  std::filesystem::path directory_;
};

}  // namespace kauri::tool
