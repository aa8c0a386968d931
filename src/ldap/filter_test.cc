#include "ldap/filter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/limits.h"
#include "base/random.h"

namespace kauri::ldap {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;

std::string tlv(unsigned tag, std::string_view contents) {
  std::string out;
  ber::append_header(out, static_cast<ber::Tag>(tag), contents.size());
  return out.append(contents);
}
std::string text(std::string_view value) {
  return tlv(0x04, value);
}
std::string parts(const std::string& list) {
  return tlv(0xa4, text("cn") + tlv(0x30, list));
}

std::string encode(const Filter& filter) {
  std::string out;
  ber::Writer writer(out);
  encode_filter(writer, filter);
  return out;
}

FilterFault decode(std::string_view octets, Filter& out, std::string* why = nullptr) {
  ber::Reader reader(octets);
  const char* sentence = nullptr;
  const FilterFault fault = decode_filter(reader, out, sentence);
  EXPECT_EQ(sentence == nullptr, fault == FilterFault::kNone);
  if (why != nullptr && sentence != nullptr) *why = sentence;
  return fault;
}

void expect_same(const Filter& a, const Filter& b) {
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    EXPECT_EQ(a.nodes[i].kind, b.nodes[i].kind) << i;
    EXPECT_EQ(a.nodes[i].end, b.nodes[i].end) << i;
    EXPECT_EQ(a.nodes[i].dn_attributes, b.nodes[i].dn_attributes) << i;
    EXPECT_EQ(a.nodes[i].attribute, b.nodes[i].attribute) << i;
    EXPECT_EQ(a.nodes[i].value, b.nodes[i].value) << i;
    EXPECT_EQ(a.nodes[i].matching_rule, b.nodes[i].matching_rule) << i;
    EXPECT_EQ(a.nodes[i].parts_begin, b.nodes[i].parts_begin) << i;
    EXPECT_EQ(a.nodes[i].parts_end, b.nodes[i].parts_end) << i;
  }
  ASSERT_EQ(a.parts.size(), b.parts.size());
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    EXPECT_EQ(a.parts[i].kind, b.parts[i].kind) << i;
    EXPECT_EQ(a.parts[i].value, b.parts[i].value) << i;
  }
}

struct Malformed {
  const char* name;
  std::string octets;
  FilterFault fault;
};

std::vector<Malformed> wire_cases() {
  constexpr auto kOk = FilterFault::kNone;
  constexpr auto kBad = FilterFault::kProtocol;
  const std::string present = tlv(0x87, "cn");
  return {
      {"present", present, kOk},
      {"present, empty name", tlv(0x87, ""), kOk},
      {"and without children (RFC 4526)", tlv(0xa0, ""), kOk},
      {"or without children (RFC 4526)", tlv(0xa1, ""), kOk},
      {"equality, empty value", tlv(0xa3, text("cn") + text("")), kOk},
      {"equality, element behind", tlv(0xa3, text("cn") + text("a") + text("x")), kOk},
      {"initial, any, any, final", parts("\x80\1a\x81\1b\x81\1c\x82\1d"), kOk},
      {"final alone", parts("\x82\1d"), kOk},
      {"extensible, rule alone", tlv(0xa9, tlv(0x81, "2.5.13.5") + tlv(0x83, "x")), kOk},
      {"extensible, type alone", tlv(0xa9, tlv(0x82, "cn") + tlv(0x83, "")), kOk},
      {"nothing", "", kBad},
      {"unknown choice", tlv(0xaa, present), kBad},
      {"universal sequence", tlv(0x30, present), kBad},
      {"constructed present", tlv(0xa7, text("cn")), kBad},
      {"primitive and", tlv(0x80, present), kBad},
      {"not without a child (C33)", tlv(0xa2, ""), kBad},
      {"not with two children", tlv(0xa2, present + present), kBad},
      {"equality without a value", tlv(0xa3, text("cn")), kBad},
      {"equality without anything", tlv(0xa3, ""), kBad},
      {"equality, value is an integer", tlv(0xa3, text("cn") + "\x02\1\1"), kBad},
      {"equality, value past the end",
       "\xa3\x07\x04\x02"
       "cn\x04\x05x"s,
       kBad},
      {"child past the end of its parent",
       "\xa0\x03\x87\x02"
       "cn"s,
       kBad},
      {"empty initial (C27)", parts("\x80\0"s), kBad},
      {"empty any (C27)", parts("\x80\1a\x81\0"s), kBad},
      {"no part (C27)", parts(""), kBad},
      {"two initials (C27)", parts("\x80\1a\x80\1b"), kBad},
      {"initial behind any", parts("\x81\1a\x80\1b"), kBad},
      {"final before any (C27)", parts("\x82\1a\x81\1b"), kBad},
      {"two finals", parts("\x82\1a\x82\1b"), kBad},
      {"part of an unknown kind", parts("\x83\1a"), kBad},
      {"parts are missing", tlv(0xa4, text("cn")), kBad},
      {"extensible, neither type nor rule (C24)", tlv(0xa9, tlv(0x83, "x")), kBad},
      {"extensible, no value", tlv(0xa9, tlv(0x82, "cn")), kBad},
      {"extensible, empty", tlv(0xa9, ""), kBad},
      {"extensible, empty type", tlv(0xa9, tlv(0x81, "r") + tlv(0x82, "") + tlv(0x83, "x")), kBad},
      {"extensible, empty rule", tlv(0xa9, tlv(0x81, "") + tlv(0x82, "cn") + tlv(0x83, "x")), kBad},
      {"extensible, flag of two octets",
       tlv(0xa9, tlv(0x82, "cn") + tlv(0x83, "x") + tlv(0x84, "\1\1")), kBad},
  };
}

TEST(FilterBerTest, NamedInputs) {
  Filter filter;
  for (const Malformed& c : wire_cases()) {
    std::string why;
    EXPECT_EQ(decode(c.octets, filter, &why), c.fault) << c.name << ": " << why;
    // The same inside an and, and every cut of it.
    EXPECT_EQ(decode(tlv(0xa0, tlv(0x87, "a") + c.octets), filter),
              c.octets.empty() ? FilterFault::kNone : c.fault)
        << c.name;
    for (std::size_t size = 0; size < c.octets.size(); ++size) {
      const std::string cut = c.octets.substr(0, size);
      EXPECT_EQ(decode(cut, filter), FilterFault::kProtocol) << c.name << " cut at " << size;
    }
  }
}

std::string nested(unsigned tag, std::size_t depth) {
  std::string octets = tlv(0xa3, text("uid") + text("a"));
  for (std::size_t i = 0; i < depth; ++i) {
    std::string header;
    ber::append_header(header, static_cast<ber::Tag>(tag), octets.size());
    octets.insert(0, header);
  }
  return octets;
}

TEST(FilterBerTest, DepthLimit) {  // C33, T9
  Filter filter;
  for (const unsigned tag : {0xa0U, 0xa1U, 0xa2U}) {
    for (const std::size_t depth : {10U, 64U}) {
      EXPECT_EQ(decode(nested(tag, depth), filter), FilterFault::kNone);
      EXPECT_EQ(filter.nodes.size(), depth + 1);
      EXPECT_EQ(filter.nodes[0].end, depth + 1);
    }
    for (const std::size_t depth : {65U, 5000U, 20000U}) {
      EXPECT_EQ(decode(nested(tag, depth), filter), FilterFault::kProtocol);
      EXPECT_LE(filter.nodes.size(), limits::kFilterDepthMax);
    }
  }
}

TEST(FilterBerTest, SiblingsAfterDeepChildrenAreRead) {
  Filter filter;
  const std::string octets =
      tlv(0xa1, nested(0xa0, 63) + tlv(0x87, "b") + tlv(0xa0, nested(0xa2, 62) + tlv(0x87, "c")));
  ASSERT_EQ(decode(octets, filter), FilterFault::kNone);
  EXPECT_EQ(filter.nodes[0].end, filter.nodes.size());
  EXPECT_EQ(filter.nodes[filter.nodes[1].end].attribute, "b");
  EXPECT_EQ(filter.nodes.back().attribute, "c");
  EXPECT_EQ(encode(filter), octets);
}

TEST(FilterBerTest, WidthLimit) {  // T10
  Filter filter;
  std::string children;
  for (std::size_t i = 1; i < limits::kFilterNodesMax; ++i) children += tlv(0x87, "cn");
  EXPECT_EQ(decode(tlv(0xa1, children), filter), FilterFault::kNone);
  EXPECT_EQ(decode(tlv(0xa1, children + tlv(0x87, "cn")), filter), FilterFault::kAdminLimit);
  for (int i = 0; i < 4; ++i) children += children;
  EXPECT_EQ(decode(tlv(0xa1, children), filter), FilterFault::kAdminLimit);
  std::string list;
  for (std::size_t i = 0; i < limits::kSubstringPartsMax; ++i) list += "\x81\1a";
  EXPECT_EQ(decode(parts(list), filter), FilterFault::kNone);
  EXPECT_EQ(decode(parts(list + "\x81\1a"), filter), FilterFault::kAdminLimit);
  for (int i = 0; i < 10; ++i) list += list;
  EXPECT_EQ(decode(parts(list), filter), FilterFault::kAdminLimit);
}

TEST(FilterBerTest, OctetsOfValuesLimit) {  // T10
  Filter filter;
  const auto equality = [](std::size_t octets, char octet = 'v') {
    return tlv(0xa3, tlv(4, "cn") + tlv(4, std::string(octets, octet)));
  };
  const auto presents = [](std::size_t octets) {
    return parts("\x81\x84"s + std::string(1, static_cast<char>(octets >> 24U)) +
                 static_cast<char>(octets >> 16U) + static_cast<char>(octets >> 8U) +
                 static_cast<char>(octets) + std::string(octets, 'v'));
  };
  constexpr std::size_t kMax = limits::kAssertionOctetsMax;
  EXPECT_EQ(decode(equality(kMax), filter), FilterFault::kNone);
  EXPECT_EQ(decode(equality(kMax + 1), filter), FilterFault::kAdminLimit);
  EXPECT_EQ(decode(presents(kMax), filter), FilterFault::kNone);
  EXPECT_EQ(decode(presents(kMax + 1), filter), FilterFault::kAdminLimit);
  const auto extensible = [](std::size_t octets) {
    return tlv(0xa9, tlv(0x82, "cn") + tlv(0x83, std::string(octets, 'v')));
  };
  EXPECT_EQ(decode(extensible(kMax), filter), FilterFault::kNone);
  EXPECT_EQ(decode(extensible(kMax + 1), filter), FilterFault::kAdminLimit);
  // All of them together, and what is beyond ASCII ten times.
  const std::string half = equality(kMax / 2);
  EXPECT_EQ(decode(tlv(0xa1, half + half), filter), FilterFault::kNone);
  EXPECT_EQ(decode(tlv(0xa1, half + half + equality(1)), filter), FilterFault::kAdminLimit);
  EXPECT_EQ(decode(equality(kMax / 10, '\xe9'), filter), FilterFault::kNone);
  EXPECT_EQ(decode(equality(kMax / 10 + 1, '\xe9'), filter), FilterFault::kAdminLimit);
}

TEST(FilterTextTest, Items) {
  const auto leaf = [](std::string_view source) {
    Result<Filter> filter = parse_filter(source);
    EXPECT_TRUE(filter.has_value()) << source << ": " << filter.error().message();
    return std::move(*filter);
  };
  Filter filter = leaf("(cn=Babs Jensen)");
  EXPECT_EQ(filter.nodes[0].kind, FilterKind::kEquality);
  EXPECT_EQ(filter.nodes[0].value, "Babs Jensen");
  filter = leaf("a=b");
  EXPECT_EQ(filter.nodes[0].attribute, "a");
  EXPECT_EQ(filter.nodes[0].value, "b");
  filter = leaf("(cn=)");
  EXPECT_EQ(filter.nodes[0].kind, FilterKind::kEquality);
  EXPECT_EQ(filter.nodes[0].value, "");
  filter = leaf("(objectClass=*)");
  EXPECT_EQ(filter.nodes[0].kind, FilterKind::kPresent);
  EXPECT_EQ(leaf("(cn=**)").nodes[0].kind, FilterKind::kPresent);
  filter = leaf("(kInt>=9)");
  EXPECT_EQ(filter.nodes[0].kind, FilterKind::kGreaterOrEqual);
  EXPECT_EQ(leaf("(kInt<=9)").nodes[0].kind, FilterKind::kLessOrEqual);
  EXPECT_EQ(leaf("(cn~=x)").nodes[0].kind, FilterKind::kApprox);
  EXPECT_EQ(leaf("(cn;lang-en;x-a=v)").nodes[0].attribute, "cn;lang-en;x-a");
  EXPECT_EQ(leaf("(2.5.4.3=v)").nodes[0].attribute, "2.5.4.3");
  EXPECT_EQ(leaf("(o=Parens R Us \\28for all your parenthetical needs\\29)").nodes[0].value,
            "Parens R Us (for all your parenthetical needs)");
  EXPECT_EQ(leaf("(bin=\\00\\00\\00\\04)").nodes[0].value, "\0\0\0\x04"sv);
  EXPECT_EQ(leaf("(kOct=\\5c01\\ff\\00)").nodes[0].value, "\\01\xff\0"sv);  // C30
  EXPECT_EQ(leaf("(sn=Lu\\c4\\8di\\c4\\87)").nodes[0].value, "Lu\xC4\x8Di\xC4\x87");
  EXPECT_EQ(leaf("(seeAlso=CN=smith\\5c2c  j, DC=Example,dc=com)").nodes[0].value,
            "CN=smith\\2c  j, DC=Example,dc=com");  // C05
  EXPECT_EQ(leaf("(description=  babs is a BIG fan )").nodes[0].value,
            "  babs is a BIG fan ");  // C09
  EXPECT_EQ(leaf("(x=a=b~=c<d>:=)").nodes[0].value, "a=b~=c<d>:=");
  EXPECT_EQ(leaf("(x=\xff)").nodes[0].value, "\xff");
}

TEST(FilterTextTest, Substrings) {
  const struct {
    const char* text;
    const char* shape;  // i, a, f with the values
  } cases[] = {
      {"(cn=a*)", "i:a"},
      {"(cn=*a)", "f:a"},
      {"(cn=*a*)", "a:a"},
      {"(cn=a*b)", "i:a f:b"},
      {"(cn=a*b*c*d)", "i:a a:b a:c f:d"},
      {"(cn=a**b)", "i:a f:b"},
      {"(cn=**a**)", "a:a"},
      {"(cn=\\2a*\\2A)", "i:* f:*"},
      {"(cn=Univ of*Mich*)", "i:Univ of a:Mich"},
  };
  for (const auto& c : cases) {
    const Filter filter = parse_filter(c.text).value();
    ASSERT_EQ(filter.nodes[0].kind, FilterKind::kSubstrings) << c.text;
    std::string shape;
    for (std::uint32_t i = filter.nodes[0].parts_begin; i < filter.nodes[0].parts_end; ++i) {
      if (!shape.empty()) shape += " ";
      shape.push_back("iaf"[static_cast<int>(filter.parts[i].kind)]);
      shape.append(":").append(filter.parts[i].value);
    }
    EXPECT_EQ(shape, c.shape) << c.text;
  }
}

TEST(FilterTextTest, Extensible) {
  const struct {
    const char* text;
    const char* attribute;
    const char* rule;
    bool dn;
    const char* value;
  } cases[] = {
      {"(cn:caseExactMatch:=Fred Flintstone)", "cn", "caseExactMatch", false, "Fred Flintstone"},
      {"(cn:=Betty Rubble)", "cn", "", false, "Betty Rubble"},
      {"(sn:dn:2.4.6.8.10:=Barney Rubble)", "sn", "2.4.6.8.10", true, "Barney Rubble"},
      {"(o:dn:=Ace Industry)", "o", "", true, "Ace Industry"},
      {"(:1.2.3:=Wilma Flintstone)", "", "1.2.3", false, "Wilma Flintstone"},
      {"(:DN:2.4.6.8.10:=Dino)", "", "2.4.6.8.10", true, "Dino"},
      {"(kInt:1.2.840.113556.1.4.803:=2)", "kInt", "1.2.840.113556.1.4.803", false, "2"},
      {"(cn:caseExactMatch:=)", "cn", "caseExactMatch", false, ""},
      {"(cn:caseExactMatch:=\\2a)", "cn", "caseExactMatch", false, "*"},
  };
  for (const auto& c : cases) {
    const Result<Filter> filter = parse_filter(c.text);
    ASSERT_TRUE(filter.has_value()) << c.text << ": " << filter.error().message();
    const FilterNode& node = filter->nodes[0];
    EXPECT_EQ(node.kind, FilterKind::kExtensible) << c.text;
    EXPECT_EQ(node.attribute, c.attribute) << c.text;
    EXPECT_EQ(node.matching_rule, c.rule) << c.text;
    EXPECT_EQ(node.dn_attributes, c.dn) << c.text;
    EXPECT_EQ(node.value, c.value) << c.text;
  }
}

TEST(FilterTextTest, TreesAreWrittenAsTheyWereRead) {
  for (const char* source : {
           "(&)",
           "(|)",
           "(!(&))",
           "(&(a=b))",
           "(|(uid=a)(&(objectClass=inetOrgPerson)(!(|(uid=a)(uid=b)))))",
           "(&(|(a=1)(b=2))(c=*)(!(d>=3)))",
           "(cn=a*b*c)",
           "(cn=*x*)",
           "(cn:dn:r:=v)",
           "(a~=b)",
       }) {
    EXPECT_EQ(to_string(parse_filter(source).value()), source);
  }
  EXPECT_EQ(to_string(*parse_filter(" ( & (a=b)\n\t(c=d) ) ")), "(&(a=b)(c=d))");
  EXPECT_EQ(to_string(*parse_filter("(a=\n\\28\xC4\x8D\\ff)")), "(a=\\0a\\28\\c4\\8d\\ff)");
  EXPECT_EQ(to_string(*parse_filter("(a=\xC4\x8D)")), "(a=\xC4\x8D)");
}

TEST(FilterTextTest, NamesFromTheWireStayOnOneLine) {
  Filter filter;
  const std::string octets = tlv(0xa3, text("a=b)(\n*") + text("x"));
  ASSERT_EQ(decode(octets, filter), FilterFault::kNone);
  EXPECT_EQ(to_string(filter), "(a\\3db\\29\\28\\0a\\2a=x)");
}

struct MalformedText {
  const char* name;
  std::string text;
  const char* why;
};

TEST(FilterTextTest, NamedMalformedTextsAreRefused) {
  std::string deep = "(a=b)";
  for (int i = 0; i < 65; ++i) deep = "(!" + deep + ")";
  std::string wide = "(|";
  for (std::size_t i = 0; i < limits::kFilterNodesMax; ++i) wide += "(a=b)";
  wide += ")";
  std::string starred = "(a=x";
  for (std::size_t i = 0; i < limits::kSubstringPartsMax; ++i) starred += "*x";
  starred += ")";
  const std::vector<MalformedText> cases = {
      {"nothing", "", "a filter is expected"},
      {"spaces", "  ", "a filter is expected"},
      {"open", "(", "attribute description is expected"},
      {"not closed", "(a=b", "')' is expected"},
      {"and not closed", "(&(a=b)", "'(' or ')' is expected"},
      {"closed twice", "(a=b))", "end of the filter"},
      {"two filters", "(a=b)(c=d)", "end of the filter"},
      {"bare, closed", "a=b)", "end of the filter"},
      {"bare and", "&(a=b)", "attribute description"},
      {"empty parentheses", "()", "attribute description is expected"},
      {"no attribute", "(=b)", "attribute description is expected"},
      {"no operator", "(ab)", "'=' and a value"},
      {"attribute alone", "ab", "'=' and a value"},
      {"attribute with a space", "(a b=c)", "is not an attribute description"},
      {"attribute with an asterisk", "(a*=c)", "is not an attribute description"},
      {"empty option", "(a;=c)", "is not an attribute description"},
      {"less without equals", "(a<b)", "'=' is expected"},
      {"greater without equals", "(a>b)", "'=' is expected"},
      {"tilde alone", "(a~)", "'=' is expected"},
      {"asterisk in an ordering", "(a>=b*)", "\\2a"},
      {"asterisk in an approximation", "(a~=*)", "\\2a"},
      {"asterisk in an extensible filter", "(a:r:=b*)", "\\2a"},
      {"open parenthesis in a value", "(a=b(c)", "\\28"},
      {"raw NUL", "(a=b\0)"s, "\\00"},
      {"backslash at the end", "(a=b\\", "two hexadecimal digits"},
      {"backslash and one digit", "(a=b\\2)", "two hexadecimal digits"},
      {"backslash and letters", "(a=b\\zz)", "two hexadecimal digits"},
      {"not without a filter", "(!)", "exactly one filter"},
      {"not with two", "(!(a=b)(c=d))", "exactly one filter"},
      {"item inside and without parentheses", "(&a=b)", "'(' or ')' is expected"},
      {"neither attribute nor rule", "(:=x)", "names an attribute or a matching rule"},
      {"dn alone", "(:dn:=x)", "names an attribute or a matching rule"},
      {"two rules", "(a:r:s:=x)", "':=' is expected after the matching rule"},
      {"empty rule", "(a::=x)", "is not the name or OID"},
      {"rule with a space", "(a:r s:=x)", "is not the name or OID"},
      {"rule without equals", "(a:r)", "':=' is expected"},
      {"colon at the end", "(a:", "':=' is expected"},
      {"too deep", deep, "nested deeper than 64"},
      {"too wide", wide, "more than 4096 nodes"},
      {"too many parts", starred, "more than 64 parts"},
  };
  for (const MalformedText& c : cases) {
    const Result<Filter> filter = parse_filter(c.text);
    ASSERT_FALSE(filter.has_value()) << c.name << " became " << to_string(*filter);
    EXPECT_EQ(filter.error().code(), ErrorCode::kInvalid) << c.name;
    EXPECT_NE(filter.error().message().find(c.why), std::string::npos)
        << c.name << ": " << filter.error().message();
    for (const char ch : filter.error().message()) EXPECT_TRUE(ch >= ' ' && ch <= '~') << c.name;
  }
}

// A random tree, written as text piece by piece; `budget` bounds its nodes.
std::string random_text(SeededRandom& random, int depth, int& budget) {
  const auto pick = [&random](std::uint64_t n) { return random.next_u64() % n; };
  const auto value = [&](std::uint64_t least) {
    std::string out;
    for (std::uint64_t i = least + pick(4); i > 0; --i) {
      constexpr std::string_view kHex = "0123456789abcdef";
      const std::uint64_t octet = pick(256);
      out.append("\\").push_back(kHex[octet >> 4U]);
      out.push_back(kHex[octet & 15U]);
    }
    return out;
  };
  --budget;
  if (depth > 0 && budget > 0 && pick(2) == 0) {
    const std::uint64_t kind = pick(3);
    std::string out = "("s + "&|!"[kind];
    for (std::uint64_t i = kind == 2 ? 1 : pick(4); i > 0; --i)
      out += random_text(random, depth - 1, budget);
    return out + ")";
  }
  switch (pick(7)) {
    case 0:
      return "(cn=" + value(0) + ")";
    case 1:
      return "(cn;lang-en=*)";
    case 2:
      return "(cn>=" + value(0) + ")";
    case 3:
      return "(cn<=" + value(0) + ")";
    case 4:
      return "(cn~=" + value(0) + ")";
    case 5:
      return "(cn=" + value(1) + "*" + value(1) + "*" + value(1) + ")";
    default:
      return pick(2) == 0 ? "(:dn:2.5.13.2:=" + value(0) + ")" : "(cn:=" + value(0) + ")";
  }
}

TEST(FilterTest, RandomTreesSurviveTextAndWire) {
  SeededRandom random(99);
  for (int round = 0; round < 1500; ++round) {
    int budget = 60;
    const std::string source = random_text(random, 8, budget);
    const Result<Filter> parsed = parse_filter(source);
    ASSERT_TRUE(parsed.has_value()) << source << ": " << parsed.error().message();
    const Result<Filter> again = parse_filter(to_string(*parsed));
    ASSERT_TRUE(again.has_value()) << to_string(*parsed);
    expect_same(*parsed, *again);
    const std::string octets = encode(*parsed);
    Filter decoded;
    ASSERT_EQ(decode(octets, decoded), FilterFault::kNone) << source;
    expect_same(*parsed, decoded);
    EXPECT_EQ(encode(decoded), octets);
    const Filter copy = decoded.clone();
    expect_same(copy, decoded);
  }
}

TEST(FilterTest, OwnedOctetsSurviveMoves) {
  std::vector<Filter> kept;
  for (int i = 0; i < 20; ++i) {
    kept.push_back(parse_filter("(a=b)").value());
    std::string octets = tlv(0xa3, text("c") + text("d"));
    Filter decoded;
    ASSERT_EQ(decode(octets, decoded), FilterFault::kNone);
    kept.push_back(decoded.clone());
    octets.assign(octets.size(), '?');
  }
  Filter target = parse_filter("(something=else)").value();
  target = std::move(kept[0]);
  EXPECT_EQ(to_string(target), "(a=b)");
  for (std::size_t i = 1; i < kept.size(); ++i) {
    EXPECT_EQ(to_string(kept[i]), i % 2 == 0 ? "(a=b)" : "(c=d)");
  }
}

TEST(FilterTest, DecodingAgainForgetsTheFormerFilter) {
  Filter filter;
  const std::string big = encode(parse_filter("(&(cn=a*b)(sn=c))").value());
  const std::string small = tlv(0x87, "cn");
  ASSERT_EQ(decode(big, filter), FilterFault::kNone);
  ASSERT_EQ(decode(small, filter), FilterFault::kNone);
  EXPECT_EQ(filter.nodes.size(), 1U);
  EXPECT_TRUE(filter.parts.empty());
  EXPECT_EQ(to_string(filter), "(cn=*)");
}

}  // namespace
}  // namespace kauri::ldap
