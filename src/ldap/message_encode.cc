// Responses (RFC 4511 sections 4.1.9, 4.2.2, 4.4, 4.5.2, 4.12, 4.13) and the envelope around them.
#include "ldap/encode_support.h"
#include "ldap/message.h"
#include "ldap/oids.h"
#include "text/visible.h"

namespace kauri::ldap {
namespace {

constexpr ber::Tag kReferralTag = ber::context_constructed(3);
constexpr ber::Tag kServerSaslCredentialsTag = ber::context(7);
constexpr ber::Tag kResponseNameTag = ber::context(10);
constexpr ber::Tag kResponseValueTag = ber::context(11);

ber::Tag tag_of(Operation operation) {
  return ber::application_constructed(static_cast<unsigned>(operation));
}

// The fields of LDAPResult, without an enclosing element.
void write_result(ber::Writer& writer, const OperationResult& result) {
  writer.enumerated(static_cast<std::int64_t>(result.code));
  writer.octet_string(result.matched_dn);
  // It is an LDAPString, and clients print it: whatever a message quotes, neither suffers.
  if (text::is_visible(result.diagnostic)) {
    writer.octet_string(result.diagnostic);
  } else {
    writer.octet_string(text::visible(result.diagnostic));
  }
  if (result.referrals.empty()) return;
  writer.begin(kReferralTag);
  for (const std::string& uri : result.referrals) writer.octet_string(uri);
  writer.end();
}

std::size_t element_size(std::size_t contents) {
  return ber::header_size(contents) + contents;
}

}  // namespace

void internal::begin_message(ber::Writer& writer, MessageId id) {
  writer.begin(ber::kSequence);
  writer.integer(id);
}

void internal::end_message(ber::Writer& writer, const std::vector<Control>& controls) {
  if (!controls.empty()) {
    writer.begin(ber::context_constructed(0));
    for (const Control& control : controls) {
      writer.begin(ber::kSequence);
      writer.octet_string(control.oid);
      if (control.critical) writer.boolean(true);
      if (control.value.has_value()) writer.octet_string(*control.value);
      writer.end();
    }
    writer.end();
  }
  writer.end();
}

void append_result(std::string& out, MessageId id, Operation response,
                   const OperationResult& result, const std::vector<Control>& controls) {
  ber::Writer writer(out);
  internal::begin_message(writer, id);
  writer.begin(tag_of(response));
  write_result(writer, result);
  writer.end();
  internal::end_message(writer, controls);
}

void append_bind_response(std::string& out, MessageId id, const OperationResult& result,
                          const BindExtras& extras, const std::vector<Control>& controls) {
  ber::Writer writer(out);
  internal::begin_message(writer, id);
  writer.begin(tag_of(Operation::kBindResponse));
  write_result(writer, result);
  if (extras.server_sasl_credentials.has_value()) {
    writer.octet_string(*extras.server_sasl_credentials, kServerSaslCredentialsTag);
  }
  writer.end();
  internal::end_message(writer, controls);
}

void append_extended_response(std::string& out, MessageId id, const OperationResult& result,
                              const ExtendedExtras& extras, const std::vector<Control>& controls) {
  ber::Writer writer(out);
  internal::begin_message(writer, id);
  writer.begin(tag_of(Operation::kExtendedResponse));
  write_result(writer, result);
  if (!extras.name.empty()) writer.octet_string(extras.name, kResponseNameTag);
  if (extras.value.has_value()) writer.octet_string(*extras.value, kResponseValueTag);
  writer.end();
  internal::end_message(writer, controls);
}

void append_intermediate_response(std::string& out, MessageId id, const ExtendedExtras& extras,
                                  const std::vector<Control>& controls) {
  ber::Writer writer(out);
  internal::begin_message(writer, id);
  writer.begin(tag_of(Operation::kIntermediateResponse));
  if (!extras.name.empty()) writer.octet_string(extras.name, ber::context(0));
  if (extras.value.has_value()) writer.octet_string(*extras.value, ber::context(1));
  writer.end();
  internal::end_message(writer, controls);
}

void append_search_reference(std::string& out, MessageId id, const std::vector<std::string>& uris,
                             const std::vector<Control>& controls) {
  ber::Writer writer(out);
  internal::begin_message(writer, id);
  writer.begin(tag_of(Operation::kSearchResultReference));
  for (const std::string& uri : uris) writer.octet_string(uri);
  writer.end();
  internal::end_message(writer, controls);
}

void append_notice_of_disconnection(std::string& out, ResultCode code,
                                    std::string_view diagnostic) {
  append_extended_response(out, 0, failure(code, std::string(diagnostic)),
                           {.name = oids::kNoticeOfDisconnection, .value = {}});
}

void append_search_entry_head(std::string& out, MessageId id, std::string_view dn,
                              std::size_t attributes_size) {
  const std::size_t operation = element_size(dn.size()) + element_size(attributes_size);
  ber::append_header(out, ber::kSequence,
                     element_size(ber::integer_size(id)) + element_size(operation));
  ber::Writer writer(out);
  writer.integer(id);
  ber::append_header(out, tag_of(Operation::kSearchResultEntry), operation);
  writer.octet_string(dn);
  ber::append_header(out, ber::kSequence, attributes_size);
}

void append_search_entry(std::string& out, MessageId id, std::string_view dn,
                         std::string_view attributes, const std::vector<Control>& controls) {
  ber::Writer writer(out);
  internal::begin_message(writer, id);
  const std::size_t operation = element_size(dn.size()) + element_size(attributes.size());
  ber::append_header(out, tag_of(Operation::kSearchResultEntry), operation);
  writer.octet_string(dn);
  ber::append_header(out, ber::kSequence, attributes.size());
  writer.raw(attributes);
  internal::end_message(writer, controls);
}

}  // namespace kauri::ldap
