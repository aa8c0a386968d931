#include "schema/syntaxes/syntax_table.h"

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "schema/syntaxes/validators.h"

namespace kauri::schema {

namespace {

class FunctionSyntax final : public Syntax {
 public:
  FunctionSyntax(std::string_view oid, std::string_view description, bool human_readable,
                 syntaxes::Validator validator)
      : Syntax(oid, description, human_readable), validator_(validator) {}
  bool validate(std::string_view value, std::string* why) const override {
    return validator_(value, why);
  }

 private:
  syntaxes::Validator validator_;
};

struct Row {
  std::string_view oid;
  std::string_view description;
  bool human_readable;
  syntaxes::Validator validator;
};

// RFC 4517 and its predecessor RFC 2252, RFC 4523, RFC 4530, RFC 2307, RFC 3672, and what the
// schema files of other servers refer to. Values of syntaxes without a public grammar are octets.
constexpr Row kRows[] = {
    {"1.3.6.1.4.1.1466.115.121.1.1", "ACI Item", true, syntaxes::octet_string},
    {"1.3.6.1.4.1.1466.115.121.1.2", "Access Point", true, syntaxes::octet_string},
    {"1.3.6.1.4.1.1466.115.121.1.3", "Attribute Type Description", true,
     syntaxes::attribute_type_description},
    {"1.3.6.1.4.1.1466.115.121.1.4", "Audio", false, syntaxes::octet_string},
    {"1.3.6.1.4.1.1466.115.121.1.5", "Binary", false, syntaxes::octet_string},
    {"1.3.6.1.4.1.1466.115.121.1.6", "Bit String", true, syntaxes::bit_string},
    {"1.3.6.1.4.1.1466.115.121.1.7", "Boolean", true, syntaxes::boolean},
    {"1.3.6.1.4.1.1466.115.121.1.8", "X.509 Certificate", false, syntaxes::der_sequence},
    {"1.3.6.1.4.1.1466.115.121.1.9", "X.509 Certificate List", false, syntaxes::der_sequence},
    {"1.3.6.1.4.1.1466.115.121.1.10", "X.509 Certificate Pair", false, syntaxes::der_sequence},
    {"1.3.6.1.4.1.1466.115.121.1.11", "Country String", true, syntaxes::country_string},
    {"1.3.6.1.4.1.1466.115.121.1.12", "DN", true, syntaxes::distinguished_name},
    {"1.3.6.1.4.1.1466.115.121.1.13", "Data Quality Syntax", true, syntaxes::octet_string},
    {"1.3.6.1.4.1.1466.115.121.1.14", "Delivery Method", true, syntaxes::delivery_method},
    {"1.3.6.1.4.1.1466.115.121.1.15", "Directory String", true, syntaxes::directory_string},
    {"1.3.6.1.4.1.1466.115.121.1.16", "DIT Content Rule Description", true,
     syntaxes::content_rule_description},
    {"1.3.6.1.4.1.1466.115.121.1.17", "DIT Structure Rule Description", true,
     syntaxes::structure_rule_description},
    {"1.3.6.1.4.1.1466.115.121.1.18", "DL Submit Permission", true, syntaxes::octet_string},
    {"1.3.6.1.4.1.1466.115.121.1.19", "DSA Quality Syntax", true, syntaxes::octet_string},
    {"1.3.6.1.4.1.1466.115.121.1.20", "DSE Type", true, syntaxes::octet_string},
    {"1.3.6.1.4.1.1466.115.121.1.21", "Enhanced Guide", true, syntaxes::enhanced_guide},
    {"1.3.6.1.4.1.1466.115.121.1.22", "Facsimile Telephone Number", true,
     syntaxes::facsimile_number},
    {"1.3.6.1.4.1.1466.115.121.1.23", "Fax", false, syntaxes::nonempty_octets},
    {"1.3.6.1.4.1.1466.115.121.1.24", "Generalized Time", true, syntaxes::generalized_time},
    {"1.3.6.1.4.1.1466.115.121.1.25", "Guide", true, syntaxes::guide},
    {"1.3.6.1.4.1.1466.115.121.1.26", "IA5 String", true, syntaxes::ia5_string},
    {"1.3.6.1.4.1.1466.115.121.1.27", "INTEGER", true, syntaxes::integer},
    {"1.3.6.1.4.1.1466.115.121.1.28", "JPEG", false, syntaxes::nonempty_octets},
    {"1.3.6.1.4.1.1466.115.121.1.29", "Master And Shadow Access Points", true,
     syntaxes::octet_string},
    {"1.3.6.1.4.1.1466.115.121.1.30", "Matching Rule Description", true,
     syntaxes::matching_rule_description},
    {"1.3.6.1.4.1.1466.115.121.1.31", "Matching Rule Use Description", true,
     syntaxes::matching_rule_use_description},
    {"1.3.6.1.4.1.1466.115.121.1.32", "Mail Preference", true, syntaxes::octet_string},
    {"1.3.6.1.4.1.1466.115.121.1.33", "MHS OR Address", true, syntaxes::octet_string},
    {"1.3.6.1.4.1.1466.115.121.1.34", "Name And Optional UID", true,
     syntaxes::name_and_optional_uid},
    {"1.3.6.1.4.1.1466.115.121.1.35", "Name Form Description", true,
     syntaxes::name_form_description},
    {"1.3.6.1.4.1.1466.115.121.1.36", "Numeric String", true, syntaxes::numeric_string},
    {"1.3.6.1.4.1.1466.115.121.1.37", "Object Class Description", true,
     syntaxes::object_class_description},
    {"1.3.6.1.4.1.1466.115.121.1.38", "OID", true, syntaxes::object_identifier},
    {"1.3.6.1.4.1.1466.115.121.1.39", "Other Mailbox", true, syntaxes::other_mailbox},
    {"1.3.6.1.4.1.1466.115.121.1.40", "Octet String", false, syntaxes::octet_string},
    {"1.3.6.1.4.1.1466.115.121.1.41", "Postal Address", true, syntaxes::postal_address},
    {"1.3.6.1.4.1.1466.115.121.1.42", "Protocol Information", true, syntaxes::octet_string},
    {"1.3.6.1.4.1.1466.115.121.1.43", "Presentation Address", true, syntaxes::octet_string},
    {"1.3.6.1.4.1.1466.115.121.1.44", "Printable String", true, syntaxes::printable_string},
    {"1.3.6.1.4.1.1466.115.121.1.45", "Subtree Specification", true,
     syntaxes::subtree_specification},
    {"1.3.6.1.4.1.1466.115.121.1.46", "Supplier Information", true, syntaxes::octet_string},
    {"1.3.6.1.4.1.1466.115.121.1.47", "Supplier Or Consumer", true, syntaxes::octet_string},
    {"1.3.6.1.4.1.1466.115.121.1.48", "Supplier And Consumer", true, syntaxes::octet_string},
    {"1.3.6.1.4.1.1466.115.121.1.49", "X.509 Supported Algorithm", false, syntaxes::der_sequence},
    {"1.3.6.1.4.1.1466.115.121.1.50", "Telephone Number", true, syntaxes::telephone_number},
    {"1.3.6.1.4.1.1466.115.121.1.51", "Teletex Terminal Identifier", true,
     syntaxes::teletex_terminal},
    {"1.3.6.1.4.1.1466.115.121.1.52", "Telex Number", true, syntaxes::telex_number},
    {"1.3.6.1.4.1.1466.115.121.1.53", "UTC Time", true, syntaxes::utc_time},
    {"1.3.6.1.4.1.1466.115.121.1.54", "LDAP Syntax Description", true,
     syntaxes::syntax_description},
    {"1.3.6.1.4.1.1466.115.121.1.55", "Modify Rights", true, syntaxes::octet_string},
    {"1.3.6.1.4.1.1466.115.121.1.56", "LDAP Schema Definition", true, syntaxes::octet_string},
    {"1.3.6.1.4.1.1466.115.121.1.57", "LDAP Schema Description", true, syntaxes::octet_string},
    {"1.3.6.1.4.1.1466.115.121.1.58", "Substring Assertion", true, syntaxes::substring_assertion},
    {"1.3.6.1.1.1.0.0", "RFC2307 NIS Netgroup Triple", true, syntaxes::nis_netgroup_triple},
    {"1.3.6.1.1.1.0.1", "RFC2307 Boot Parameter", true, syntaxes::boot_parameter},
    {"1.3.6.1.1.15.1", "X.509 Certificate Exact Assertion", true, syntaxes::utf8_string},
    {"1.3.6.1.1.15.2", "X.509 Certificate Assertion", true, syntaxes::utf8_string},
    {"1.3.6.1.1.15.3", "X.509 Certificate Pair Exact Assertion", true, syntaxes::utf8_string},
    {"1.3.6.1.1.15.4", "X.509 Certificate Pair Assertion", true, syntaxes::utf8_string},
    {"1.3.6.1.1.15.5", "X.509 Certificate List Exact Assertion", true, syntaxes::utf8_string},
    {"1.3.6.1.1.15.6", "X.509 Certificate List Assertion", true, syntaxes::utf8_string},
    {"1.3.6.1.1.15.7", "X.509 Algorithm Identifier", true, syntaxes::utf8_string},
    {"1.3.6.1.1.16.1", "UUID", true, syntaxes::uuid},
    {"1.3.6.1.4.1.4203.1.1.2", "Authentication Password Syntax", true, syntaxes::ia5_string},
    {"1.3.6.1.4.1.4203.666.2.7", "OpenLDAP authz", true, syntaxes::utf8_string},
    {"1.3.6.1.4.1.4203.666.11.2.1", "CSN", true, syntaxes::csn},
    {"1.3.6.1.4.1.4203.666.11.10.2.1", "X.509 Attribute Certificate", false,
     syntaxes::der_sequence},
    {"1.3.6.1.4.1.4203.666.11.10.2.2", "X.509 Attribute Certificate Exact Assertion", true,
     syntaxes::utf8_string},
    {"1.2.840.113556.1.4.903", "DN With Octet String", true, syntaxes::dn_with_string},
    {"1.2.840.113556.1.4.904", "DN With String", true, syntaxes::dn_with_string},
    {"1.2.840.113556.1.4.905", "Case Ignore String (Teletex)", true, syntaxes::utf8_string},
    {"1.2.840.113556.1.4.906", "Large Integer", true, syntaxes::integer},
    {"1.2.840.113556.1.4.907", "NT Security Descriptor", false, syntaxes::octet_string},
};

struct Table {
  Table() {
    for (const Row& row : kRows) {
      owned.push_back(std::make_unique<FunctionSyntax>(row.oid, row.description, row.human_readable,
                                                       row.validator));
      all.push_back(owned.back().get());
      by_oid.emplace(row.oid, owned.back().get());
    }
  }
  std::vector<std::unique_ptr<FunctionSyntax>> owned;
  std::vector<const Syntax*> all;
  std::unordered_map<std::string_view, const Syntax*> by_oid;
};

const Table& table() {
  static const Table kTable;
  return kTable;
}

}  // namespace

const Syntax* find_syntax(std::string_view oid) {
  const auto found = table().by_oid.find(oid);
  return found == table().by_oid.end() ? nullptr : found->second;
}

const std::vector<const Syntax*>& all_syntaxes() {
  return table().all;
}

std::string syntax_definition(const Syntax& syntax) {
  std::string out =
      "( " + std::string(syntax.oid()) + " DESC '" + std::string(syntax.description()) + "'";
  if (!syntax.human_readable()) out += " X-NOT-HUMAN-READABLE 'TRUE'";
  return out + " )";
}

}  // namespace kauri::schema
