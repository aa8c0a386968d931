// Validators of the syntaxes, one function each; syntaxes/syntax_table.cc says which OID uses
// which.
//
// Each tells whether `value` is legal, and if not writes a sentence with the offset or the
// offending part to *why (when `why` is not null). Thread safety: immutable functions.
#pragma once

#include <string>
#include <string_view>

namespace kauri::schema::syntaxes {

using Validator = bool (*)(std::string_view value, std::string* why);

// strings.cc
bool directory_string(std::string_view value, std::string* why);
bool utf8_string(std::string_view value, std::string* why);  // may be empty
bool ia5_string(std::string_view value, std::string* why);
bool printable_string(std::string_view value, std::string* why);
bool numeric_string(std::string_view value, std::string* why);
bool country_string(std::string_view value, std::string* why);
bool telephone_number(std::string_view value, std::string* why);
bool facsimile_number(std::string_view value, std::string* why);
bool postal_address(std::string_view value, std::string* why);
bool other_mailbox(std::string_view value, std::string* why);
bool teletex_terminal(std::string_view value, std::string* why);
bool telex_number(std::string_view value, std::string* why);
bool delivery_method(std::string_view value, std::string* why);
bool substring_assertion(std::string_view value, std::string* why);
// numbers.cc
bool integer(std::string_view value, std::string* why);
bool boolean(std::string_view value, std::string* why);
bool bit_string(std::string_view value, std::string* why);
bool generalized_time(std::string_view value, std::string* why);
bool utc_time(std::string_view value, std::string* why);
// names.cc
bool distinguished_name(std::string_view value, std::string* why);
bool name_and_optional_uid(std::string_view value, std::string* why);
bool object_identifier(std::string_view value, std::string* why);
bool dn_with_string(std::string_view value, std::string* why);
bool uuid(std::string_view value, std::string* why);
bool csn(std::string_view value, std::string* why);
bool nis_netgroup_triple(std::string_view value, std::string* why);
bool boot_parameter(std::string_view value, std::string* why);
// guides.cc
bool guide(std::string_view value, std::string* why);
bool enhanced_guide(std::string_view value, std::string* why);
// binary.cc
bool octet_string(std::string_view value, std::string* why);
bool nonempty_octets(std::string_view value, std::string* why);
bool der_sequence(std::string_view value, std::string* why);
bool subtree_specification(std::string_view value, std::string* why);
// descriptions.cc
bool attribute_type_description(std::string_view value, std::string* why);
bool object_class_description(std::string_view value, std::string* why);
bool matching_rule_description(std::string_view value, std::string* why);
bool matching_rule_use_description(std::string_view value, std::string* why);
bool syntax_description(std::string_view value, std::string* why);
bool content_rule_description(std::string_view value, std::string* why);
bool structure_rule_description(std::string_view value, std::string* why);
bool name_form_description(std::string_view value, std::string* why);

// Sets *why and returns false: `return refuse(why, "...")`.
bool refuse(std::string* why, std::string_view sentence);
// The same with "at offset N: " in front.
bool refuse_at(std::string* why, std::size_t offset, std::string_view sentence);
// RFC 4517 section 3.2: letters, digits and ' ( ) + , - . = / : ? space.
bool is_printable_character(char c);
// RFC 4512 section 1.4: numericoid; descr (with '_' too, which real directories use).
bool is_numeric_oid(std::string_view text);
bool is_descriptor(std::string_view text);

}  // namespace kauri::schema::syntaxes
