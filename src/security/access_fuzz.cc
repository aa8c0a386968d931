// Any octets as access rules, one a line: an error or a policy whose text compiles again, and whose
// decisions do not change when they are asked for again.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "schema/schema_loader.h"
#include "security/access_policy.h"

namespace {

using kauri::query::Right;

class Target final : public kauri::query::AccessTarget {
 public:
  explicit Target(std::string_view name) : name_(name) {}
  kauri::EntryId id() const override { return kauri::EntryId(1); }
  const kauri::entry::EntryView* entry() const override { return nullptr; }
  std::string_view normal_dn() override { return name_; }

 private:
  std::string_view name_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> rules(1);
  for (std::size_t i = 0; i < size; ++i) {
    if (data[i] == '\n') {
      rules.emplace_back();
    } else {
      rules.back() += static_cast<char>(data[i]);
    }
  }
  const auto schema = kauri::schema::builtin_schema();
  const auto policy = kauri::security::AccessPolicy::compile(rules, schema);
  if (!policy) {
    KAURI_ASSERT(!policy.error().message().empty());
    return 0;
  }
  KAURI_ASSERT((*policy)->rules() == rules);
  const kauri::schema::AttributeType& type = *schema->attribute_type("cn");
  const auto authorizer = (*policy)->authorizer({"dc=com", "dc=com\x01", false});
  for (const std::string_view name : {"", "dc=com\x01", "dc=com\x01uid=a\x01", "dc=org\x01"}) {
    Target target(name);
    for (const Right right : {Right::kRead, Right::kWrite}) {
      // The first way is never remembered, the second may be.
      const bool fresh = authorizer->may(target, type, right);
      KAURI_ASSERT(authorizer->may(target, kauri::AttributeNumber(1), type, right) == fresh);
    }
  }
  return 0;
}
