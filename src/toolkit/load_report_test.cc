#include "toolkit/load_report.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "toolkit/load_run.h"
#include "toolkit/testing/servers.h"

namespace kauri::toolkit {
namespace {

using testing::Responder;

LoadRecord record_of(const Responder& responder, const Mix& mix, std::uint64_t count) {
  LoadRecord record;
  record.options = responder.load();
  record.options.count = count;
  record.options.server_pid = getpid();
  record.mix = mix;
  record.notes = {{"disk", "a=b"}};
  record.machine = describe_machine();
  record.version = "1.2.3";
  record.command = "kauri bench search --filter '(uid=\"x\")'";
  record.server = {"Example", "Example 9"};
  record.durability = "durable";
  record.dataset = "1,000 users";
  record.wall_micros = 1'700'000'000'000'000;
  record.result = *run_load(record.options, record.mix);
  return record;
}

Mix search() {
  return mix_of(*make_workload({.high = 999, .filter = "(uid={n})", .expect_entries = "1"}));
}

Mix search_and_modify() {
  Mix mix = search();
  mix.parts.push_back({*make_workload({.kind = WorkloadKind::kModify, .high = 999}), 2});
  return mix;
}

TEST(LoadReport, JsonAndTextCarryTheResult) {
  const Responder responder;
  LoadRecord record = record_of(responder, search(), 100);
  record.result.errors.first = "octets \xFF that are no UTF-8";
  record.result.busiest_thread = 0.95;
  const auto json = nlohmann::json::parse(report_json(record));
  EXPECT_EQ(json["operations"], 100);
  EXPECT_EQ(json["result_codes"]["success"], 100);
  EXPECT_EQ(json["notes"]["disk"], "a=b");
  EXPECT_EQ(json["options"]["count"], 100);
  EXPECT_EQ(json["entries"], 100);
  EXPECT_EQ(json["expected_entries"], 100);
  EXPECT_EQ(json["durability"], "durable");
  EXPECT_EQ(json["dataset"], "1,000 users");
  EXPECT_EQ(json["command"], record.command);
  EXPECT_EQ(json["server_software"]["version"], "Example 9");
  EXPECT_GT(json["latency_us"]["p99"].get<double>(), 0);
  EXPECT_EQ(json["warnings"].size(), warnings_of(record).size());
  const std::string text = report_text(record);
  for (const char* part : {"operations    100 in ", "the client was the bottleneck", "disk=a=b",
                           "Example 9 at ldap://", "durability durable, data set 1,000 users",
                           "entries       seen 100, expected 100"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(LoadReport, AMixTellsOfEachKind) {
  const Responder responder;
  const LoadRecord record = record_of(responder, search_and_modify(), 300);
  const auto json = nlohmann::json::parse(report_json(record));
  EXPECT_EQ(json["workload"], "mixed");
  ASSERT_EQ(json["kinds"].size(), 2U);
  EXPECT_EQ(json["kinds"][1]["operation"], "modify");
  EXPECT_EQ(json["kinds"][1]["weight"], 2);
  EXPECT_EQ(json["kinds"][0]["operations"].get<int>() + json["kinds"][1]["operations"].get<int>(),
            300);
  EXPECT_EQ(json["result_codes"]["success"], 300);
  const std::string text = report_text(record);
  EXPECT_NE(text.find("\n  modify      "), std::string::npos) << text;
}

// The fields of a line of CSV.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      out.back() += line[i++];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      out.emplace_back();
    } else {
      out.back() += line[i];
    }
  }
  return out;
}

std::vector<std::vector<std::string>> lines_of(const std::string& csv) {
  std::vector<std::vector<std::string>> out;
  std::size_t at = 0;
  while (at < csv.size()) {
    const std::size_t end = csv.find('\n', at);
    out.push_back(fields_of(csv.substr(at, end - at)));
    at = end + 1;
  }
  return out;
}

std::string field(const std::vector<std::vector<std::string>>& lines, std::size_t line,
                  const std::string& name) {
  const auto at = std::find(lines[0].begin(), lines[0].end(), name);
  if (at == lines[0].end()) return "no column " + name;
  return lines[line][static_cast<std::size_t>(at - lines[0].begin())];
}

TEST(LoadReport, CsvHasALineForAllAndOneForEachKind) {
  const Responder responder;
  const LoadRecord record = record_of(responder, search_and_modify(), 300);
  const auto lines = lines_of(report_csv(record));
  ASSERT_EQ(lines.size(), 4U);
  for (const auto& line : lines) EXPECT_EQ(line.size(), lines[0].size());
  EXPECT_EQ(field(lines, 1, "operation"), "all");
  EXPECT_EQ(field(lines, 1, "operations"), "300");
  EXPECT_EQ(field(lines, 1, "dataset"), "1,000 users");
  EXPECT_EQ(field(lines, 1, "command"), record.command);
  EXPECT_EQ(field(lines, 1, "errors"), "0");
  EXPECT_EQ(field(lines, 3, "operation"), "modify");
  EXPECT_EQ(field(lines, 3, "expected_entries"), "");
  EXPECT_EQ(lines_of(report_csv(record_of(responder, search(), 10))).size(), 2U);
}

TEST(LoadReport, WhatHasToBeKnownIsSaid) {
  LoadRecord record;
  record.mix = mix_of(*make_workload({}));
  record.result.kinds.resize(1);
  record.result.all.operations = 10;
  record.result.not_started = 5;
  record.result.left_renamed = 2;
  record.result.used_up = "add";
  record.result.interrupted = true;
  record.result.too_many_errors = true;
  std::string all;
  for (const std::string& warning : warnings_of(record)) all += warning + "\n";
  for (const char* part :
       {"5 of 15 requests", "2 entries still have", "numbers of the operation add",
        "was interrupted", "ended early", "no search found an entry"}) {
    EXPECT_NE(all.find(part), std::string::npos) << part << "\n" << all;
  }
}

TEST(LoadReport, ARunWithoutConnectionsSaysHowFarItCame) {
  LoadRecord record;
  record.mix = mix_of(*make_workload({}));
  record.options.connections = 16;
  record.options.duration_seconds = 30;
  record.result.all.operations = record.result.all.entries = 120;
  record.result.seconds = 1.25;
  record.result.connections_lost = 16;
  EXPECT_EQ(warnings_of(record),
            (std::vector<std::string>{"16 of 16 connections were lost and not made again: the load "
                                      "was less than what was asked for"}));
  record.result.out_of_connections = true;
  EXPECT_EQ(warnings_of(record),
            (std::vector<std::string>{"the run ended early, after 120 operations in 1.250 s "
                                      "instead of 30 s: no connection was left"}));
  record.options.count = 500;
  EXPECT_EQ(warnings_of(record),
            (std::vector<std::string>{"the run ended early, after 120 operations in 1.250 s "
                                      "instead of 500 operations: no connection was left"}));
}

TEST(LoadReport, ProgressBar) {
  EXPECT_EQ(progress_bar(0, 4), "[....]   0 %");
  EXPECT_EQ(progress_bar(0.5, 4), "[##..]  50 %");
  EXPECT_EQ(progress_bar(0.999, 4), "[###.]  99 %");
  EXPECT_EQ(progress_bar(7, 4), "[####] 100 %");
}

TEST(LoadReport, TheSearchOfTheHighestLoad) {
  const Responder responder;
  const LoadRecord record = record_of(responder, search(), 10);
  FindMaxResult found;
  found.objectives = *parse_objectives("p99=5ms");
  found.steps = {{100, record.result, true, ""}, {200, record.result, false, "p99 was 6.000 ms"}};
  found.best = 0;
  EXPECT_EQ(step_line(found.steps[0]), "step  100.0 ops/s: held");
  EXPECT_EQ(step_line(found.steps[1]), "step  200.0 ops/s: broke the objective: p99 was 6.000 ms");
  auto json = nlohmann::json::parse(find_max_json(record, found));
  EXPECT_EQ(json["best_rate"], 100.0);
  EXPECT_EQ(json["best"]["operations"], 10);
  EXPECT_EQ(json["steps"][1]["why"], "p99 was 6.000 ms");
  EXPECT_EQ(json["objectives"][0], "p99=5ms");
  const std::string text = find_max_text(record, found);
  EXPECT_NE(text.find("best          100.0 ops/s"), std::string::npos) << text;
  EXPECT_NE(text.find("p99 was 6.000 ms"), std::string::npos) << text;
  const auto lines = lines_of(find_max_csv(record, found));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(field(lines, 2, "held"), "0");
  EXPECT_EQ(field(lines, 2, "rate_asked"), "200.000");
  found.best.reset();
  json = nlohmann::json::parse(find_max_json(record, found));
  EXPECT_TRUE(json["best"].is_null());
  EXPECT_NE(find_max_text(record, found).find("best          none"), std::string::npos);
}

}  // namespace
}  // namespace kauri::toolkit
