#include "operation/testing/model_request.h"

#include <algorithm>

#include "base/assert.h"
#include "ber/writer.h"
#include "ldap/client.h"
#include "ldap/oids.h"

namespace kauri::operation::testing {
namespace {

using Kind = ModelRequest::Kind;

std::string escape(std::string_view value) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (const char octet : value) {
    const auto number = static_cast<unsigned char>(octet);
    const bool plain = number >= 0x20 && number < 0x7f && octet != '*' && octet != '(' &&
                       octet != ')' && octet != '\\';
    if (plain) {
      out += octet;
      continue;
    }
    out += '\\';
    out += kHex[number >> 4U];
    out += kHex[number & 15U];
  }
  return out;
}

std::vector<std::string_view> views(const std::vector<std::string>& values) {
  return {values.begin(), values.end()};
}

std::string paged_control(std::uint32_t size, std::string_view cookie) {
  std::string value;
  ber::Writer writer(value);
  writer.begin(ber::kSequence);
  writer.integer(size);
  writer.octet_string(cookie);
  writer.end();
  return value;
}

void append_search(std::string& out, ldap::MessageId id, const ModelRequest& request,
                   std::string_view cookie, std::vector<ldap::Control> controls) {
  const std::string text = request.filter.text();
  const auto filter = ldap::parse_filter(text);
  KAURI_ASSERT(filter.has_value());
  ldap::SearchRequestText search;
  search.base = request.dn;
  search.scope = request.scope;
  search.attributes = request.attributes;
  search.types_only = request.types_only;
  search.size_limit = request.size_limit;
  search.deref = request.deref;
  if (request.page_size != 0) {
    controls.push_back(
        {std::string(ldap::oids::kPagedResults), true, paged_control(request.page_size, cookie)});
  }
  ldap::append_search_request(out, id, search, *filter, controls);
}

void append_changes(std::string& out, const std::vector<ModelChange>& changes) {
  constexpr std::string_view kNames[] = {"add", "delete", "replace", "increment"};
  for (const ModelChange& change : changes) {
    out += ' ';
    out += kNames[static_cast<std::size_t>(change.operation)];
    out += ' ' + change.attribute + ':';
    const std::size_t shown = std::min<std::size_t>(change.values.size(), 4);
    for (std::size_t i = 0; i < shown; ++i) out += " '" + change.values[i] + "'";
    if (shown < change.values.size())
      out += " ... of " + std::to_string(change.values.size()) + " values";
  }
}

}  // namespace

std::string FilterTree::text() const {
  std::string out = "(";
  switch (kind) {
    case Kind::kAnd:
    case Kind::kOr:
    case Kind::kNot:
      out += kind == Kind::kAnd ? '&' : kind == Kind::kOr ? '|' : '!';
      for (const FilterTree& child : children) out += child.text();
      break;
    case Kind::kPresent:
      out += attribute + "=*";
      break;
    case Kind::kEqual:
      out += attribute + "=" + escape(value);
      break;
    case Kind::kAtLeast:
      out += attribute + ">=" + escape(value);
      break;
    case Kind::kAtMost:
      out += attribute + "<=" + escape(value);
      break;
    case Kind::kSubstrings:
      out += attribute + "=";
      for (std::size_t i = 0; i < parts.size(); ++i) out += (i == 0 ? "" : "*") + escape(parts[i]);
      break;
  }
  return out + ")";
}

std::string ModelRequest::text() const {
  std::string out;
  switch (kind) {
    case Kind::kBind:
      out = "bind '" + dn + "' with '" + value + "'";
      break;
    case Kind::kAdd:
      out = "add '" + dn + "'";
      append_changes(out, changes);
      break;
    case Kind::kDelete:
      out = "delete '" + dn + "'";
      break;
    case Kind::kModify:
      out = std::string(permissive ? "permissive " : "") + "modify '" + dn + "'";
      append_changes(out, changes);
      break;
    case Kind::kRename:
      out = "rename '" + dn + "' to '" + new_rdn + "'" + (delete_old ? " deleting the old" : "");
      if (superior) out += " below '" + *superior + "'";
      break;
    case Kind::kCompare:
      out = "compare '" + dn + "' " + attribute + " '" + value + "'";
      break;
    case Kind::kSearch:
      out = "search '" + dn + "' scope " + std::to_string(static_cast<int>(scope)) + " " +
            filter.text();
      for (const std::string& one : attributes) out += " " + one;
      if (types_only) out += " types only";
      if (size_limit != 0) out += " at most " + std::to_string(size_limit);
      if (page_size != 0) out += " in pages of " + std::to_string(page_size);
      break;
  }
  if (deref != ldap::DerefAliases::kNever)
    out += " dereferencing " + std::to_string(static_cast<int>(deref));
  if (manage_dsa_it) out += " managing";
  return out;
}

std::string encode(const ModelRequest& request, ldap::MessageId id, std::string_view cookie) {
  std::string out;
  std::vector<ldap::Control> controls;
  if (request.manage_dsa_it)
    controls.push_back({std::string(ldap::oids::kManageDsaIt), true, std::nullopt});
  switch (request.kind) {
    case Kind::kBind:
      ldap::append_simple_bind_request(out, id, request.dn, request.value);
      break;
    case Kind::kAdd: {
      std::vector<ldap::AttributeView> attributes;
      for (const ModelChange& one : request.changes)
        attributes.push_back({one.attribute, views(one.values)});
      ldap::append_add_request(out, id, request.dn, attributes, controls);
      break;
    }
    case Kind::kDelete:
      ldap::append_delete_request(out, id, request.dn, controls);
      break;
    case Kind::kModify: {
      std::vector<ldap::ModificationView> steps;
      for (const ModelChange& one : request.changes)
        steps.push_back({one.operation, {one.attribute, views(one.values)}});
      if (request.permissive)
        controls.push_back({std::string(ldap::oids::kPermissiveModify), true, std::nullopt});
      ldap::append_modify_request(out, id, request.dn, steps, controls);
      break;
    }
    case Kind::kRename:
      ldap::append_modify_dn_request(
          out, id, {request.dn, request.new_rdn, request.delete_old, request.superior}, controls);
      break;
    case Kind::kCompare:
      ldap::append_compare_request(out, id, {request.dn, request.attribute, request.value},
                                   controls);
      break;
    case Kind::kSearch:
      append_search(out, id, request, cookie, std::move(controls));
      break;
  }
  return out;
}

}  // namespace kauri::operation::testing
