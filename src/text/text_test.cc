#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/random.h"
#include "text/ascii.h"
#include "text/base64.h"
#include "text/combining_marks.h"
#include "text/hex.h"
#include "text/stringprep.h"
#include "text/utf8.h"
#include "text/visible.h"
#include "text/weight.h"

namespace kauri::text {
namespace {

using std::string_literals::operator""s;

TEST(Utf8, AcceptsWellFormed) {
  for (const std::string& text :
       {""s, "plain ascii, longer than eight"s, "\0x"s, "\xC3\xA9"s, "\xE2\x82\xAC"s,
        "\xED\x9F\xBF"s, "\xEE\x80\x80"s, "\xF0\x9F\x98\x80"s, "\xF4\x8F\xBF\xBF"s}) {
    EXPECT_TRUE(is_valid_utf8(text)) << encode_hex(text);
  }
}

TEST(Utf8, NamesTheOffsetOfTheFirstError) {
  const struct {
    std::string text;
    std::size_t offset;
    const char* what;
  } cases[] = {
      {"abc\x80"s, 3, "stray continuation"},
      {"12345678\xC0\x80"s, 8, "overlong NUL"},
      {"\xC1\xBF"s, 0, "overlong ASCII"},
      {"\xE0\x80\x80"s, 0, "overlong two-octet"},
      {"\xE0\x9F\xBF"s, 0, "overlong two-octet, the highest"},
      {"\xF0\x8F\xBF\xBF"s, 0, "overlong three-octet"},
      {"\xED\xA0\x80"s, 0, "high surrogate"},
      {"\xED\xBF\xBF"s, 0, "low surrogate"},
      {"\xF4\x90\x80\x80"s, 0, "above U+10FFFF"},
      {"\xF5\x80\x80\x80"s, 0, "lead octet that is never used"},
      {"\xFF"s, 0, "0xFF"},
      {"a\xC3"s, 1, "cut after one of two"},
      {"a\xE2\x82"s, 1, "cut after two of three"},
      {"a\xF0\x9F\x98"s, 1, "cut after three of four"},
      {"\xC3\xA9\xC3("s, 2, "continuation replaced"},
  };
  for (const auto& c : cases) {
    EXPECT_FALSE(is_valid_utf8(c.text)) << c.what;
    EXPECT_EQ(utf8_error_offset(c.text), c.offset) << c.what;
  }
}

TEST(Utf8, DecodesWhatItEncodes) {
  for (const char32_t c : {U'\0', U'a', U'\x7F', U'\x80', U'\x7FF', U'\x800', U'\xD7FF', U'\xE000',
                           U'\xFFFF', U'\x10000', U'\x10FFFF'}) {
    std::string text;
    append_utf8(text, c);
    EXPECT_TRUE(is_valid_utf8(text));
    std::size_t offset = 0;
    char32_t back = 0;
    ASSERT_TRUE(next_code_point(text, &offset, &back));
    EXPECT_EQ(back, c);
    EXPECT_EQ(offset, text.size());
    EXPECT_FALSE(next_code_point(text, &offset, &back));
  }
}

TEST(Utf8, IsAscii) {
  EXPECT_TRUE(is_ascii("0123456789abcdef!"));
  EXPECT_FALSE(is_ascii("01234567\x80"));
  EXPECT_FALSE(
      is_ascii("\xFF"
               "1234567"));
}

TEST(Base64, Rfc4648Vectors) {
  const std::pair<std::string_view, std::string_view> cases[] = {{"", ""},
                                                                 {"f", "Zg=="},
                                                                 {"fo", "Zm8="},
                                                                 {"foo", "Zm9v"},
                                                                 {"foob", "Zm9vYg=="},
                                                                 {"fooba", "Zm9vYmE="},
                                                                 {"foobar", "Zm9vYmFy"}};
  for (const auto& [octets, text] : cases) {
    EXPECT_EQ(encode_base64(octets), text);
    EXPECT_EQ(decode_base64(text), octets);
  }
  std::string all;
  for (int i = 0; i < 256; ++i) all.push_back(static_cast<char>(i));
  EXPECT_EQ(decode_base64(encode_base64(all)), all);
}

TEST(Base64, RefusesWhatIsNotStrict) {
  for (const std::string_view text :
       {"Z", "Zg", "Zg=", "=", "====", "Zg==Zg==", "Z===", "Zh==", "Zm9=", "Zm9v\n", "Zm 9", "Zm9-",
        "Zm9_", "Zg=g", "\xC3\xA9Zm"}) {
    EXPECT_EQ(decode_base64(text), std::nullopt) << text;
  }
}

TEST(Hex, BothWays) {
  EXPECT_EQ(encode_hex("\x00\x7F\xFF"s), "007fff");
  EXPECT_EQ(decode_hex("007FfF"), "\x00\x7F\xFF"s);
  EXPECT_EQ(decode_hex("0"), std::nullopt);
  EXPECT_EQ(decode_hex("0g"), std::nullopt);
  EXPECT_EQ(decode_hex("-1"), std::nullopt);
}

TEST(Ascii, IgnoresCaseOfLettersOnly) {
  EXPECT_TRUE(equal_ignoring_case("Cn-1", "cN-1"));
  EXPECT_FALSE(equal_ignoring_case("[", "{"));
  EXPECT_FALSE(equal_ignoring_case("a", "ab"));
}

std::string prepared(std::string_view text, Letters letters = Letters::kFolded,
                     StringPart part = StringPart::kWhole) {
  std::string out = "kept:";
  const bool ok = prepare_string(text, letters, part, out);
  return ok ? out.substr(5) : out == "kept:" ? "refused" : "refused but changed";
}

TEST(Stringprep, SpacesOfWholeValues) {
  EXPECT_EQ(prepared("foo bar  "), " foo  bar ");  // The example of RFC 4518 section 2.6.1.
  EXPECT_EQ(prepared("  Babs   is a   BIG  fan "), " babs  is  a  big  fan ");
  EXPECT_EQ(prepared(""), "  ");
  EXPECT_EQ(prepared("   "), "  ");
  EXPECT_EQ(prepared("a\t\r\n\v\f b"), " a  b ");
  EXPECT_EQ(prepared("Ab", Letters::kAsTheyAre), " Ab ");
}

TEST(Stringprep, SpacesOfParts) {
  const auto part = [](std::string_view text, StringPart where) {
    return prepared(text, Letters::kFolded, where);
  };
  EXPECT_EQ(part("foo bar  ", StringPart::kInitial), " foo  bar ");
  EXPECT_EQ(part("foo bar  ", StringPart::kAny), "foo  bar ");
  EXPECT_EQ(part("foo bar  ", StringPart::kFinal), "foo  bar ");
  EXPECT_EQ(part("  foo", StringPart::kInitial), " foo");
  EXPECT_EQ(part("  foo", StringPart::kAny), " foo");
  EXPECT_EQ(part("  foo", StringPart::kFinal), " foo ");
  for (const StringPart where : {StringPart::kInitial, StringPart::kAny, StringPart::kFinal}) {
    EXPECT_EQ(part("   ", where), " ");
  }
}

TEST(Stringprep, MapsNormalisesAndFolds) {
  const struct {
    const char* text;
    const char* folded;
    const char* exact;
  } cases[] = {
      {"Jose\u0301", " jos\u00E9 ", " Jos\u00E9 "},
      {"Jos\u00C9", " jos\u00E9 ", " Jos\u00C9 "},
      {"\uFB01ne \uFF21", " fine  a ", " fine  A "},
      {"Stra\u00DFe", " strasse ", " Stra\u00DFe "},
      {"a\u00A0\u3000b\u2028", " a  b ", " a  b "},
      {"a\u200B\u00AD\uFEFFb", " ab ", " ab "},
      {"\U0001F600", " \U0001F600 ", " \U0001F600 "},
      {"\u0130", " i\u0307 ", " \u0130 "},
      {"\U00010400", " \U00010428 ", " \U00010400 "},
      {"\u03A3\u03C2", " \u03C3\u03C3 ", " \u03A3\u03C2 "},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(prepared(c.text), c.folded) << c.text;
    EXPECT_EQ(prepared(c.text, Letters::kAsTheyAre), c.exact) << c.text;
  }
}

TEST(Stringprep, RefusesProhibitedAndMalformed) {
  for (const std::string& text : {"\uE000"s, "a\uF8FF"s, "\uFDD0"s, "\uFFFD"s, "\uFFFF"s,
                                  "\U0010FFFF"s, "\xC3"s, "a\xFF"s, "\xED\xA0\x80"s}) {
    EXPECT_EQ(prepared(text), "refused") << encode_hex(text);
  }
}

TEST(Stringprep, NulStaysAndSeparates) {
  EXPECT_EQ(prepared("a\0"s), " a\0 "s);
  EXPECT_EQ(prepared("\u00C9\0\u00C9"s), " \u00E9\0\u00E9 "s);
}

TEST(Stringprep, ASpaceUnderACombiningMarkIsACharacter) {
  EXPECT_EQ(prepared("a \u0301b"), " a \u0301b ");
  EXPECT_EQ(prepared("a  \u0301b"), " a   \u0301b ");
  EXPECT_TRUE(is_combining_mark(0x0301));
  EXPECT_TRUE(is_combining_mark(0x1D1AD));
  EXPECT_FALSE(is_combining_mark(0x0350));
  EXPECT_FALSE(is_combining_mark(0x02FF));
}

TEST(Stringprep, NumericAndTelephone) {
  const auto numeric = [](std::string_view text) {
    std::string out;
    return prepare_numeric(text, out) ? out : "refused";
  };
  const auto telephone = [](std::string_view text) {
    std::string out;
    return prepare_telephone(text, out) ? out : "refused";
  };
  EXPECT_EQ(numeric("  123  456  "), "123456");
  EXPECT_EQ(numeric("   "), "");
  EXPECT_EQ(numeric("1-2"), "1-2");
  EXPECT_EQ(telephone("+1 234-567 EXT"), "+1234567ext");
  EXPECT_EQ(telephone(" - "), "");
  EXPECT_EQ(telephone("1\u20102\u20113\u22124\uFE635\uFF0D6\u058A7"), "1234567");
  EXPECT_EQ(telephone("1\u2010\u0301"), "1\u2010\u0301");
}

// The fast path and ICU must agree, or one value would have two normal forms depending on its
// neighbours.
TEST(Stringprep, AsciiPathEqualsUnicodePath) {
  for (int c = 1; c < 128; ++c) {
    const std::string text = "A " + std::string(1, static_cast<char>(c)) + " Z";
    for (const Letters letters : {Letters::kAsTheyAre, Letters::kFolded}) {
      std::string with_mark = prepared(text + "\u4E00", letters);
      ASSERT_TRUE(with_mark.ends_with("\u4E00 ")) << c;
      with_mark.erase(with_mark.size() - 4, 3);
      EXPECT_EQ(prepared(text, letters), with_mark) << c;
    }
  }
}

// A run of marks costs ICU the square of its length, so its length has a limit, which dropped
// characters between the marks do not evade.
TEST(Stringprep, LimitsCombiningMarksInARow) {
  const auto run = [](std::size_t count, const std::string& between) {
    std::string text = "a";
    for (std::size_t i = 0; i < count; ++i) text += (i % 2 == 0 ? "\u0301" : "\u0323") + between;
    return text;
  };
  std::string out;
  EXPECT_TRUE(prepare_string(run(30, ""), Letters::kFolded, StringPart::kWhole, out));
  EXPECT_FALSE(has_excess_marks(run(30, "")));
  EXPECT_FALSE(has_excess_marks(run(31, "") + "\xFF")) << "that is no UTF-8";
  for (const std::string& between : {""s, "\u00AD"s, "\u200B"s, "\u034F"s, "\uFE0F"s, "\u0085"s}) {
    out = "kept";
    EXPECT_FALSE(prepare_string(run(31, between), Letters::kFolded, StringPart::kWhole, out))
        << encode_hex(between);
    EXPECT_EQ(out, "kept");
    EXPECT_TRUE(has_excess_marks(run(31, between))) << encode_hex(between);
  }
  // Wherever it stands, and whatever stands around it.
  for (std::size_t before = 0; before < 200; ++before) {
    const std::string text(before, 'x');
    EXPECT_TRUE(has_excess_marks(text + run(31, "") + "b")) << before;
    EXPECT_TRUE(has_excess_marks(run(30, "") + text + "\u4E00" + run(31, ""))) << before;
    EXPECT_TRUE(has_excess_marks(run(7, "e") + text + run(31, "\u00AD"))) << before;
    EXPECT_FALSE(has_excess_marks(run(30, "") + text + "y" + run(30, ""))) << before;
  }
  out.clear();
  EXPECT_TRUE(prepare_string(run(1000, "e"), Letters::kFolded, StringPart::kWhole, out));
  EXPECT_FALSE(has_excess_marks(run(1000, "e")));
}

// The quick look and the one through all characters agree.
TEST(Stringprep, FindsRunsOfMarksInRandomTexts) {
  const std::string pieces[] = {"\u0301", "\u0323", "\U0001D165", "\u00AD",
                                "\u200B", "e",      "\u4E00"};
  SeededRandom random(5);
  std::size_t excess = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    // Runs of marks and of what does not part them, mostly shorter than the limit and some longer.
    for (int runs = 0; runs < 6; ++runs) {
      const std::uint64_t length = random.next_u64() % 65;
      for (std::uint64_t i = 0; i < length; ++i) text += pieces[random.next_u64() % 5];
      for (std::uint64_t i = random.next_u64() % 70; i > 0; --i)
        text += pieces[5 + random.next_u64() % 2];
    }
    std::string out;
    const bool prepares = prepare_string(text, Letters::kFolded, StringPart::kWhole, out);
    ASSERT_EQ(has_excess_marks(text), !prepares) << encode_hex(text);
    excess += prepares ? 0 : 1;
  }
  EXPECT_GT(excess, 300U);
  EXPECT_LT(excess, 2700U);
  EXPECT_FALSE(has_excess_marks(std::string(4 << 20, '\x80'))) << "in no time";
}

// The same for every character of the lower planes between the marks, whatever it becomes: either
// it parts the run, and then something stands between the marks afterwards, or the run is refused.
TEST(Stringprep, NoCharacterHidesARunOfMarks) {
  const std::string marks = [] {
    std::string out;
    for (int i = 0; i < 20; ++i) out += i % 2 == 0 ? "\u0301" : "\u0323";
    return out;
  }();
  const auto longest_run = [](std::string_view octets) {
    std::size_t longest = 0;
    std::size_t run = 0;
    while (!octets.empty()) {
      const std::string_view two = octets.substr(0, 2);
      const bool is_mark = two == "\u0301" || two == "\u0323" || two == "\u0300";
      run = is_mark ? run + 1 : 0;
      longest = std::max(longest, run);
      octets.remove_prefix(is_mark ? 2 : 1);
    }
    return longest;
  };
  for (char32_t c = 0x20; c < 0x20000; ++c) {
    if (c >= 0xD800 && c < 0xE000) continue;
    std::string text = "a" + marks;
    append_utf8(text, c);
    text += marks;
    std::string out;
    if (!prepare_string(text, Letters::kFolded, StringPart::kWhole, out)) continue;
    ASSERT_LE(longest_run(out), 21U) << "U+" << std::hex << static_cast<unsigned>(c);
    // Nor does it become a mark by itself.
    std::string many = "a";
    for (int i = 0; i < 20; ++i) {
      many += "\u0315";
      append_utf8(many, c);
    }
    out.clear();
    if (!prepare_string(many, Letters::kFolded, StringPart::kWhole, out)) continue;
    // What is not a mark keeps its place between the marks.
    ASSERT_EQ(out.find("\u0315\u0315"), std::string::npos)
        << "U+" << std::hex << static_cast<unsigned>(c);
  }
}

TEST(Weight, IsAtLeastTheOctetsAndBounded) {
  EXPECT_EQ(preparation_weight(""), 0U);
  EXPECT_EQ(preparation_weight("plain"), 5U);
  EXPECT_EQ(preparation_weight("a\u00E9b"), 22U);
  EXPECT_EQ(preparation_weight("\uFDFA"), 230U);
  EXPECT_EQ(preparation_weight("\u334A"), 60U);
  EXPECT_EQ(preparation_weight("\u0130"), 45U);
  EXPECT_EQ(preparation_weight("\xEF"), 10U);
  std::string text;
  for (unsigned octet = 0; octet < 0x10000; ++octet) {
    text.push_back(static_cast<char>(octet >> 8U));
    text.push_back(static_cast<char>(octet & 0xFFU));
  }
  EXPECT_LE(preparation_weight(text), text.size() * kPreparationWeightMax);
  for (const char first : {'\xEF', '\xE3', '\xC4', '\xC7', '\xCE'}) {
    std::string same;
    for (int i = 0; i < 100; ++i) same += {first, first == '\xEF' ? '\xB7' : '\x8C', '\xBA'};
    EXPECT_LE(preparation_weight(same), same.size() * kPreparationWeightMax);
  }
}

TEST(Visible, LeavesTextAsItIs) {
  for (const std::string& text : {""s, "plain, with \\ and 'quotes'"s, "J\xC3\xB6rg"s,
                                  "\xE4\xB8\xAD\xE6\x96\x87 \xF0\x9F\x98\x80"s}) {
    EXPECT_TRUE(is_visible(text)) << encode_hex(text);
    EXPECT_EQ(visible(text), text);
  }
}

TEST(Visible, EscapesWhatATerminalWouldObeyOrNotShow) {
  const struct {
    std::string text;
    const char* shown;
    const char* what;
  } cases[] = {
      {"a\0b"s, "a\\00b", "NUL"},
      {"\x1B[2J"s, "\\1b[2J", "escape sequence"},
      {"a\nb\r\tc"s, "a\\0ab\\0d\\09c", "line ends and tab"},
      {"\x7F"s, "\\7f", "DEL"},
      {"\xC2\x9B"
       "2J"s,
       "\\c2\\9b2J", "C1 control sequence introducer"},
      {"\x9B"s, "\\9b", "the same as one octet"},
      {"\xC3"s, "\\c3", "cut character"},
      {"\xC3(\xC3\xB6"s, "\\c3(\xC3\xB6", "broken character, then a whole one"},
      {"\xE2\x80\xA8"s, "\\e2\\80\\a8", "line separator"},
      {"\xE2\x80\xAEgpj"s, "\\e2\\80\\aegpj", "right-to-left override"},
      {"\xE2\x81\xA6"s, "\\e2\\81\\a6", "isolate"},
  };
  for (const auto& one : cases) {
    EXPECT_FALSE(is_visible(one.text)) << one.what;
    EXPECT_EQ(visible(one.text), one.shown) << one.what;
    EXPECT_TRUE(is_visible(visible(one.text))) << one.what;
  }
}

TEST(Visible, LinesKeepTheirEnds) {
  EXPECT_EQ(visible_lines(""), "");
  EXPECT_EQ(visible_lines("a\x1B\n\n\rb\n"), "a\\1b\n\n\\0db\n");
}

TEST(Visible, QuotedIsBounded) {
  EXPECT_EQ(quoted("a\nb"), "'a\\0ab'");
  EXPECT_EQ(quoted("abcdef", 6), "'abcdef'");
  EXPECT_EQ(quoted("abcdefg", 6), "'abcdef...' (7 octets)");
  EXPECT_EQ(quoted("abcd\xE2\x82\xAC"
                   "efg",
                   6),
            "'abcd...' (10 octets)");
  EXPECT_EQ(quoted("\x80\x80\x80\x80", 2), "'\\80\\80...' (4 octets)");
  EXPECT_EQ(quoted("abc", 0), "'...' (3 octets)");
}

}  // namespace
}  // namespace kauri::text
