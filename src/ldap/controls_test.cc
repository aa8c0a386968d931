#include "ldap/controls.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ldap/client.h"
#include "ldap/oids.h"

namespace kauri::ldap {
namespace {

using namespace std::string_literals;

TEST(ControlsTest, PagedResultsAreReadBack) {
  for (const std::int32_t size : {0, 1, 500, 2147483647}) {
    for (const std::string& cookie : {""s, "c"s, std::string(300, '\0')}) {
      const Control control = paged_results_control({size, cookie}, true);
      EXPECT_EQ(control.oid, oids::kPagedResults);
      EXPECT_TRUE(control.critical);
      PagedResults out;
      ASSERT_TRUE(decode_paged_results(control.value, out).ok());
      EXPECT_EQ(out.size, size);
      EXPECT_EQ(out.cookie, cookie);
    }
  }
}

TEST(ControlsTest, NamedMalformedPagedResults) {
  const struct {
    const char* name;
    std::optional<std::string> value;
  } cases[] = {
      {"no value", std::nullopt},
      {"empty value", ""},
      {"empty sequence", "\x30\0"s},
      {"no cookie", "\x30\x03\x02\x01\x05"},
      {"negative size", "\x30\x05\x02\x01\xff\x04\0"s},
      {"size 2^31", "\x30\x09\x02\x05\0\x80\0\0\0\x04\0"s},
      {"size is text", "\x30\x05\x04\x01\x05\x04\0"s},
      {"a set", "\x31\x05\x02\x01\x05\x04\0"s},
      {"cookie past the end", "\x30\x05\x02\x01\x05\x04\x05"s},
      {"octets behind", "\x30\x05\x02\x01\x05\x04\0\0"s},
  };
  for (const auto& c : cases) {
    PagedResults out;
    const DecodeResult result = decode_paged_results(c.value, out);
    EXPECT_EQ(result.fault, DecodeFault::kProtocol) << c.name;
    EXPECT_NE(result.why, nullptr) << c.name;
  }
}

TEST(ControlsTest, ExplainIsReadBack) {
  for (const ExplainMode mode : {ExplainMode::kRun, ExplainMode::kDiscard, ExplainMode::kPlan}) {
    const Control control = explain_control(mode, true);
    EXPECT_EQ(control.oid, oids::kExplain);
    ExplainMode out = ExplainMode::kRun;
    ASSERT_TRUE(decode_explain(control.value, out).ok());
    EXPECT_EQ(out, mode);
  }
  ExplainMode out = ExplainMode::kPlan;
  EXPECT_TRUE(decode_explain(std::nullopt, out).ok());
  EXPECT_EQ(out, ExplainMode::kRun);
}

TEST(ControlsTest, NamedMalformedExplain) {
  const struct {
    const char* name;
    std::string value;
  } cases[] = {
      {"empty value", ""},
      {"empty sequence", "\x30\0"s},
      {"mode below", "\x30\x03\x0a\x01\xff"},
      {"mode above", "\x30\x03\x0a\x01\x03"},
      {"mode of 9 octets", "\x30\x0b\x0a\x09\1\0\0\0\0\0\0\0\0"s},
      {"mode without octets", "\x30\x02\x0a\0"s},
      {"mode is an integer", "\x30\x03\x02\x01\x01"},
      {"mode is a boolean", "\x30\x03\x01\x01\xff"},
      {"a set", "\x31\x03\x0a\x01\x01"},
      {"the mode alone", "\x0a\x01\x01"},
      {"past the end", "\x30\x05\x0a\x01\x01"},
      {"octets inside", "\x30\x04\x0a\x01\x01\0"s},
      {"octets behind", "\x30\x03\x0a\x01\x01\0"s},
      {"text", "plan"},
  };
  for (const auto& c : cases) {
    ExplainMode out = ExplainMode::kRun;
    const DecodeResult result = decode_explain(c.value, out);
    EXPECT_EQ(result.fault, DecodeFault::kProtocol) << c.name;
    EXPECT_NE(result.why, nullptr) << c.name;
  }
}

TEST(ControlsTest, FoundByTheirOid) {
  std::string octets;
  append_delete_request(octets, 1, "dc=x",
                        {{"1.2.3", false, {}}, paged_results_control({10, "c"})});
  Message message;
  ASSERT_TRUE(decode_message(octets, message).ok());
  const ControlView* control = find_control(message, oids::kPagedResults);
  ASSERT_NE(control, nullptr);
  PagedResults out;
  ASSERT_TRUE(decode_paged_results(control->value, out).ok());
  EXPECT_EQ(out.size, 10);
  EXPECT_EQ(find_control(message, oids::kAssertion), nullptr);
}

}  // namespace
}  // namespace kauri::ldap
