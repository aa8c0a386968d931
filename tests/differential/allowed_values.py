"""What may differ in what the servers take for a value, a name or a description."""
import re

import faults
import filters
import names
import values
from rules import SUBSCHEMA, codes, leaf_type, rule


@rule("types unknown in names", "kauri",
      "A name may have a type that the server does not know (RFC 4514 section 2.3 and 2.4): it names no entry here; "
      "slapd calls it no DN.")
def _unknown_type(d, _):
    return (codes(d, (32, 5, 6, 0, 16, 17, 53, 49, 68), (34, 21, 17))
            and re.search(rb"nosuch=|9\.9\.9\.9=", d.operation.body) is not None)


def _loose_name(name, value):
    """Whether it is a name whose parts are not all of their types' syntax, as a value of a type for names."""
    if values.kind_of(name) not in ("dn", "uniquedn") and name.lower() not in ("aliasedobjectname",):
        return False
    value = re.sub(rb"#'[01]*'B$", b"", value)
    try:
        names.read_leniently(value)
    except names.NoName:
        return False
    return not faults.is_name(value)


@rule("names as values", "both",
      "A value of the DN syntax is a name by the grammar of RFC 4514 (RFC 4517 section 3.3.9). slapd also wants "
      "each part to be of the syntax of its type, and the type to be known.")
def _names_as_values(d, _):
    if d.what == "answers" and d.parts["leaf"][0] in ("=", "~=", "ext"):
        leaf = d.parts["leaf"]
        attribute, value = (leaf[2] or "member", leaf[3]) if leaf[0] == "ext" else leaf[1:3]
        return _loose_name(faults.type_of(attribute) or "", value)
    if d.what != "code" or d.slapd.code not in (21, 17):
        return False
    parts = d.operation.parts
    given = (parts.get("attributes", []) if d.operation.kind == "add" else
             [change[1:] for change in parts.get("changes", [])] if d.operation.kind == "modify" else
             [(parts["attribute"], [parts["value"]])] if d.operation.kind == "compare" else [])
    return any(_loose_name(faults.type_of(name) or "", value) for name, found in given for value in found)


@rule("UTF-8 of surrogates", "kauri",
      "The octets ED A0 80 are no UTF-8 (RFC 3629 section 3, by RFC 4511 section 5.1); slapd takes them.")
def _surrogates(d, _):
    if "leaf" in d.parts:
        return "\\xed\\xa0\\x80" in repr(d.parts["leaf"])
    searched = d.operation is not None and d.operation.kind == "search"
    return d.operation is not None and re.search(rb"(\xed|\\[eE][dD])(\xa0|\\[aA]0)(\x80|\\80)|eda080",
                                                 d.operation.parts["base"] if searched else d.operation.body) is not None


@rule("empty values", "kauri",
      "A postal address has a line of one character (RFC 4517 section 3.3.28), a photo its header (section 3.3.17); "
      "slapd takes empty ones.")
def _empty_address(d, _):
    if d.what == "answers":
        return leaf_type(d) == "postaladdress" and d.parts["leaf"][0] in ("=", "~=") and not d.parts["leaf"][2]
    return codes(d, 21, (0, 32, 50, 68, 64, 65, 20, 16)) and re.search(
        b"a postal address may not be empty|no valid JPEG: the value may not be empty", d.kauri.text) is not None


@rule("fax parameters", "kauri",
      "RFC 4517 section 3.3.11 lists them; slapd takes any.")
def _fax(d, _):
    return d.what == "code" and d.kauri.code == 21 and b"is no fax parameter" in d.kauri.text


@rule("booleans in any case", "both",
      "Kauri understands 'true' in an assertion; the ABNF of RFC 4517 section 3.3.3 has strings that RFC 4234 makes "
      "insensitive to case. Stored values are in capitals in both.")
def _boolean_case(d, _):
    if d.what == "answers":
        leaf = d.parts["leaf"]
        return leaf[0] in ("=", "~=", "ext") and (leaf[3] if leaf[0] == "ext" else leaf[2]).lower() in (b"true", b"false")
    return (codes(d, (5, 6, 16), 21) and d.operation.kind == "compare"
            and d.operation.parts["value"].upper() in (b"TRUE", b"FALSE"))


@rule("bit strings with a small b", "both",
      "The ABNF of RFC 4517 section 3.3.2 has a string that RFC 4234 makes insensitive to case.")
def _small_bits(d, _):
    if d.what not in ("code", "answers", "scope"):
        return False
    if d.operation and any(value.endswith(b"'b") for rdn in d.operation.parts.get("dn") or () for _, value in rdn):
        return True
    return re.search(rb"'[01]*'b", repr(d.parts["leaf"]).encode() if "leaf" in d.parts else d.operation.body) is not None


@rule("descriptors as OID values", "kauri",
      "A value of the OID syntax may be a descriptor (RFC 4517 section 3.3.26); slapd takes numbers alone.")
def _oid_values(d, _):
    if d.what == "answers":
        return leaf_type(d) in ("koid", "objectclass", "structuralobjectclass")
    if d.operation and d.operation.kind == "compare":
        return codes(d, (5, 6, 10, 16, 32), 21) and faults.type_of(d.operation.parts["attribute"].split(";")[0]) in (
            "kOid", "objectClass", "structuralObjectClass")
    return d.what == "code" and ((d.slapd.code == 21 and b"koid" in d.slapd.text.lower()) or (
        d.slapd.code == 34 and re.search(rb"koid|1\.3\.6\.1\.4\.1\.32473\.3\.14", d.operation.body.lower())))


@rule("objectClass with options", "both",
      "An option makes another description of it (RFC 4512 section 2.5.2), which gives the entry no class; slapd "
      "still wants its values to be classes that it knows.")
def _tagged_class(d, _):
    if not codes(d, (0, 32, 50, 65, 16, 64, 67), (20, 21)):
        return False
    given = (d.operation.parts.get("attributes", []) if d.operation.kind == "add" else
             [change[1:] for change in d.operation.parts.get("changes", [])])
    return any(";" in name and faults.type_of(name) == "objectClass" for name, _ in given)


@rule("superclasses of structuralObjectClass", "kauri",
      "It has one value, the most specific class (RFC 4512 section 3.3); slapd compares it as objectClass, where "
      "superclasses count.")
def _structural_superclass(d, world):
    if d.what == "answers":
        return leaf_type(d) == "structuralobjectclass"
    if not codes(d, 5, 6) or faults.type_of(d.operation.parts["attribute"]) != "structuralObjectClass":
        return False
    dn = d.operation.parts["dn"]
    own = world.attributes_of(dn).get("structuralobjectclass", ()) if dn else ()
    return d.operation.parts["value"].strip().lower() not in {one.lower() for one in own}


@rule("options of operational attributes", "both",
      "slapd knows no options of operational attributes; Kauri knows them and finds no value. RFC 4512 section "
      "2.5.2 forbids neither.")
def _operational_options(d, _):
    if d.what == "answers":
        leaf = d.parts["leaf"]
        attribute = (leaf[2] or "") if leaf[0] == "ext" else leaf[1]
        return ";" in attribute and faults.type_of(attribute) in values.OPERATIONAL and not d.parts["common"] & (
            d.parts["true"][1] | d.parts["false"][1])
    if d.what == "code" and b"operational attribute with options undefined" in d.slapd.text:
        return True
    return (codes(d, (5, 6, 16, 21), 17) and d.operation.kind == "compare" and ";" in d.operation.parts["attribute"]
            and faults.type_of(d.operation.parts["attribute"]) in values.OPERATIONAL)


@rule("options nobody defined", "both",
      "Every option is a tag to Kauri; slapd knows those that its configuration names, and takes a description with "
      "another for Undefined. RFC 4512 section 2.5.2 leaves the set to the server.")
def _unknown_option(d, _):
    def odd(attribute):
        return any(not faults.is_known_option(option) or option.endswith("-") for option in attribute.split(";")[1:])
    if d.what == "answers":
        leaf = d.parts["leaf"]
        return odd((leaf[2] or "") if leaf[0] == "ext" else leaf[1]) and not d.parts["common"] & (
            d.parts["true"][1] | d.parts["false"][1])
    given = ([d.operation.parts["attribute"]] if d.operation and d.operation.kind == "compare" else
             [change[1] for change in d.operation.parts["changes"]] if d.operation and d.operation.kind == "modify" else
             [name for name, _ in d.operation.parts["attributes"]] if d.operation and d.operation.kind == "add" else [])
    return d.what == "code" and d.slapd.code == 17 and any(map(odd, given))


@rule("language ranges", "slapd",
      "';lang-' asks for every language (RFC 3866 section 3); Kauri announces language tags alone, and takes it for "
      "a tag.")
def _language_ranges(d, _):
    if d.what == "answers":
        leaf = d.parts["leaf"]
        return ";lang-" in ((leaf[2] or "") if leaf[0] == "ext" else leaf[1]).lower().split("lang-en")[0] and (
            (leaf[2] or "") if leaf[0] == "ext" else leaf[1]).lower().endswith("lang-")
    if codes(d, 16, (5, 6)) and d.operation.kind == "compare":
        return d.operation.parts["attribute"].lower().endswith("-")
    return d.what == "attribute" and d.operation.kind == "search" and any(
        name.lower().endswith(";lang-") for name in d.operation.parts["attributes"])


@rule("root DSE and subschema", "both",
      "What a server says of itself is its own (RFC 4512 section 5.1).")
def _root(d, _):
    if d.what == "answers":  # Kauri does not know that a name without RDNs has no values
        return d.operation.parts.get("dn") in ((), SUBSCHEMA) and (
            (d.parts["leaf"][0] == "ext" and d.parts["leaf"][4]) or leaf_type(d) == "entrydn")
    if d.operation and d.operation.kind == "add":
        return codes(d, 53, 68) and d.operation.parts["dn"] in ((), SUBSCHEMA)
    if d.operation and d.operation.kind == "compare":
        return codes(d, (5, 6, 16), (5, 6, 16)) and d.operation.parts["dn"] in ((), SUBSCHEMA)
    return d.what == "attribute" and d.parts["entry"].dn in ((), SUBSCHEMA)


@rule("extensible filter with neither rule nor type", "kauri",
      "One of the two is needed (RFC 4511 section 4.5.1.7.7), and none of both is protocolError; slapd takes it for "
      "Undefined.")
def _extensible_empty(d, _):
    return (codes(d, 2, (0, 4, 10, 32, 33, 34)) and d.operation.kind == "search" and any(
        leaf[0] == "ext" and not leaf[2] and (leaf[2] == "" or leaf[1] is None)
        for leaf in filters.leaves(d.operation.parts["filter"])))
