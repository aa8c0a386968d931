// Requests as a client writes them (RFC 4511 sections 4.2 to 4.12).
#include "ldap/client.h"
#include "ldap/encode_support.h"

namespace kauri::ldap {
namespace {

using internal::begin_message;
using internal::end_message;

constexpr std::int64_t kProtocolVersion = 3;

ber::Tag tag_of(Operation operation) {
  return ber::application_constructed(static_cast<unsigned>(operation));
}

void write_attribute(ber::Writer& writer, std::string_view description,
                     const std::vector<std::string_view>& values) {
  writer.begin(ber::kSequence);
  writer.octet_string(description);
  writer.begin(ber::kSet);
  for (const std::string_view value : values) writer.octet_string(value);
  writer.end();
  writer.end();
}

}  // namespace

void append_request(std::string& out, MessageId id, ber::Tag tag, std::string_view body,
                    const std::vector<Control>& controls) {
  ber::Writer writer(out);
  begin_message(writer, id);
  writer.octet_string(body, tag);
  end_message(writer, controls);
}

void append_search_request(std::string& out, MessageId id, const SearchRequestText& request,
                           const Filter& filter, const std::vector<Control>& controls) {
  ber::Writer writer(out);
  begin_message(writer, id);
  writer.begin(tag_of(Operation::kSearchRequest));
  writer.octet_string(request.base);
  writer.enumerated(static_cast<std::int64_t>(request.scope));
  writer.enumerated(static_cast<std::int64_t>(request.deref));
  writer.integer(request.size_limit);
  writer.integer(request.time_limit);
  writer.boolean(request.types_only);
  encode_filter(writer, filter);
  writer.begin(ber::kSequence);
  for (const std::string& attribute : request.attributes) writer.octet_string(attribute);
  writer.end();
  writer.end();
  end_message(writer, controls);
}

void append_simple_bind_request(std::string& out, MessageId id, std::string_view dn,
                                std::string_view password) {
  ber::Writer writer(out);
  begin_message(writer, id);
  writer.begin(tag_of(Operation::kBindRequest));
  writer.integer(kProtocolVersion);
  writer.octet_string(dn);
  writer.octet_string(password, ber::context(0));
  writer.end();
  end_message(writer, {});
}

void append_sasl_bind_request(std::string& out, MessageId id, std::string_view dn,
                              std::string_view mechanism,
                              std::optional<std::string_view> credentials,
                              const std::vector<Control>& controls) {
  ber::Writer writer(out);
  begin_message(writer, id);
  writer.begin(tag_of(Operation::kBindRequest));
  writer.integer(kProtocolVersion);
  writer.octet_string(dn);
  writer.begin(ber::context_constructed(3));
  writer.octet_string(mechanism);
  if (credentials.has_value()) writer.octet_string(*credentials);
  writer.end();
  writer.end();
  end_message(writer, controls);
}

void append_unbind_request(std::string& out, MessageId id) {
  append_request(out, id, kUnbindRequestTag, {});
}

void append_add_request(std::string& out, MessageId id, std::string_view dn,
                        const std::vector<AttributeView>& attributes,
                        const std::vector<Control>& controls) {
  ber::Writer writer(out);
  begin_message(writer, id);
  writer.begin(tag_of(Operation::kAddRequest));
  writer.octet_string(dn);
  writer.begin(ber::kSequence);
  for (const AttributeView& attribute : attributes) {
    write_attribute(writer, attribute.description, attribute.values);
  }
  writer.end();
  writer.end();
  end_message(writer, controls);
}

void append_modify_request(std::string& out, MessageId id, std::string_view dn,
                           const std::vector<ModificationView>& modifications,
                           const std::vector<Control>& controls) {
  ber::Writer writer(out);
  begin_message(writer, id);
  writer.begin(tag_of(Operation::kModifyRequest));
  writer.octet_string(dn);
  writer.begin(ber::kSequence);
  for (const ModificationView& modification : modifications) {
    writer.begin(ber::kSequence);
    writer.enumerated(static_cast<std::int64_t>(modification.operation));
    write_attribute(writer, modification.attribute.description, modification.attribute.values);
    writer.end();
  }
  writer.end();
  writer.end();
  end_message(writer, controls);
}

void append_delete_request(std::string& out, MessageId id, std::string_view dn,
                           const std::vector<Control>& controls) {
  append_request(out, id, kDelRequestTag, dn, controls);
}

void append_modify_dn_request(std::string& out, MessageId id, const ModifyDnRequest& request,
                              const std::vector<Control>& controls) {
  ber::Writer writer(out);
  begin_message(writer, id);
  writer.begin(tag_of(Operation::kModifyDnRequest));
  writer.octet_string(request.dn);
  writer.octet_string(request.new_rdn);
  writer.boolean(request.delete_old_rdn);
  if (request.new_superior.has_value()) {
    writer.octet_string(*request.new_superior, ber::context(0));
  }
  writer.end();
  end_message(writer, controls);
}

void append_compare_request(std::string& out, MessageId id, const CompareRequest& request,
                            const std::vector<Control>& controls) {
  ber::Writer writer(out);
  begin_message(writer, id);
  writer.begin(tag_of(Operation::kCompareRequest));
  writer.octet_string(request.dn);
  writer.begin(ber::kSequence);
  writer.octet_string(request.attribute);
  writer.octet_string(request.value);
  writer.end();
  writer.end();
  end_message(writer, controls);
}

void append_extended_request(std::string& out, MessageId id, const ExtendedRequest& request,
                             const std::vector<Control>& controls) {
  ber::Writer writer(out);
  begin_message(writer, id);
  writer.begin(tag_of(Operation::kExtendedRequest));
  writer.octet_string(request.oid, ber::context(0));
  if (request.value.has_value()) writer.octet_string(*request.value, ber::context(1));
  writer.end();
  end_message(writer, controls);
}

void append_abandon_request(std::string& out, MessageId id, MessageId abandoned) {
  ber::Writer writer(out);
  begin_message(writer, id);
  writer.integer(abandoned, kAbandonRequestTag);
  end_message(writer, {});
}

void append_attribute(std::string& out, std::string_view description,
                      const std::vector<std::string_view>& values) {
  ber::Writer writer(out);
  write_attribute(writer, description, values);
}

}  // namespace kauri::ldap
