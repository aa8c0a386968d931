#include "ldap/message.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/limits.h"
#include "ldap/client.h"
#include "ldap/oids.h"
#include "ldap/testing/long_lengths.h"

namespace kauri::ldap {
namespace {

using namespace std::string_view_literals;
using namespace std::string_literals;

// An element with minimal length.
std::string tlv(unsigned tag, std::string_view contents) {
  std::string out;
  ber::append_header(out, static_cast<ber::Tag>(tag), contents.size());
  return out.append(contents);
}

std::string message(std::string_view id, std::string_view rest) {
  return tlv(0x30, tlv(0x02, id) + std::string(rest));
}

const std::string kAbandon = tlv(0x50, "\x05");

struct Envelope {
  const char* name;
  std::string octets;
  DecodeFault fault;
};

// RELIABILITY T2, T4 to T8.
std::vector<Envelope> envelopes() {
  const std::string id = "\x01";
  return {
      {"plain", message(id, kAbandon), DecodeFault::kNone},
      {"nothing", "", DecodeFault::kDisconnect},
      {"another first octet", "GET / HTTP/1.1\r\n", DecodeFault::kDisconnect},
      {"empty message", tlv(0x30, ""), DecodeFault::kDisconnect},
      {"octets behind the message", message(id, kAbandon) + "x", DecodeFault::kDisconnect},
      {"cut message", message(id, kAbandon).substr(0, 7), DecodeFault::kDisconnect},
      {"indefinite length", "\x30\x80\x02\x01\x01\x42\x00\x00\x00"s, DecodeFault::kDisconnect},
      {"id 0", message("\0"sv, kAbandon), DecodeFault::kDisconnect},
      {"id negative", message("\xff", kAbandon), DecodeFault::kDisconnect},
      {"id empty", message("", kAbandon), DecodeFault::kDisconnect},
      {"id 2^31-1", message("\x7f\xff\xff\xff", kAbandon), DecodeFault::kNone},
      {"id 2^31", message("\0\x80\0\0\0"sv, kAbandon), DecodeFault::kDisconnect},
      {"id of nine octets", message("\0\0\0\0\0\0\0\0\x01"sv, kAbandon), DecodeFault::kDisconnect},
      {"id padded", message("\0\0\0\x01"sv, kAbandon), DecodeFault::kNone},
      {"id is no integer", tlv(0x30, tlv(0x04, id) + kAbandon), DecodeFault::kDisconnect},
      {"no operation", message(id, ""), DecodeFault::kDisconnect},
      {"unknown operation", message(id, tlv(0x7e, "")), DecodeFault::kDisconnect},
      {"primitive search", message(id, tlv(0x43, "")), DecodeFault::kDisconnect},
      {"constructed delete", message(id, tlv(0x6a, "")), DecodeFault::kDisconnect},
      {"a response", message(id, tlv(0x65, "\x0a\x01\0\x04\0\x04\0"sv)), DecodeFault::kDisconnect},
      {"operation past the end", tlv(0x30, "\x02\x01\x01\x50\x02\x05"sv), DecodeFault::kDisconnect},
      {"empty controls", message(id, kAbandon + tlv(0xa0, "")), DecodeFault::kNone},
      {"empty control", message(id, kAbandon + tlv(0xa0, tlv(0x30, ""))), DecodeFault::kProtocol},
      {"empty control type", message(id, kAbandon + tlv(0xa0, tlv(0x30, tlv(0x04, "")))),
       DecodeFault::kProtocol},
      {"control is no sequence", message(id, kAbandon + tlv(0xa0, tlv(0x04, "1.2"))),
       DecodeFault::kProtocol},
      {"criticality of two octets",
       message(id, kAbandon + tlv(0xa0, tlv(0x30, tlv(0x04, "1.2") + tlv(0x01, "\x01\x01")))),
       DecodeFault::kProtocol},
      {"controls past the end", message(id, kAbandon + "\xa0\x05\x30"s), DecodeFault::kDisconnect},
      {"unknown element behind", message(id, kAbandon + tlv(0x04, "later")), DecodeFault::kNone},
      {"unknown element behind controls",
       message(id, kAbandon + tlv(0xa0, "") + tlv(0xaa, tlv(0x02, "\x01"))), DecodeFault::kNone},
      {"broken element behind", message(id, kAbandon + "\x04\x05"s), DecodeFault::kDisconnect},
  };
}

TEST(MessageTest, NamedEnvelopes) {
  Message out;
  for (const Envelope& c : envelopes()) {
    const DecodeResult result = decode_message(c.octets, out);
    EXPECT_EQ(result.fault, c.fault) << c.name;
    EXPECT_EQ(result.why == nullptr, result.ok()) << c.name;
    if (result.ok()) {
      EXPECT_EQ(out.body, "\x05") << c.name;
    }
  }
}

TEST(MessageTest, BrokenControlLeavesIdAndOperationKnown) {
  Message out;
  const std::string octets = message("\x07", tlv(0x4a, "dc=x") + tlv(0xa0, tlv(0x30, "")));
  EXPECT_EQ(decode_message(octets, out).fault, DecodeFault::kProtocol);
  EXPECT_EQ(out.id, 7);
  EXPECT_EQ(response_to(out.tag), Operation::kDelResponse);
}

TEST(MessageTest, ControlsAreRead) {
  std::string octets;
  append_delete_request(octets, 9, "dc=x",
                        {{"1.2.3", true, "v"}, {"1.2.4", false, {}}, {"1.2.5", true, ""}});
  Message out;
  ASSERT_TRUE(decode_message(octets, out).ok());
  EXPECT_EQ(out.body, "dc=x");
  ASSERT_EQ(out.controls.size(), 3U);
  EXPECT_EQ(out.controls[0].oid, "1.2.3");
  EXPECT_TRUE(out.controls[0].critical);
  EXPECT_EQ(out.controls[0].value, "v");
  EXPECT_FALSE(out.controls[1].critical);
  EXPECT_FALSE(out.controls[1].value.has_value());
  EXPECT_EQ(out.controls[2].value, "");
  // Used again, the object forgets the controls.
  octets.clear();
  append_unbind_request(octets, 10);
  ASSERT_TRUE(decode_message(octets, out).ok());
  EXPECT_EQ(out.tag, kUnbindRequestTag);
  EXPECT_TRUE(out.controls.empty());
}

TEST(MessageTest, ControlsUpToTheLimit) {
  for (const std::size_t count :
       {limits::kControlsMax, limits::kControlsMax + 1, std::size_t{50000}}) {
    std::string octets;
    append_delete_request(octets, 1, "", std::vector<Control>(count, {"1.2.3", false, {}}));
    Message out;
    const DecodeResult result = decode_message(octets, out);
    EXPECT_EQ(result.fault,
              count <= limits::kControlsMax ? DecodeFault::kNone : DecodeFault::kUnwilling);
    EXPECT_LE(out.controls.size(), limits::kControlsMax);
    EXPECT_EQ(out.id, 1);
  }
}

TEST(MessageTest, ClientReadsUnsolicitedNotifications) {
  std::string octets;
  append_notice_of_disconnection(octets, ResultCode::kProtocolError, "broken");
  Message out;
  EXPECT_EQ(decode_message(octets, out).fault, DecodeFault::kDisconnect);
  ASSERT_TRUE(decode_message(octets, out, Sender::kServer).ok());
  EXPECT_EQ(out.id, 0);
  ExtendedResponseView response;
  ASSERT_TRUE(decode_extended_response(out.body, response));
  EXPECT_EQ(response.result.code, ResultCode::kProtocolError);
  EXPECT_EQ(response.result.diagnostic, "broken");
  EXPECT_EQ(response.name, oids::kNoticeOfDisconnection);
  octets.clear();
  append_unbind_request(octets, 1);
  EXPECT_EQ(decode_message(octets, out, Sender::kServer).fault, DecodeFault::kDisconnect);
}

TEST(MessageTest, EveryCutOfAMessageIsRefused) {
  std::string octets;
  append_search_request(octets, 3, {.base = "dc=x", .attributes = {"cn", "sn"}},
                        *parse_filter("(&(cn=a*b)(!(sn=x)))"), {{"1.2", true, "v"}});
  Message out;
  for (std::size_t size = 0; size < octets.size(); ++size) {
    const std::string cut = octets.substr(0, size);
    EXPECT_EQ(decode_message(cut, out).fault, DecodeFault::kDisconnect) << size;
    const ber::Frame frame = ber::find_message(cut, 1000);
    EXPECT_EQ(frame.state, ber::Frame::State::kIncomplete) << size;
  }
  EXPECT_TRUE(decode_message(octets, out).ok());
  EXPECT_EQ(ber::find_message(octets, 1000).state, ber::Frame::State::kComplete);
}

// H14.
TEST(MessageTest, LongFormLengthsAreReadAsShortOnes) {
  const Filter filter = parse_filter("(|(cn=ab*c*d)(cn:dn:2.5.13.5:=x)(!(sn>=1)))").value();
  std::string octets;
  append_search_request(octets, 77, {.base = "dc=x", .size_limit = 500, .attributes = {"*", "+"}},
                        filter, {{"1.2.3", true, "v"}});
  const std::string long_form = with_long_lengths(octets);
  ASSERT_EQ(ber::find_message(long_form, 10000).size, long_form.size());
  Message out;
  ASSERT_TRUE(decode_message(long_form, out).ok());
  EXPECT_EQ(out.id, 77);
  ASSERT_EQ(out.controls.size(), 1U);
  SearchRequest search;
  ASSERT_TRUE(decode_search(out.body, search).ok());
  EXPECT_EQ(search.size_limit, 500);
  EXPECT_EQ(to_string(search.filter), to_string(filter));
  EXPECT_EQ(search.attributes.size(), 2U);
}

TEST(MessageTest, DiagnosticsAreTextThatClientsCanPrint) {
  std::string octets;
  append_result(octets, 5, Operation::kModifyResponse,
                failure(ResultCode::kOther, "J\xC3\xB6rg has \x1B[2J and \xFF"), {});
  Message out;
  ASSERT_TRUE(decode_message(octets, out, Sender::kServer).ok());
  ResultView view;
  std::string_view rest;
  ASSERT_TRUE(decode_result(out.body, view, &rest));
  EXPECT_EQ(view.diagnostic, "J\xC3\xB6rg has \\1b[2J and \\ff");
}

TEST(MessageTest, ResponsesAreReadBack) {
  OperationResult result = failure(ResultCode::kReferral, "elsewhere", "dc=x");
  result.referrals = {"ldap://a/", "ldap://b/"};
  std::string octets;
  append_result(octets, 5, Operation::kModifyResponse, result, {{"1.2", false, "v"}});
  Message out;
  ASSERT_TRUE(decode_message(octets, out, Sender::kServer).ok());
  EXPECT_EQ(out.tag, 0x67);
  ASSERT_EQ(out.controls.size(), 1U);
  ResultView view;
  std::string_view rest;
  ASSERT_TRUE(decode_result(out.body, view, &rest));
  EXPECT_EQ(view.code, ResultCode::kReferral);
  EXPECT_EQ(view.matched_dn, "dc=x");
  EXPECT_EQ(view.diagnostic, "elsewhere");
  EXPECT_EQ(view.referrals, (std::vector<std::string_view>{"ldap://a/", "ldap://b/"}));
  EXPECT_TRUE(rest.empty());
  for (std::size_t size = 0; size < out.body.size(); ++size) {
    // Only the cut just before the referrals leaves a whole result.
    const std::string cut(out.body.substr(0, size));
    if (decode_result(cut, view)) {
      EXPECT_TRUE(view.referrals.empty()) << size;
    }
  }
}

TEST(MessageTest, SuccessIsTheWellKnownOctets) {
  std::string octets;
  append_result(octets, 2, Operation::kSearchResultDone, {});
  EXPECT_EQ(octets, "\x30\x0c\x02\x01\x02\x65\x07\x0a\x01\x00\x04\x00\x04\x00"s);
}

TEST(MessageTest, ResultCodesAboveOneOctetAreKept) {
  std::string octets;
  append_result(octets, 2, Operation::kDelResponse,
                failure(static_cast<ResultCode>(4096), "e-sync"));
  Message out;
  ASSERT_TRUE(decode_message(octets, out, Sender::kServer).ok());
  ResultView view;
  ASSERT_TRUE(decode_result(out.body, view));
  EXPECT_EQ(static_cast<int>(view.code), 4096);
  EXPECT_EQ(to_string(view.code), "result code 4096");
  EXPECT_EQ(to_string(ResultCode::kNoSuchObject), "noSuchObject");
  EXPECT_EQ(to_string(ResultCode::kSuccess), "success");
  EXPECT_EQ(to_string(ResultCode::kAuthorizationDenied), "authorizationDenied");
  EXPECT_EQ(to_string(static_cast<ResultCode>(9)), "result code 9");
  EXPECT_EQ(to_string(static_cast<ResultCode>(124)), "result code 124");
}

TEST(MessageTest, BindAndExtendedResponsesCarryTheirExtras) {
  std::string octets;
  append_bind_response(octets, 1, failure(ResultCode::kSaslBindInProgress, ""),
                       {.server_sasl_credentials = "challenge"});
  Message out;
  ASSERT_TRUE(decode_message(octets, out, Sender::kServer).ok());
  BindResponseView bind;
  ASSERT_TRUE(decode_bind_response(out.body, bind));
  EXPECT_EQ(bind.result.code, ResultCode::kSaslBindInProgress);
  EXPECT_EQ(bind.server_sasl_credentials, "challenge");

  octets.clear();
  append_extended_response(octets, 2, {}, {.name = {}, .value = ""});
  ASSERT_TRUE(decode_message(octets, out, Sender::kServer).ok());
  ExtendedResponseView extended;
  ASSERT_TRUE(decode_extended_response(out.body, extended));
  EXPECT_FALSE(extended.name.has_value());
  EXPECT_EQ(extended.value, "");

  octets.clear();
  append_intermediate_response(octets, 3, {.name = oids::kSyncInfo, .value = "v"});
  ASSERT_TRUE(decode_message(octets, out, Sender::kServer).ok());
  IntermediateResponseView intermediate;
  ASSERT_TRUE(decode_intermediate_response(out.body, intermediate));
  EXPECT_EQ(intermediate.name, oids::kSyncInfo);
  EXPECT_EQ(intermediate.value, "v");
}

TEST(MessageTest, EntriesAreReadBackWhateverTheirSize) {
  for (const std::size_t size : {0U, 1U, 100U, 127U, 128U, 5000U, 70000U}) {
    std::string attributes;
    const std::string value(size, 'v');
    append_attribute(attributes, "cn", {value, "second"});
    append_attribute(attributes, "sn", {});
    std::string by_head;
    append_search_entry_head(by_head, 123456, "cn=a,dc=x", attributes.size());
    by_head += attributes;
    std::string whole;
    append_search_entry(whole, 123456, "cn=a,dc=x", attributes, {});
    EXPECT_EQ(by_head, whole);
    std::string with_control;
    append_search_entry(with_control, 123456, "cn=a,dc=x", attributes, {{"1.2", false, "v"}});
    for (const std::string* octets : {&by_head, &with_control}) {
      Message out;
      ASSERT_TRUE(decode_message(*octets, out, Sender::kServer).ok());
      EXPECT_EQ(out.controls.size(), octets == &with_control ? 1U : 0U);
      EntryMessageView entry;
      ASSERT_TRUE(decode_search_entry(out.body, entry));
      EXPECT_EQ(entry.dn, "cn=a,dc=x");
      ASSERT_EQ(entry.attributes.size(), 2U);
      EXPECT_EQ(entry.attributes[0].values, (std::vector<std::string_view>{value, "second"}));
      EXPECT_TRUE(entry.attributes[1].values.empty());
    }
  }
}

TEST(MessageTest, SearchReferencesAreReadBack) {
  std::string octets;
  append_search_reference(octets, 4, {"ldap://a/dc=x", "ldap://b/"});
  Message out;
  ASSERT_TRUE(decode_message(octets, out, Sender::kServer).ok());
  std::vector<std::string_view> uris;
  ASSERT_TRUE(decode_search_reference(out.body, uris));
  EXPECT_EQ(uris, (std::vector<std::string_view>{"ldap://a/dc=x", "ldap://b/"}));
  EXPECT_FALSE(decode_search_reference("", uris));
}

}  // namespace
}  // namespace kauri::ldap
