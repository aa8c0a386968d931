// Helpers of this folder's tests. Thread safety: thread-compatible.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "schema/matching_rule.h"
#include "schema/schema_loader.h"

namespace kauri::schema::testing {

// The built-in schema and `directives` (in .schema format) on top.
inline std::shared_ptr<const Schema> schema_with(std::string_view directives) {
  SchemaBuilder builder;
  builder.add_builtin();
  const auto added = builder.add_text(directives, "test");
  EXPECT_TRUE(added.has_value()) << (added ? "" : added.error().message());
  auto schema = builder.build();
  EXPECT_TRUE(schema.has_value()) << (schema ? "" : schema.error().message());
  return schema ? *schema : nullptr;
}

// The normal form of a value, or "(none)".
inline std::string normal(std::string_view rule, std::string_view value,
                          const Schema& schema = *builtin_schema()) {
  const MatchingRule* found = find_matching_rule(rule);
  EXPECT_NE(found, nullptr) << rule;
  std::string out = "keep";
  if (found == nullptr || !found->normalize(schema, value, out)) {
    EXPECT_EQ(out, "keep") << "a failure must leave the output as it was";
    return "(none)";
  }
  return out.substr(4);
}
inline std::string normal_assertion(std::string_view rule, std::string_view value,
                                    const Schema& schema = *builtin_schema()) {
  std::string out;
  const bool ok = find_matching_rule(rule)->normalize_assertion(schema, value, out);
  return ok ? out : "(none)";
}
inline std::string part(std::string_view rule, SubstringPosition position, std::string_view text) {
  std::string out;
  const bool ok =
      find_matching_rule(rule)->normalize_substring(*builtin_schema(), position, text, out);
  return ok ? out : "(none)";
}
// Whether the value satisfies the assertion; false also when either has no normal form.
inline bool match(std::string_view rule, std::string_view value, std::string_view assertion,
                  const Schema& schema = *builtin_schema()) {
  const MatchingRule* found = find_matching_rule(rule);
  std::string v;
  std::string a;
  return found->normalize(schema, value, v) && found->normalize_assertion(schema, assertion, a) &&
         found->matches(v, a);
}

}  // namespace kauri::schema::testing
