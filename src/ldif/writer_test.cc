#include "ldif/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "ldif/test_support.h"

namespace kauri::ldif {
namespace {

using testing::ElementsAre;
using namespace std::string_literals;

std::string written(std::string_view description, std::string_view value,
                    WriterOptions options = {}) {
  std::string out;
  Writer(out, options).attribute(description, value);
  return out;
}

TEST(LdifWriter, PlainWhereThatIsAllowed) {
  EXPECT_EQ(written("cn", "Barbara Jensen"), "cn: Barbara Jensen\n");
  EXPECT_EQ(written("seeAlso", ""), "seeAlso:\n");
  EXPECT_EQ(written("cn", "a:b<c d\t~\x01\x7f"), "cn: a:b<c d\t~\x01\x7f\n");
  EXPECT_EQ(written("cn", "#not a comment"), "cn: #not a comment\n");
}

TEST(LdifWriter, Base64WhereThatIsDemanded) {
  EXPECT_EQ(written("cn", " a"), "cn:: IGE=\n");
  EXPECT_EQ(written("cn", "a "), "cn:: YSA=\n");
  EXPECT_EQ(written("cn", ":a"), "cn:: OmE=\n");
  EXPECT_EQ(written("cn", "<a"), "cn:: PGE=\n");
  EXPECT_EQ(written("cn", "a\nb"), "cn:: YQpi\n");
  EXPECT_EQ(written("cn", "a\rb"), "cn:: YQ1i\n");
  EXPECT_EQ(written("cn", "a\0b"s), "cn:: YQBi\n");
  EXPECT_EQ(written("cn", "\xC3\xBC"), "cn:: w7w=\n");
}

TEST(LdifWriter, FoldsAt76Columns) {
  const std::string value(200, 'x');
  const std::string out = written("description", value);
  EXPECT_EQ(out, "description: " + std::string(63, 'x') + "\n " + std::string(75, 'x') + "\n " +
                     std::string(62, 'x') + "\n");
  EXPECT_EQ(written("cn", std::string(72, 'x')), "cn: " + std::string(72, 'x') + "\n");
  EXPECT_EQ(written("cn", std::string(73, 'x')), "cn: " + std::string(72, 'x') + "\n x\n");
  EXPECT_EQ(written("cn", std::string(72 + 75, 'x')),
            "cn: " + std::string(72, 'x') + "\n " + std::string(75, 'x') + "\n");
  EXPECT_EQ(written("description", value, {.line_width = 0}), "description: " + value + "\n");
}

TEST(LdifWriter, CommentsKeepTheirLines) {
  std::string out;
  Writer writer(out);
  writer.version();
  writer.comment("one\ntwo\r\n\nthree");
  EXPECT_EQ(out, "version: 1\n\n# one\n# two \n#\n# three\n");
}

TEST(LdifWriter, ChangeRecords) {
  std::string out;
  Writer writer(out);
  writer.dn("cn=a");
  writer.control("1.2.3", true, std::nullopt);
  writer.control("1.2.4", false, "v");
  writer.control("1.2.5", false, "\1\2 ");
  writer.changetype(RecordKind::kModify);
  writer.begin_modification(ModificationKind::kReplace, "cn");
  writer.attribute("cn", "b");
  writer.end_modification();
  writer.end_record();
  writer.dn("cn=c");
  writer.changetype(RecordKind::kModDn);
  writer.rename("cn=d", false, "");
  writer.end_record();
  EXPECT_EQ(out,
            "dn: cn=a\ncontrol: 1.2.3 true\ncontrol: 1.2.4 false: v\ncontrol: 1.2.5 false:: AQIg\n"
            "changetype: modify\nreplace: cn\ncn: b\n-\n\n"
            "dn: cn=c\nchangetype: modrdn\nnewrdn: cn=d\ndeleteoldrdn: 0\nnewsuperior:\n\n");
  EXPECT_THAT(read_all(out),
              ElementsAre("modify <cn=a>\ncontrol 1.2.3 true\ncontrol 1.2.4 false <v>\n"
                          "control 1.2.5 false <\1\2 >\nreplace cn\ncn=<b>",
                          "modrdn <cn=c>\nnewrdn <cn=d> keep to <>"));
}

// Whatever the octets and the width, what is written is read back.
TEST(LdifWriter, RoundTrip) {
  SeededRandom random(7);
  for (int round = 0; round < 500; ++round) {
    std::string out;
    Writer writer(out, {.line_width = 2 + random.next_u64() % 90});
    std::string expected = "content <cn=x>";
    writer.dn("cn=x");
    for (int i = 0; i < 5; ++i) {
      std::string value = random.bytes(random.next_u64() % 100);
      if (i % 2 == 0)
        for (char& c : value) c = static_cast<char>(' ' + static_cast<unsigned char>(c) % 95);
      writer.attribute("description;x-y", value);
      expected += "\ndescription;x-y=<" + value + ">";
    }
    writer.end_record();
    ASSERT_THAT(read_all(out), ElementsAre(expected)) << out;
  }
}

}  // namespace
}  // namespace kauri::ldif
