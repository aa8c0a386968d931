#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/limits.h"
#include "base/testing/cost.h"
#include "ldap/client.h"
#include "ldap/message.h"

namespace kauri::ldap {
namespace {

using namespace std::string_view_literals;
using namespace std::string_literals;

std::string tlv(unsigned tag, std::string_view contents) {
  std::string out;
  ber::append_header(out, static_cast<ber::Tag>(tag), contents.size());
  return out.append(contents);
}
std::string text(std::string_view value) {
  return tlv(0x04, value);
}
std::string number(std::int64_t value, ber::Tag tag = ber::kInteger) {
  std::string out;
  ber::Writer(out).integer(value, tag);
  return out;
}
const std::string kTrue = "\x01\x01\xff";
const std::string kFalse = "\x01\x01\0"s;

struct Body {
  const char* name;
  std::string octets;
  DecodeFault fault;
};

template <class Request>
void expect_faults(const std::vector<Body>& cases,
                   DecodeResult (*decode)(std::string_view, Request&)) {
  Request out;
  for (const Body& c : cases) {
    const std::string exact = c.octets;
    const DecodeResult result = decode(exact, out);
    EXPECT_EQ(result.fault, c.fault) << c.name << ": " << (result.why == nullptr ? "" : result.why);
    EXPECT_EQ(result.why == nullptr, result.ok()) << c.name;
    // No cut of it makes the decoder read past the end.
    for (std::size_t size = 0; size < exact.size(); ++size) {
      const std::string cut = exact.substr(0, size);
      decode(cut, out);
    }
  }
}

constexpr DecodeFault kOk = DecodeFault::kNone;
constexpr DecodeFault kBad = DecodeFault::kProtocol;

TEST(RequestTest, Bind) {
  const std::string head = number(3) + text("cn=a");
  expect_faults<BindRequest>(
      {
          {"simple", head + tlv(0x80, "secret"), kOk},
          {"simple, empty password", head + tlv(0x80, ""), kOk},
          {"SASL", head + tlv(0xa3, text("PLAIN") + text("cred")), kOk},
          {"SASL without credentials", head + tlv(0xa3, text("EXTERNAL")), kOk},
          {"version 2", number(2) + text("") + tlv(0x80, ""), kOk},
          {"a method of LDAPv2", head + tlv(0x81, "x"), kOk},
          {"element behind", head + tlv(0x80, "") + text("later"), kOk},
          {"nothing", "", kBad},
          {"no method", head, kBad},
          {"constructed password is another method", head + tlv(0xa0, text("x")), kOk},
          {"empty SASL", head + tlv(0xa3, ""), kBad},
          {"version is text", text("3") + text("") + tlv(0x80, ""), kBad},
          {"name is constructed", number(3) + tlv(0x24, text("a")) + tlv(0x80, ""), kBad},
          {"broken element behind", head + tlv(0x80, "") + "\x04\x09"s, kBad},
      },
      decode_bind);
  BindRequest bind;
  std::string body = head + tlv(0xa3, text("PLAIN") + text(""));
  ASSERT_TRUE(decode_bind(body, bind).ok());
  EXPECT_EQ(bind.version, 3);
  EXPECT_EQ(bind.name, "cn=a");
  EXPECT_EQ(bind.method, BindRequest::Method::kSasl);
  EXPECT_EQ(bind.mechanism, "PLAIN");
  EXPECT_EQ(bind.credentials, "");
  body = head + tlv(0x80, "pw");
  ASSERT_TRUE(decode_bind(body, bind).ok());
  EXPECT_EQ(bind.method, BindRequest::Method::kSimple);
  EXPECT_EQ(bind.password, "pw");
  EXPECT_FALSE(bind.credentials.has_value());
  body = head + tlv(0x82, "x");
  ASSERT_TRUE(decode_bind(body, bind).ok());
  EXPECT_EQ(bind.method, BindRequest::Method::kUnknown);
}

std::string search_body(std::int64_t scope, std::int64_t deref, std::int64_t size,
                        std::int64_t time, const std::string& types_only, const std::string& filter,
                        const std::string& attributes) {
  return text("dc=x") + number(scope, ber::kEnumerated) + number(deref, ber::kEnumerated) +
         number(size) + number(time) + types_only + filter + attributes;
}

TEST(RequestTest, Search) {
  const std::string present = tlv(0x87, "cn");
  const std::string none = tlv(0x30, "");
  std::string many;
  for (int i = 0; i < 1000; ++i) many += text("");
  expect_faults<SearchRequest>(
      {
          {"plain", search_body(2, 0, 0, 0, kFalse, present, none), kOk},
          {"attributes", search_body(0, 3, 1, 1, kTrue, present, tlv(0x30, text("cn") + text(""))),
           kOk},
          {"subordinate scope", search_body(3, 0, 0, 0, kFalse, present, none), kOk},
          {"limits at their most", search_body(1, 1, 2147483647, 2147483647, kFalse, present, none),
           kOk},
          {"element behind", search_body(1, 1, 0, 0, kFalse, present, none) + text("x"), kOk},
          {"scope 4", search_body(4, 0, 0, 0, kFalse, present, none), kBad},
          {"scope -1", search_body(-1, 0, 0, 0, kFalse, present, none), kBad},
          {"deref 4", search_body(0, 4, 0, 0, kFalse, present, none), kBad},
          {"negative size limit", search_body(0, 0, -1, 0, kFalse, present, none), kBad},
          {"size limit 2^31", search_body(0, 0, 2147483648, 0, kFalse, present, none), kBad},
          {"negative time limit", search_body(0, 0, 0, -1, kFalse, present, none), kBad},
          {"typesOnly is missing", search_body(0, 0, 0, 0, "", present, none), kBad},
          {"typesOnly of two octets", search_body(0, 0, 0, 0, "\x01\x02\x01\x01", present, none),
           kBad},
          {"no filter", search_body(0, 0, 0, 0, kFalse, "", ""), kBad},
          {"no attribute list", search_body(0, 0, 0, 0, kFalse, present, ""), kBad},
          {"attribute list is a set", search_body(0, 0, 0, 0, kFalse, present, tlv(0x31, "")),
           kBad},
          {"attribute is an integer",
           search_body(0, 0, 0, 0, kFalse, present, tlv(0x30, number(1))), kBad},
          {"nothing", "", kBad},
      },
      decode_search);
  SearchRequest search;
  std::string body = search_body(0, 0, 0, 0, kFalse, present, tlv(0x30, many));
  EXPECT_TRUE(decode_search(body, search).ok());
  EXPECT_EQ(search.attributes.size(), limits::kRequestedAttributesMax);
  body = search_body(0, 0, 0, 0, kFalse, present, tlv(0x30, many + text("")));
  EXPECT_EQ(decode_search(body, search).fault, DecodeFault::kAdminLimit);
  // C35: 200 000 empty names.
  std::string flood;
  for (int i = 0; i < 200; ++i) flood += many;
  body = search_body(0, 0, 0, 0, kFalse, present, tlv(0x30, flood));
  EXPECT_EQ(decode_search(body, search).fault, DecodeFault::kAdminLimit);
  EXPECT_LE(search.attributes.capacity(), 2 * limits::kRequestedAttributesMax);
}

std::string attribute(std::string_view name, const std::string& values) {
  return tlv(0x30, text(name) + tlv(0x31, values));
}

TEST(RequestTest, Add) {
  const auto add = [](const std::string& attributes) {
    return text("dc=x") + tlv(0x30, attributes);
  };
  expect_faults<AddRequest>(
      {
          {"plain", add(attribute("cn", text("a")) + attribute("sn", text("b") + text(""))), kOk},
          {"no attributes", add(""), kOk},
          {"element behind the values",
           add(tlv(0x30, text("cn") + tlv(0x31, text("a")) + text("x"))), kOk},
          {"empty value set (F02)", add(attribute("cn", text("a")) + attribute("description", "")),
           kBad},
          {"empty attribute", add(tlv(0x30, "")), kBad},
          {"no value set", add(tlv(0x30, text("cn"))), kBad},
          {"values in a sequence", add(tlv(0x30, text("cn") + tlv(0x30, text("a")))), kBad},
          {"value is an integer", add(attribute("cn", number(1))), kBad},
          {"attribute is a set", add(tlv(0x31, text("cn"))), kBad},
          {"no list", text("dc=x"), kBad},
          {"nothing", "", kBad},
      },
      decode_add);
  AddRequest request;
  std::string body = add(attribute("cn", text("a") + text("b")) + attribute("sn", text("c")));
  ASSERT_TRUE(decode_add(body, request).ok());
  EXPECT_EQ(request.dn, "dc=x");
  ASSERT_EQ(request.attributes.size(), 2U);
  EXPECT_EQ(request.attributes[0].values, (std::vector<std::string_view>{"a", "b"}));
  // Used again for less, nothing of the former request is left.
  body = add(attribute("ou", text("z")));
  ASSERT_TRUE(decode_add(body, request).ok());
  ASSERT_EQ(request.attributes.size(), 1U);
  EXPECT_EQ(request.attributes[0].description, "ou");
  EXPECT_EQ(request.attributes[0].values, (std::vector<std::string_view>{"z"}));
}

// Many tiny things: counted while they are read, so that they take no memory first.
TEST(RequestTest, CountsOfWritesAreLimited) {
  const auto times = [](std::size_t count, const std::string& what) {
    std::string out;
    out.reserve(count * what.size());
    for (std::size_t i = 0; i < count; ++i) out += what;
    return out;
  };
  const auto add = [](const std::string& attributes) {
    return text("dc=x") + tlv(0x30, attributes);
  };
  AddRequest request;
  std::string body = add(attribute("cn", times(limits::kRequestValuesMax, text(""))));
  EXPECT_TRUE(decode_add(body, request).ok());
  body = add(attribute("cn", times(limits::kRequestValuesMax + 1, text(""))));
  EXPECT_EQ(decode_add(body, request).fault, DecodeFault::kAdminLimit);
  body =
      add(attribute("cn", times(limits::kRequestValuesMax, text(""))) + attribute("sn", text("")));
  EXPECT_EQ(decode_add(body, request).fault, DecodeFault::kAdminLimit);
  const std::string one = attribute("cn", text(""));
  body = add(times(limits::kEntryAttributesMax, one));
  EXPECT_TRUE(decode_add(body, request).ok());
  body = add(times(limits::kEntryAttributesMax + 1, one));
  EXPECT_EQ(decode_add(body, request).fault, DecodeFault::kAdminLimit);
  AddRequest fresh;
  body = add(attribute("cn", times(5'000'000, text(""))));
  EXPECT_EQ(decode_add(body, fresh).fault, DecodeFault::kAdminLimit);
  EXPECT_LE(fresh.attributes[0].values.capacity(), 2 * limits::kRequestValuesMax);

  const auto change = [](const std::string& contents) {
    return tlv(0x30, number(0, ber::kEnumerated) + contents);
  };
  ModifyRequest modify;
  body = add(times(limits::kChangesMax, change(one)));
  EXPECT_TRUE(decode_modify(body, modify).ok());
  EXPECT_EQ(modify.modifications.size(), limits::kChangesMax);
  body = add(times(limits::kChangesMax + 1, change(one)));
  EXPECT_EQ(decode_modify(body, modify).fault, DecodeFault::kAdminLimit);
  body = add(change(attribute("cn", times(limits::kRequestValuesMax, text("")))));
  EXPECT_TRUE(decode_modify(body, modify).ok());
  body = add(change(attribute("cn", times(limits::kRequestValuesMax, text("")))) + change(one));
  EXPECT_EQ(decode_modify(body, modify).fault, DecodeFault::kAdminLimit);
}

TEST(RequestTest, Modify) {
  const auto modify = [](const std::string& changes) { return text("dc=x") + tlv(0x30, changes); };
  const auto change = [](std::int64_t operation, const std::string& contents) {
    return tlv(0x30, number(operation, ber::kEnumerated) + contents);
  };
  expect_faults<ModifyRequest>(
      {
          {"plain", modify(change(0, attribute("cn", text("a"))) + change(1, attribute("sn", ""))),
           kOk},
          {"increment", modify(change(3, attribute("n", text("1")))), kOk},
          {"no changes", modify(""), kOk},
          {"operation 4", modify(change(4, attribute("cn", text("a")))), kBad},
          {"operation -1", modify(change(-1, attribute("cn", text("a")))), kBad},
          {"operation is an integer", modify(tlv(0x30, number(0) + attribute("cn", ""))), kBad},
          {"empty change", modify(tlv(0x30, "")), kBad},
          {"change without attribute", modify(change(0, "")), kBad},
          {"broken value", modify(change(0, tlv(0x30, text("cn") + tlv(0x31, "\x04\x03x")))), kBad},
          {"nothing", "", kBad},
      },
      decode_modify);
  ModifyRequest request;
  const std::string body =
      modify(change(2, attribute("cn", text("a"))) + change(1, attribute("sn", "")));
  ASSERT_TRUE(decode_modify(body, request).ok());
  ASSERT_EQ(request.modifications.size(), 2U);
  EXPECT_EQ(request.modifications[0].operation, ModifyOperation::kReplace);
  EXPECT_EQ(request.modifications[1].operation, ModifyOperation::kDelete);
  EXPECT_TRUE(request.modifications[1].attribute.values.empty());
}

TEST(RequestTest, ModifyDn) {
  const std::string head = text("cn=a,dc=x") + text("cn=b");
  expect_faults<ModifyDnRequest>(
      {
          {"rename", head + kTrue, kOk},
          {"move", head + kFalse + tlv(0x80, "dc=y"), kOk},
          {"to the root", head + kFalse + tlv(0x80, ""), kOk},
          {"no flag", head, kBad},
          {"flag of no octets", head + "\x01\0"s, kBad},
          {"no new RDN", text("cn=a") + kTrue, kBad},
          {"nothing", "", kBad},
      },
      decode_modify_dn);
  ModifyDnRequest request;
  std::string body = head + "\x01\x01\x01" + tlv(0x80, "");
  ASSERT_TRUE(decode_modify_dn(body, request).ok());
  EXPECT_TRUE(request.delete_old_rdn);
  EXPECT_EQ(request.new_superior, "");
  body = head + kFalse;
  ASSERT_TRUE(decode_modify_dn(body, request).ok());
  EXPECT_FALSE(request.delete_old_rdn);
  EXPECT_FALSE(request.new_superior.has_value());
}

TEST(RequestTest, CompareAndExtended) {
  expect_faults<CompareRequest>(
      {
          {"plain", text("dc=x") + tlv(0x30, text("cn") + text("a")), kOk},
          {"empty value", text("dc=x") + tlv(0x30, text("cn") + text("")), kOk},
          {"no value", text("dc=x") + tlv(0x30, text("cn")), kBad},
          {"empty assertion", text("dc=x") + tlv(0x30, ""), kBad},
          {"no assertion", text("dc=x"), kBad},
          {"nothing", "", kBad},
      },
      decode_compare);
  CompareRequest compare;
  for (const bool past : {false, true}) {
    for (const char octet : {'v', '\xe9'}) {
      const std::size_t most = limits::kAssertionOctetsMax / (octet == 'v' ? 1 : 10);
      const std::string body =
          text("dc=x") + tlv(0x30, text("cn") + text(std::string(most + past, octet)));
      EXPECT_EQ(decode_compare(body, compare).fault,
                past ? DecodeFault::kAdminLimit : DecodeFault::kNone);
    }
  }
  expect_faults<ExtendedRequest>(
      {
          {"name", tlv(0x80, "1.2.3"), kOk},
          {"name and value", tlv(0x80, "1.2.3") + tlv(0x81, "v"), kOk},
          {"element behind", tlv(0x80, "1.2.3") + tlv(0x85, "v"), kOk},
          {"value alone", tlv(0x81, "v"), kBad},
          {"name as octet string", text("1.2.3"), kBad},
          {"nothing", "", kBad},
      },
      decode_extended);
}

TEST(RequestTest, Abandon) {
  EXPECT_EQ(decode_abandon("\x05"), 5);
  EXPECT_EQ(decode_abandon("\x7f\xff\xff\xff"), kMessageIdMax);
  EXPECT_EQ(decode_abandon("\0\0\0\0\0\0\0\x05"sv), 5);
  EXPECT_EQ(decode_abandon("\0\x80\0\0\0"sv), 0);
  EXPECT_EQ(decode_abandon(""), 0);
  EXPECT_EQ(decode_abandon("\xff"), 0);
  EXPECT_EQ(decode_abandon("\x80\0\0\0\0\0\0\0"sv), 0);
  EXPECT_EQ(decode_abandon("\x7f\xff\xff\xff\xff\xff\xff\xff"), 0);
  EXPECT_EQ(decode_abandon("\0\0\0\0\0\0\0\0\x05"sv), 0);
}

TEST(RequestTest, WhatTheClientWritesTheServerReads) {
  std::string octets;
  Message out;
  append_modify_request(octets, 1, "dc=x", {{ModifyOperation::kAdd, {"cn", {"a", "b"}}}});
  ASSERT_TRUE(decode_message(octets, out).ok());
  ModifyRequest modify;
  ASSERT_TRUE(decode_modify(out.body, modify).ok());
  EXPECT_EQ(modify.modifications[0].attribute.values, (std::vector<std::string_view>{"a", "b"}));

  octets.clear();
  append_add_request(octets, 2, "dc=x", {{"cn", {"a"}}, {"sn", {"b"}}}, {{"1.2", true, {}}});
  ASSERT_TRUE(decode_message(octets, out).ok());
  AddRequest add;
  ASSERT_TRUE(decode_add(out.body, add).ok());
  EXPECT_EQ(add.attributes[1].description, "sn");

  octets.clear();
  append_modify_dn_request(octets, 3, {"cn=a,dc=x", "cn=b", true, "dc=y"});
  ASSERT_TRUE(decode_message(octets, out).ok());
  ModifyDnRequest modify_dn;
  ASSERT_TRUE(decode_modify_dn(out.body, modify_dn).ok());
  EXPECT_EQ(modify_dn.new_superior, "dc=y");

  octets.clear();
  append_compare_request(octets, 4, {"dc=x", "cn", "a"});
  ASSERT_TRUE(decode_message(octets, out).ok());
  CompareRequest compare;
  ASSERT_TRUE(decode_compare(out.body, compare).ok());
  EXPECT_EQ(compare.value, "a");

  octets.clear();
  append_extended_request(octets, 5, {"1.2.3", "v"});
  ASSERT_TRUE(decode_message(octets, out).ok());
  ExtendedRequest extended;
  ASSERT_TRUE(decode_extended(out.body, extended).ok());
  EXPECT_EQ(extended.value, "v");

  octets.clear();
  append_sasl_bind_request(octets, 6, "", "PLAIN", "cred");
  ASSERT_TRUE(decode_message(octets, out).ok());
  BindRequest bind;
  ASSERT_TRUE(decode_bind(out.body, bind).ok());
  EXPECT_EQ(bind.mechanism, "PLAIN");
  EXPECT_EQ(bind.credentials, "cred");

  octets.clear();
  append_simple_bind_request(octets, 7, "cn=a", "pw");
  ASSERT_TRUE(decode_message(octets, out).ok());
  ASSERT_TRUE(decode_bind(out.body, bind).ok());
  EXPECT_EQ(bind.password, "pw");

  octets.clear();
  append_abandon_request(octets, 8, 300);
  ASSERT_TRUE(decode_message(octets, out).ok());
  EXPECT_EQ(decode_abandon(out.body), 300);
  EXPECT_FALSE(response_to(out.tag).has_value());
}

TEST(RequestTest, WarmSearchDecodingAllocatesNothing) {
  std::string octets;
  append_search_request(octets, 1,
                        {.base = "ou=people,dc=example,dc=com", .attributes = {"cn", "mail"}},
                        parse_filter("(uid=someone)").value());
  std::string other;
  append_search_request(other, 2, {.base = "dc=example,dc=com"},
                        parse_filter("(&(cn=a*b)(!(sn=x)))").value(), {{"1.2.3", false, "v"}});
  Message message;
  SearchRequest search;
  const auto decode = [&](const std::string& request) {
    EXPECT_TRUE(decode_message(request, message).ok());
    EXPECT_TRUE(decode_search(message.body, search).ok());
  };
  decode(octets);
  decode(other);
  const std::size_t before = allocation_count();
  for (int i = 0; i < 100; ++i) {
    decode(octets);
    decode(other);
  }
  EXPECT_EQ(allocation_count(), before);
  EXPECT_EQ(before > 0, counts_allocations());
}

TEST(RequestTest, WarmUpdateDecodingAllocatesNothing) {
  std::string octets;
  append_modify_request(octets, 1, "dc=x", {{ModifyOperation::kAdd, {"cn", {"a", "b"}}}});
  Message message;
  ModifyRequest modify;
  std::size_t before = 0;
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(decode_message(octets, message).ok());
    ASSERT_TRUE(decode_modify(message.body, modify).ok());
    if (i == 0) before = allocation_count();
  }
  EXPECT_EQ(allocation_count(), before);
}

}  // namespace
}  // namespace kauri::ldap
