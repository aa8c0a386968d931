#include "ldif/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ldif/test_support.h"
#include "storage/test_directory.h"

namespace kauri::ldif {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_literals;

TEST(LdifReader, ContentRecords) {
  EXPECT_THAT(read_all("version: 1\n"
                       "dn: cn=Barbara Jensen, ou=Product Development, dc=airius, dc=com\n"
                       "objectclass: top\n"
                       "cn: Barbara Jensen\n"
                       "seeAlso:\n"
                       "\n"
                       "\n"
                       "dn:cn=Bjorn\n"
                       "cn:Bjorn\n"),
              ElementsAre("content <cn=Barbara Jensen, ou=Product Development, dc=airius, dc=com>\n"
                          "objectclass=<top>\ncn=<Barbara Jensen>\nseeAlso=<>",
                          "content <cn=Bjorn>\ncn=<Bjorn>"));
}

// Case J01.
TEST(LdifReader, FillIsSpacesOnly) {
  EXPECT_THAT(read_all("dn: x=y\ntitle:\ttabbed\ntitle:     padded\ntitle::  cGFkZGVk\n"),
              ElementsAre("content <x=y>\ntitle=<\ttabbed>\ntitle=<padded>\ntitle=<padded>"));
}

// Case J02.
TEST(LdifReader, FoldingRemovesExactlyOneSpace) {
  EXPECT_THAT(
      read_all("dn: x=\n y\n"
               "description: first li\n"
               " ne and rest\n"
               "description: two\n"
               "  words\n"
               "description:: Zmlyc3Qg\n"
               " bGluZSBhbmQg\n"
               " cmVzdA==\n"
               "desc\n"
               " ription: key\n"
               "description: end\n"
               " \n"),
      ElementsAre("content <x=y>\ndescription=<first line and rest>\ndescription=<two words>\n"
                  "description=<first line and rest>\ndescription=<key>\ndescription=<end>"));
}

// Case J04.
TEST(LdifReader, LastLineWithoutNewline) {
  EXPECT_THAT(read_all("dn: x=y\ntitle: x"), ElementsAre("content <x=y>\ntitle=<x>"));
  EXPECT_THAT(read_all("dn: x=y\r\ntitle: x\r\n\r"), ElementsAre("content <x=y>\ntitle=<x>"));
  EXPECT_THAT(read_all("dn: x=y\ntitle: fol\n ded"), ElementsAre("content <x=y>\ntitle=<folded>"));
}

// Case J07: the fourth example of RFC 2849.
TEST(LdifReader, Rfc2849Example4) {
  EXPECT_THAT(
      read_all("version: 1\n"
               "dn:: b3U95Za25qWt6YOoLG89QWlyaXVz\n"
               "# dn:: ou=<JapaneseOU>,o=Airius\n"
               "objectclass: top\n"
               "objectclass: organizationalUnit\n"
               "ou:: 5Za25qWt6YOo\n"
               "# ou:: <JapaneseOU>\n"
               "ou;lang-ja:: 5Za25qWt6YOo\n"
               "ou;lang-ja;phonetic:: 44GI44GE44GO44KH44GG44G2\n"
               "# ou;lang-ja:: <JapaneseOU_in_\n"
               " phonetic_representation>\n"
               "ou;lang-en: Sales\n"
               "description: Japanese office\n"),
      ElementsAre("content <ou=\xE5\x96\xB6\xE6\xA5\xAD\xE9\x83\xA8,o=Airius>\n"
                  "objectclass=<top>\nobjectclass=<organizationalUnit>\n"
                  "ou=<\xE5\x96\xB6\xE6\xA5\xAD\xE9\x83\xA8>\n"
                  "ou;lang-ja=<\xE5\x96\xB6\xE6\xA5\xAD\xE9\x83\xA8>\n"
                  "ou;lang-ja;phonetic=<"
                  "\xE3\x81\x88\xE3\x81\x84\xE3\x81\x8E\xE3\x82\x87\xE3\x81\x86\xE3\x81\xB6>\n"
                  "ou;lang-en=<Sales>\ndescription=<Japanese office>"));
}

// The sixth and seventh examples of RFC 2849.
TEST(LdifReader, ChangeRecords) {
  EXPECT_THAT(
      read_all("version: 1\n"
               "# Add a new entry\n"
               "dn: cn=Fiona\n"
               "changetype: add\n"
               "sn: Jensen\n"
               "\n"
               "dn: cn=Robert\n"
               "changetype: delete\n"
               "\n"
               "dn: cn=Paul\n"
               "changetype: modrdn\n"
               "newrdn: cn=Paula Jensen\n"
               "deleteoldrdn: 1\n"
               "\n"
               "# two lines\n"
               "# of comment\n"
               "\n"
               "dn: ou=PD\n"
               "changetype: moddn\n"
               "newrdn: ou=Product\n"
               "deleteoldrdn: 0\n"
               "newsuperior: ou=Accounting, dc=airius, dc=com\n"
               "\n"
               "dn: cn=Paula\n"
               "changetype: modify\n"
               "add: postaladdress\n"
               "postaladdress: 123 Anystreet $ Sunnyvale, CA $ 94086\n"
               "-\n"
               "delete: description\n"
               "-\n"
               "# a comment\n"
               "replace: telephonenumber\n"
               "telephonenumber: +1 408 555 1234\n"
               "TelephoneNumber: +1 408 555 5678\n"
               "-\n"
               "increment: uidNumber\n"
               "uidNumber: 1\n"
               "\n"
               "dn: ou=Development\n"
               "control: 1.2.840.113556.1.4.805 true\n"
               "control: 1.2.3\n"
               "control: 1.2.4 false: abc\n"
               "control: 1.2.5:: AAE=\n"
               "changetype: delete\n"),
      ElementsAre(
          "add <cn=Fiona>\nsn=<Jensen>", "delete <cn=Robert>",
          "modrdn <cn=Paul>\nnewrdn <cn=Paula Jensen> delete",
          "modrdn <ou=PD>\nnewrdn <ou=Product> keep to <ou=Accounting, dc=airius, dc=com>",
          "modify <cn=Paula>\nadd postaladdress\n"
          "postaladdress=<123 Anystreet $ Sunnyvale, CA $ 94086>\ndelete description\n"
          "replace telephonenumber\ntelephonenumber=<+1 408 555 1234>\n"
          "TelephoneNumber=<+1 408 555 5678>\nincrement uidNumber\nuidNumber=<1>",
          "delete <ou=Development>\ncontrol 1.2.840.113556.1.4.805 true\ncontrol 1.2.3 false\n"
          "control 1.2.4 false <abc>\ncontrol 1.2.5 false <\0\1>"s));
}

TEST(LdifReader, LineNumbers) {
  StringSource source(
      "\xEF\xBB\xBF# comment\r\n\r\nversion: 1\r\n\r\ndn: x=y\r\n# note\r\ncn: a\r\n b\r\nsn: "
      "c\r\n\r\ndn: z=z\r\n"
      "changetype: modify\r\nadd: cn\r\ncn: 1\r\n-\r\n");
  Reader reader(source);
  Record record;
  ASSERT_TRUE(reader.next(record).value());
  EXPECT_EQ(record.line, 5U);
  ASSERT_EQ(record.attributes.size(), 2U);
  EXPECT_EQ(record.attributes[0].line, 7U);
  EXPECT_EQ(record.attributes[1].line, 9U);
  EXPECT_EQ(record.attributes[1].value, "c");
  ASSERT_TRUE(reader.next(record).value());
  EXPECT_EQ(record.line, 11U);
  ASSERT_EQ(record.modifications.size(), 1U);
  EXPECT_EQ(record.modifications[0].line, 13U);
  EXPECT_FALSE(reader.next(record).value());
  EXPECT_FALSE(reader.next(record).value());
}

struct Malformed {
  const char* name;
  std::string text;
  const char* message;  // with the line in front
};

class LdifMalformed : public testing::TestWithParam<Malformed> {};

// The record is refused with the line and the reason, and the next one is read.
TEST_P(LdifMalformed, IsNamedAndSkipped) {
  const std::string text = GetParam().text + "\n\ndn: cn=next\ncn: next\n";
  for (const std::size_t step : {1U, 1U << 20U}) {
    const auto records = read_all(text, {.origin = "f", .buffer_size = 16}, step);
    ASSERT_EQ(records.size(), 2U) << records[0];
    EXPECT_THAT(records[0], testing::StartsWith("error: f:"s + GetParam().message));
    EXPECT_EQ(records[1], "content <cn=next>\ncn=<next>");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Table, LdifMalformed,
    testing::Values(
        Malformed{"J09_empty_type", "dn: x=y\n: value",
                  "2: there is no attribute before the colon"},
        Malformed{"J09_nul_line", "dn: x=y\n"s + '\0',
                  "2: expected \"attribute: value\", found '\\00'"},
        Malformed{"nul_line_alone", "\0"s, "1: expected \"attribute: value\""},
        Malformed{"J12_url_refused", "dn: x=y\njpegPhoto:< file:///nosuch",
                  "2: the value of jpegPhoto is in the file 'file:///nosuch'"},
        Malformed{"J14_value_on_next_line", "dn: x=y\nmail:\nx@example.com",
                  "3: expected \"attribute: value\", found 'x@example.com' without a colon"},
        Malformed{"no_dn", "cn: x\nsn: y",
                  "1: expected \"dn:\" at the start of a record, found 'cn'"},
        Malformed{"dash_for_dn", "-", "1: expected \"dn:\" at the start of a record, found '-'"},
        Malformed{"no_attributes", "dn: x=y", "1: the record has no attributes"},
        Malformed{"no_attributes_in_add", "dn: x=y\nchangetype: add",
                  "2: the record has no attributes"},
        Malformed{"version_2", "version: 2\ndn: x=y\ncn: a",
                  "1: LDIF version '2' is not supported"},
        Malformed{"continuation_of_nothing", " dn: x=y\ncn: a",
                  "1: a line that begins with a space"},
        Malformed{"second_dn", "dn: x=y\ncn: a\ndn: x=z\ncn: b",
                  "3: another \"dn:\" inside a record"},
        Malformed{"nul_in_value", "dn: x=y\ncn: a\0b"s, "2: the value of cn holds a NUL octet"},
        Malformed{"bad_utf8_dn", "dn: x=\xff\ncn: a", "1: the name 'x=\\ff' is not valid UTF-8"},
        Malformed{"bad_utf8_dn_base64", "dn:: eD3/\ncn: a",
                  "1: the name 'x=\\ff' is not valid UTF-8"},
        Malformed{"url_dn", "dn:< file:///x\ncn: a", "1: the value of dn cannot come from a URL"},
        Malformed{"bad_base64", "dn: x=y\ncn:: ab!d",
                  "2: the value of cn is no valid base64: 'ab!d'"},
        Malformed{"short_base64", "dn: x=y\ncn:: abc", "2: the value of cn is no valid base64"},
        Malformed{"bad_description", "dn: x=y\nc n: a", "2: 'c n' is no attribute description"},
        Malformed{"late_changetype", "dn: x=y\ncn: a\nchangetype: add",
                  "3: \"changetype:\" must stand right"},
        Malformed{"unknown_changetype", "dn: x=y\nchangetype: update", "2: changetype is \"add\""},
        Malformed{"empty_changetype", "dn: x=y\nchangetype:", "2: changetype is \"add\""},
        Malformed{"dash_in_content", "dn: x=y\ncn: a\n-", "3: \"-\" stands only between"},
        Malformed{"line_after_delete", "dn: x=y\nchangetype: delete\ncn: a",
                  "3: \"changetype: delete\" ends"},
        Malformed{"modify_unknown", "dn: x=y\nchangetype: modify\nremove: cn\n-",
                  "3: expected \"add:\""},
        Malformed{"modify_starts_with_dash", "dn: x=y\nchangetype: modify\n-",
                  "3: expected \"add:\""},
        Malformed{"modify_other_attribute", "dn: x=y\nchangetype: modify\nadd: cn\nsn: a\n-",
                  "4: expected values of 'cn' or \"-\", found 'sn'"},
        Malformed{"modify_missing_dash",
                  "dn: x=y\nchangetype: modify\nadd: cn\ncn: a\nadd: sn\nsn: b",
                  "5: expected values of 'cn' or \"-\", found 'add'"},
        Malformed{"modify_add_nothing", "dn: x=y\nchangetype: modify\nadd: cn\n-",
                  "3: \"add: cn\" has no value"},
        Malformed{"modify_no_attribute", "dn: x=y\nchangetype: modify\nreplace:\n-",
                  "3: '' is no attribute description"},
        Malformed{"modrdn_nothing", "dn: x=y\nchangetype: modrdn", "2: \"newrdn:\" must follow"},
        Malformed{"modrdn_no_flag", "dn: x=y\nchangetype: modrdn\nnewrdn: x=z",
                  "2: \"deleteoldrdn:\" must follow"},
        Malformed{"modrdn_bad_flag", "dn: x=y\nchangetype: modrdn\nnewrdn: x=z\ndeleteoldrdn: yes",
                  "4: deleteoldrdn is 0 or 1, not 'yes'"},
        Malformed{
            "modrdn_more",
            "dn: x=y\nchangetype: modrdn\nnewrdn: x=z\ndeleteoldrdn: 1\nnewsuperior: z\ncn: a",
            "6: a line follows the end"},
        Malformed{"control_in_content", "dn: x=y\ncontrol: 1.2.3\ncn: a",
                  "3: \"control:\" must be followed"},
        Malformed{"control_alone", "dn: x=y\ncontrol: 1.2.3", "2: \"control:\" must be followed"},
        Malformed{"control_no_oid", "dn: x=y\ncontrol: treeDelete true\nchangetype: delete",
                  "2: 'treeDelete' is no object identifier"},
        Malformed{"control_empty", "dn: x=y\ncontrol:\nchangetype: delete",
                  "2: '' is no object identifier"},
        Malformed{"control_criticality", "dn: x=y\ncontrol: 1.2 maybe\nchangetype: delete",
                  "2: the criticality of a control"},
        Malformed{"control_garbage", "dn: x=y\ncontrol: 1.2 true false\nchangetype: delete",
                  "2: expected the value of the control, found 'f'"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(LdifReader, LimitsAreNamedAndTheRecordSkipped) {
  const std::string next = "\n\ndn: cn=next\ncn: next\n";
  const std::string long_value(200, 'x');
  const std::string long_line = "dn: x=y\ncn: " + long_value + "\nsn: a" + next;
  const std::string folded =
      "dn: x=y\ncn: " + long_value.substr(0, 60) + "\n " + long_value.substr(0, 60) + next;
  std::string long_record = "dn: x=y\n";
  for (int i = 0; i < 50; ++i) long_record += "cn: abcdefgh\n";
  for (const std::size_t step : {1U, 64U, 1U << 20U}) {
    const ReaderOptions line_limit{.line_size_max = 100, .buffer_size = 16};
    for (const std::string& text : {long_line, folded})
      EXPECT_THAT(read_all(text, line_limit, step),
                  ElementsAre(testing::AllOf(HasSubstr("line 2: the line has"),
                                             HasSubstr("the limit is 100")),
                              "content <cn=next>\ncn=<next>"));
    const ReaderOptions record_limit{.record_size_max = 300, .buffer_size = 16};
    EXPECT_THAT(
        read_all(long_record + next, record_limit, step),
        ElementsAre(
            HasSubstr("line 1: the record that begins here is longer than the limit of 300 octets"),
            "content <cn=next>\ncn=<next>"));
    EXPECT_THAT(read_all(long_record, record_limit, step),
                ElementsAre(HasSubstr("the limit of 300 octets")));
  }
}

TEST(LdifReader, AnySizeOfReadsGivesTheSame) {
  std::string text = "version: 1\r\n";
  for (int i = 0; i < 40; ++i) {
    text += "# record " + std::to_string(i) + "\r\n";
    text += "dn: uid=u" + std::to_string(i) +
            ",dc=example,dc=com\r\ndescription: fol\r\n ded value\r\n";
    text += "cn:: YWJj\r\n" + std::string(i % 3 == 0 ? "broken line\r\n" : "") +
            std::string(i % 2 == 0 ? "\r\n" : "\n\r\n\n");
  }
  const auto expected = read_all(text);
  EXPECT_EQ(expected.size(), 40U);
  for (const std::size_t buffer : {16U, 100U, 4096U})
    for (const std::size_t step : {1U, 2U, 3U, 17U, 1000U})
      EXPECT_EQ(read_all(text, {.buffer_size = buffer}, step), expected);
}

TEST(LdifReader, FileUrls) {
  const storage::TestDirectory folder;
  const std::string& directory = folder.path();
  folder.file("a b.jpg", "\xff\xd8\0\n x"s);
  const auto read = [&](const std::string& url, std::size_t size_max = 100) {
    return read_all("dn: x=y\njpegPhoto:< " + url + "\n",
                    {.allow_file_urls = true, .url_value_size_max = size_max});
  };
  EXPECT_THAT(read("file://" + directory + "/a%20b.jpg"),
              ElementsAre("content <x=y>\njpegPhoto=<\xff\xd8\0\n x>"s));
  EXPECT_THAT(read("FILE://localhost" + directory + "/a%20b.jpg").front(),
              HasSubstr("jpegPhoto=<"));
  EXPECT_THAT(read("file://" + directory + "/a%20b.jpg", 5),
              ElementsAre(HasSubstr("longer than the limit of 5")));
  // Case J12.
  EXPECT_THAT(read("file:///nosuch"),
              ElementsAre(HasSubstr("line 2: cannot read the file '/nosuch'")));
  EXPECT_THAT(read("file://" + directory), ElementsAre(HasSubstr("not a regular file")));
  for (const char* url :
       {"http://example.com/x", "file://host/x", "file:x", "", "file:///a%2", "file:///a%00b"})
    EXPECT_THAT(read(url), ElementsAre(HasSubstr("none of the form file:///absolute/path")));
}

class BrokenSource final : public Source {
 public:
  Result<std::size_t> read(char* /*out*/, std::size_t /*size*/) override {
    return Error(ErrorCode::kIo, "the tape is torn");
  }
};

TEST(LdifReader, SourceErrorsComeThrough) {
  BrokenSource source;
  Reader reader(source);
  Record record;
  const auto more = reader.next(record);
  ASSERT_FALSE(more.has_value());
  EXPECT_EQ(more.error().code(), ErrorCode::kIo);
  const auto missing = open_file("/nosuch/file.ldif");
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().code(), ErrorCode::kNotFound);
}

TEST(LdifReader, ReadsFilesAndCountsOctets) {
  const storage::TestDirectory directory;
  auto source = open_file(directory.file("in.ldif", "dn: x=y\ncn: a\n\ndn: x=z\ncn: b\n"));
  ASSERT_TRUE(source.has_value());
  Reader reader(**source);
  Record record;
  ASSERT_TRUE(reader.next(record).value());
  EXPECT_EQ(reader.octets_read(), 15U);
  ASSERT_TRUE(reader.next(record).value());
  EXPECT_EQ(record.dn, "x=z");
  EXPECT_FALSE(reader.next(record).value());
  EXPECT_EQ(reader.octets_read(), 29U);
}

}  // namespace
}  // namespace kauri::ldif
