#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "schema/schema_loader.h"
#include "security/access_policy.h"
#include "security/access_rule.h"

namespace kauri::security {
namespace {

std::string error_of(std::string_view rule) {
  const auto policy =
      AccessPolicy::compile({"to * by * read", std::string(rule)}, schema::builtin_schema());
  if (policy) return "accepted";
  EXPECT_EQ(policy.error().code(), ErrorCode::kInvalid);
  return policy.error().message();
}

TEST(AccessRuleErrors, NameTheRuleTheColumnTheWordAndWhatWasExpected) {
  const std::string what = "expected '*', 'dn[.style]=DN' or 'attrs=LIST'";
  const std::string who = "expected '*', 'anonymous', 'users', 'self' or 'dn[.style]=DN'";
  const std::string access =
      "expected none, disclose, auth, compare, search, read, add, delete, write or manage, or "
      "'=', '+' or '-' and letters of mwazrscxd0";
  struct Case {
    std::string rule;
    std::string message;  // after "access rule 2, column "
  };
  const std::vector<Case> cases = {
      {"", "1: the rule ends here; expected 'to'"},
      {"   ", "4: the rule ends here; expected 'to'"},
      {"access", "7: the rule ends here; expected 'to'"},
      {"by * read", "1: found 'by'; expected 'to'"},
      {"{0}", "4: the rule ends here; expected 'to'"},
      {"{0}by", "4: found 'by'; expected 'to'"},
      {"{x}to * by * read", "1: found '{x}to'; expected 'to'"},
      {"to", "3: the rule ends here; " + what},
      {"to by * read", "4: found 'by'; " + what},
      {"to everything by * read", "4: found 'everything'; " + what},
      {"to dn by * read", "4: found 'dn'; " + what},
      {"to attrs.x=cn by * read", "4: found 'attrs.x=cn'; " + what},
      {"to *", "5: the rule ends here; expected 'by'"},
      {"to * attrs=cn", "14: the rule ends here; expected 'by'"},
      {"to * dn=dc=com by * read", "6: 'dn=dc=com' is a second name of entries"},
      {"to attrs=cn attrs=sn by * read", "13: 'attrs=sn' is a second list of attributes"},
      {"to dn=xyz by * read", ""},
      {"to dn.prefix=dc=com by * read",
       "4: 'prefix' is no style of a DN; expected exact, base, one, subtree or children"},
      {"to dn.regex=.* by * read", "4: 'dn.regex=.*' is not supported in this version"},
      {"to filter=(cn=a) by * read", "4: 'filter=(cn=a)' is not supported in this version"},
      {"to attrs=cn val=x by * read", "13: 'val=x' is not supported in this version"},
      {"to attrs=cn val.regex=x by * read", "13: 'val.regex=x' is not supported in this version"},
      {"to attrs= by * read", "4: the list of attributes has an empty name"},
      {"to attrs=cn, by * read", "4: the list of attributes has an empty name"},
      {"to attrs=nosuch by * read", "4: attribute type 'nosuch' is not defined"},
      {"to attrs=cn,@nosuch by * read", "4: object class 'nosuch' is not defined"},
      {"to attrs=! by * read", "4: object class '' is not defined"},
      {"to attrs=cn;lang-en by * read",
       "4: attribute options, as in 'cn;lang-en', are not supported in this version"},
      {"to * by", "8: the rule ends here; " + who},
      {"to * by read", "9: found 'read'; " + who},
      {"to * by by", "9: found 'by'; " + who},
      {"to * by nobody read", "9: found 'nobody'; " + who},
      {"to * by dn read", "9: found 'dn'; " + who},
      {"to * by dn=\"\" read",
       "9: an empty DN names nobody; expected a DN, 'anonymous', 'users' or '*'"},
      {"to * by group=cn=a read", "9: 'group=cn=a' is not supported in this version"},
      {"to * by group/groupOfNames/member=cn=a read",
       "9: 'group/groupOfNames/member=cn=a' is not supported in this version"},
      {"to * by set=x read", "9: 'set=x' is not supported in this version"},
      {"to * by dnattr=owner read", "9: 'dnattr=owner' is not supported in this version"},
      {"to * by peername.ip=127.0.0.1 read",
       "9: 'peername.ip=127.0.0.1' is not supported in this version"},
      {"to * by ssf=128 read", "9: 'ssf=128' is not supported in this version"},
      {"to * by self.level{1} read", "9: 'self.level{1}' is not supported in this version"},
      {"to * by dn.regex=.* read", "9: 'dn.regex=.*' is not supported in this version"},
      {"to * by dn.level{1}=dc=com read",
       "9: 'dn.level{1}=dc=com' is not supported in this version"},
      {"to * by dn.exact,expand=dc=com read",
       "9: 'dn.exact,expand=dc=com' is not supported in this version"},
      {"to * by realanonymous read", "9: 'realanonymous' is not supported in this version"},
      {"to * by * reed", "11: found 'reed'; " + access},
      {"to * by * =rq", "11: found '=rq'; " + access},
      {"to * by * selfwrite", "11: 'selfwrite' is not supported in this version"},
      {"to * by * read write", "16: found 'write'; expected 'by'"},
      {"to * by * read stop now", "21: found 'now'; expected 'by'"},
      {"to * by users users read", "15: found 'users'; " + access},
      {"to * by dn=\"dc=com read", "12: this quotation mark has no closing one"},
      {"to * by \x01\xff read", "9: found '\\01\\ff'; " + who},
      {"to * by " + std::string(200, 'x'),
       "9: found '" + std::string(80, 'x') + "...' (200 octets); " + who},
  };
  for (const Case& c : cases) {
    const std::string message = error_of(c.rule);
    const std::string start = "access rule 2, column ";
    if (c.message.empty()) {
      // The rest is the DN parser's.
      EXPECT_TRUE(message.starts_with(start + "4: 'xyz' is no DN: ")) << message;
    } else {
      EXPECT_EQ(message, start + c.message) << c.rule;
    }
  }
}

TEST(AccessRuleErrors, Limits) {
  const auto schema = schema::builtin_schema();
  const auto long_rule = AccessPolicy::compile({std::string(kAccessRuleSizeMax + 1, 'x')}, schema);
  ASSERT_FALSE(long_rule);
  EXPECT_EQ(long_rule.error().code(), ErrorCode::kLimit);
  EXPECT_EQ(long_rule.error().message(),
            "access rule 1: 65537 octets exceed the limit of 65536 octets");
  const auto many = AccessPolicy::compile(
      std::vector<std::string>(kAccessRulesMax + 1, "to * by * read"), schema);
  ASSERT_FALSE(many);
  EXPECT_EQ(many.error().message(), "4097 access rules exceed the limit of 4096");
}

}  // namespace
}  // namespace kauri::security
