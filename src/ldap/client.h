// The client's half of RFC 4511 beyond message.h: every request as octets, every response as views.
//
// VALID UNTIL: views in decoded responses point into the message octets. Decoders return false for
// a broken body and leave `out` unspecified. Thread safety: immutable functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ldap/message.h"

namespace kauri::ldap {

// --- Requests ---
void append_sasl_bind_request(std::string& out, MessageId id, std::string_view dn,
                              std::string_view mechanism,
                              std::optional<std::string_view> credentials,
                              const std::vector<Control>& controls = {});
void append_unbind_request(std::string& out, MessageId id);
void append_add_request(std::string& out, MessageId id, std::string_view dn,
                        const std::vector<AttributeView>& attributes,
                        const std::vector<Control>& controls = {});
void append_modify_request(std::string& out, MessageId id, std::string_view dn,
                           const std::vector<ModificationView>& modifications,
                           const std::vector<Control>& controls = {});
void append_delete_request(std::string& out, MessageId id, std::string_view dn,
                           const std::vector<Control>& controls = {});
void append_modify_dn_request(std::string& out, MessageId id, const ModifyDnRequest& request,
                              const std::vector<Control>& controls = {});
void append_compare_request(std::string& out, MessageId id, const CompareRequest& request,
                            const std::vector<Control>& controls = {});
void append_extended_request(std::string& out, MessageId id, const ExtendedRequest& request,
                             const std::vector<Control>& controls = {});
void append_abandon_request(std::string& out, MessageId id, MessageId abandoned);

// One PartialAttribute (RFC 4511 section 4.1.7), as entries and add requests carry it.
void append_attribute(std::string& out, std::string_view description,
                      const std::vector<std::string_view>& values);

// --- Responses ---
struct BindResponseView {
  ResultView result;
  std::optional<std::string_view> server_sasl_credentials;
};
bool decode_bind_response(std::string_view body, BindResponseView& out);

struct ExtendedResponseView {
  ResultView result;
  std::optional<std::string_view> name;
  std::optional<std::string_view> value;
};
bool decode_extended_response(std::string_view body, ExtendedResponseView& out);

struct IntermediateResponseView {
  std::optional<std::string_view> name;
  std::optional<std::string_view> value;
};
bool decode_intermediate_response(std::string_view body, IntermediateResponseView& out);

// At least one URI, else false.
bool decode_search_reference(std::string_view body, std::vector<std::string_view>& uris);

}  // namespace kauri::ldap
