// LDAPMessage envelope and the ten request bodies (RFC 4511 section 4), decoded as views; responses
// appended as BER.
//
// VALID UNTIL: every string_view in a request points into the message octets. Objects are meant to
// be reused: decoding clears vectors but keeps their capacity. Thread safety: thread-compatible.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ber/reader.h"
#include "ber/writer.h"
#include "ldap/filter.h"
#include "ldap/result_code.h"

namespace kauri::ldap {

using MessageId = std::int32_t;
inline constexpr MessageId kMessageIdMax = 2147483647;

enum class Operation : std::uint8_t {  // application tag numbers
  kBindRequest = 0,
  kBindResponse = 1,
  kUnbindRequest = 2,
  kSearchRequest = 3,
  kSearchResultEntry = 4,
  kSearchResultDone = 5,
  kModifyRequest = 6,
  kModifyResponse = 7,
  kAddRequest = 8,
  kAddResponse = 9,
  kDelRequest = 10,
  kDelResponse = 11,
  kModifyDnRequest = 12,
  kModifyDnResponse = 13,
  kCompareRequest = 14,
  kCompareResponse = 15,
  kAbandonRequest = 16,
  kSearchResultReference = 19,
  kExtendedRequest = 23,
  kExtendedResponse = 24,
  kIntermediateResponse = 25,
};

// The three requests whose body is one primitive value.
inline constexpr ber::Tag kUnbindRequestTag = ber::application(2);
inline constexpr ber::Tag kDelRequestTag = ber::application(10);
inline constexpr ber::Tag kAbandonRequestTag = ber::application(16);

struct ControlView {
  std::string_view oid;
  bool critical = false;
  std::optional<std::string_view> value;
};

struct Message {
  MessageId id = 0;
  ber::Tag tag = 0;  // tag of the protocolOp
  std::string_view
      body;  // contents of the protocolOp (for Unbind empty, for Del the DN, Abandon the id)
  std::vector<ControlView> controls;
};

// What to do about a message that cannot be served.
enum class DecodeFault : std::uint8_t {
  kNone,
  kDisconnect,  // envelope broken: Notice of Disconnection (protocolError) and close (RFC 4511
                // sections 4.1.1, 4.4.1)
  kProtocol,    // the operation's body is broken: its response carries protocolError
  kAdminLimit,  // a limit of base/limits.h: its response carries adminLimitExceeded
  kUnwilling,   // too many controls: unwillingToPerform
};
struct DecodeResult {
  DecodeFault fault = DecodeFault::kNone;
  const char* why = nullptr;  // static sentence
  bool ok() const { return fault == DecodeFault::kNone; }
};

// Who wrote a message: a client sends requests with an id of 1 and more; a server sends responses,
// and id 0 in unsolicited notifications (RFC 4511 section 4.4).
enum class Sender : std::uint8_t { kClient, kServer };

// `octets` is exactly one LDAPMessage, header included. Message ID 0 from a client, negative or
// > 2^31-1: kDisconnect, as is a protocolOp that the sender may not send. kProtocol and kUnwilling
// are about the controls; id, tag and body are set then.
DecodeResult decode_message(std::string_view octets, Message& out, Sender sender = Sender::kClient);

struct BindRequest {
  std::int64_t version = 0;
  std::string_view name;
  enum class Method : std::uint8_t { kSimple, kSasl, kUnknown } method = Method::kUnknown;
  std::string_view password;   // simple
  std::string_view mechanism;  // SASL
  std::optional<std::string_view> credentials;
};

enum class Scope : std::uint8_t { kBase = 0, kOneLevel = 1, kSubtree = 2, kSubordinate = 3 };
enum class DerefAliases : std::uint8_t {
  kNever = 0,
  kInSearching = 1,
  kFindingBase = 2,
  kAlways = 3
};
struct SearchRequest {
  std::string_view base;
  Scope scope = Scope::kBase;
  DerefAliases deref = DerefAliases::kNever;
  std::int32_t size_limit = 0;
  std::int32_t time_limit = 0;  // seconds
  bool types_only = false;
  Filter filter;
  std::vector<std::string_view> attributes;
};

struct AttributeView {
  std::string_view description;
  std::vector<std::string_view> values;
};
enum class ModifyOperation : std::uint8_t { kAdd = 0, kDelete = 1, kReplace = 2, kIncrement = 3 };
struct ModificationView {
  ModifyOperation operation = ModifyOperation::kAdd;
  AttributeView attribute;
};
struct ModifyRequest {
  std::string_view dn;
  std::vector<ModificationView> modifications;
};
struct AddRequest {
  std::string_view dn;
  std::vector<AttributeView> attributes;  // each with at least one value, else protocolError
};
struct ModifyDnRequest {
  std::string_view dn;
  std::string_view new_rdn;
  bool delete_old_rdn = false;
  std::optional<std::string_view> new_superior;
};
struct CompareRequest {
  std::string_view dn;
  std::string_view attribute;
  std::string_view value;
};
struct ExtendedRequest {
  std::string_view oid;
  std::optional<std::string_view> value;
};

DecodeResult decode_bind(std::string_view body, BindRequest& out);
DecodeResult decode_search(std::string_view body, SearchRequest& out);
DecodeResult decode_modify(std::string_view body, ModifyRequest& out);
DecodeResult decode_add(std::string_view body, AddRequest& out);
DecodeResult decode_modify_dn(std::string_view body, ModifyDnRequest& out);
DecodeResult decode_compare(std::string_view body, CompareRequest& out);
DecodeResult decode_extended(std::string_view body, ExtendedRequest& out);
// The id that an Abandon names; 0 when the body is broken.
MessageId decode_abandon(std::string_view body);

// The application number of the response to a request; for those without one (unbind, abandon)
// nothing.
std::optional<Operation> response_to(ber::Tag request_tag);

struct Control {
  std::string oid = {};
  bool critical = false;
  std::optional<std::string> value = {};
};

// Appends a whole LDAPMessage with an LDAPResult of application tag `response`.
void append_result(std::string& out, MessageId id, Operation response,
                   const OperationResult& result, const std::vector<Control>& controls = {});
struct BindExtras {
  std::optional<std::string_view> server_sasl_credentials = {};
};
void append_bind_response(std::string& out, MessageId id, const OperationResult& result,
                          const BindExtras& extras = {}, const std::vector<Control>& controls = {});
struct ExtendedExtras {
  std::string_view name = {};                  // responseName; empty = absent
  std::optional<std::string_view> value = {};  // responseValue
};
void append_extended_response(std::string& out, MessageId id, const OperationResult& result,
                              const ExtendedExtras& extras = {},
                              const std::vector<Control>& controls = {});
// RFC 4511 section 4.13; both extras may be absent.
void append_intermediate_response(std::string& out, MessageId id, const ExtendedExtras& extras,
                                  const std::vector<Control>& controls = {});
void append_search_reference(std::string& out, MessageId id, const std::vector<std::string>& uris,
                             const std::vector<Control>& controls = {});
// Message ID 0, name 1.3.6.1.4.1.1466.20036 (RFC 4511 section 4.4.1).
void append_notice_of_disconnection(std::string& out, ResultCode code, std::string_view diagnostic);
// The message up to and including the header of the PartialAttributeList: the caller appends
// exactly `attributes_size` octets of encoded PartialAttributes next. No controls.
void append_search_entry_head(std::string& out, MessageId id, std::string_view dn,
                              std::size_t attributes_size);
// Ends an entry message that carries controls too: [0] Controls is written behind the entry.
void append_search_entry(std::string& out, MessageId id, std::string_view dn,
                         std::string_view attributes, const std::vector<Control>& controls);

// --- For clients (the toolkit and tests) ---
void append_request(std::string& out, MessageId id, ber::Tag tag, std::string_view body,
                    const std::vector<Control>& controls = {});
struct SearchRequestText {  // what append_search takes; plain values
  std::string base = {};
  Scope scope = Scope::kSubtree;
  DerefAliases deref = DerefAliases::kNever;
  std::int32_t size_limit = 0;
  std::int32_t time_limit = 0;
  bool types_only = false;
  std::vector<std::string> attributes = {};
};
void append_search_request(std::string& out, MessageId id, const SearchRequestText& request,
                           const Filter& filter, const std::vector<Control>& controls = {});
void append_simple_bind_request(std::string& out, MessageId id, std::string_view dn,
                                std::string_view password);
struct ResultView {
  ResultCode code = ResultCode::kSuccess;
  std::string_view matched_dn;
  std::string_view diagnostic;
  std::vector<std::string_view> referrals;
};
// Reads an LDAPResult at the head of `body`; `rest` gets what follows it.
bool decode_result(std::string_view body, ResultView& out, std::string_view* rest = nullptr);
struct EntryMessageView {
  std::string_view dn;
  std::vector<AttributeView> attributes;
};
bool decode_search_entry(std::string_view body, EntryMessageView& out);

}  // namespace kauri::ldap
