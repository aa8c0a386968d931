"""What may differ in what a search returns: who is in it, and what of them."""
import re

import faults
import names
import values
from rules import codes, leaf_type, references, rule


@rule("numSubordinates", "both",
      "Kauri counts children for who asks for operational attributes (X.501, as 389 DS and OpenDJ); slapd has no "
      "such attribute. RFC 4512 section 3.4 leaves the set to the server.")
def _num_subordinates(d, _):
    return d.what in ("attribute", "tree") and d.parts.get("attribute") == "numsubordinates" and d.parts["theirs"] is None


@rule("@extensibleObject", "kauri",
      "extensibleObject lets an entry hold any user attribute (RFC 4512 section 4.3), so '@extensibleObject' (RFC "
      "4529) asks for the user attributes; slapd adds the operational ones.")
def _extensible_object(d, _):
    return (d.what == "attribute" and d.parts["ours"] is None and d.operation.kind == "search"
            and "@extensibleObject" in d.operation.parts["attributes"])


@rule("spaces at the ends of substrings", "kauri",
      "A value begins and ends with one space, and so do the ends of substrings that have one (RFC 4518 section "
      "2.6.1): 'a *' is in the value 'a', and ' *' in every one. slapd drops the first and last spaces of a value.")
def _spaces(d, _):
    return d.what == "answers" and d.parts["leaf"][0] == "sub" and any(
        value[:1] == b" " or value[-1:] == b" " for _, value in d.parts["leaf"][2])


@rule("computed attributes in filters", "kauri",
      "slapd makes subschemaSubentry and hasSubordinates for answers alone, and does not see them in all filters; "
      "RFC 4511 section 4.5.1.7 makes no exception.")
def _computed_filter(d, _):
    return d.what == "answers" and leaf_type(d) in ("subschemasubentry", "hassubordinates")


@rule("rules of the schema", "both",
      "Kauri's built-in schema gives the integers of NIS an order, as newer versions of it do, and labeledURI "
      "substrings; Debian's slapd has the older text. RFC 4512 section 4.1.2 makes both optional.")
def _schema_rules(d, _):
    return d.what == "answers" and (leaf_type(d), d.parts["leaf"][0]) in (
        ("shadowmax", ">="), ("shadowmax", "<="), ("labeleduri", "sub"))


@rule("twice by aliases", "kauri",
      "Entries that several aliases lead to come once (RFC 4511 section 4.5.1.3); slapd sends some of them twice.")
def _twice(d, _):
    if d.what == "references":
        ours, theirs = references(d, "ours"), references(d, "theirs")
        return d.operation.parts["deref"] in (1, 3) and ours < theirs and ours.keys() == theirs.keys()
    return d.what == "twice" and d.parts["side"] == "slapd" and d.operation.parts["deref"] in (1, 3)


@rule("rules that slapd does not let be named", "kauri",
      "A filter may name the rule of its type (RFC 4511 section 4.5.1.7.7); slapd takes objectIdentifierMatch, "
      "UUIDMatch, keywordMatch and wordMatch for Undefined then.")
def _class_by_rule(d, _):
    if d.what != "answers" or d.parts["leaf"][0] != "ext" or d.parts["common"] & d.parts["true"][1]:
        return False
    return leaf_type(d) == "kuuid" or (d.parts["leaf"][1] or "").lower() in (
        "objectidentifiermatch", "2.5.13.0", "uuidmatch", "keywordmatch", "wordmatch")


@rule("bases of scopes by aliases", "both",
      "Where an alias leads is a further scope (RFC 4511 section 4.5.1.3). With the scope of all subordinates "
      "(draft-sermersheim-ldap-subordinate-scope, which does not speak of aliases) Kauri takes the entry itself in, "
      "slapd what is below it; at one level they differ on an alias to the base of the search.")
def _alias_bases(d, _):
    if d.what != "scope" or d.operation.parts["deref"] not in (1, 3) or d.parts["theirs"]:
        return False
    return d.operation.parts["scope"] == 3 or (d.operation.parts["scope"] == 1 and len(d.parts["ours"]) == 1)


@rule("subtypes that may not be searched", "kauri",
      "A type stands for its subtypes (RFC 4512 section 2.5.1). Where one of them may not be searched the assertion "
      "is Undefined for each entry; slapd makes it so only for those that have the hidden one, so that NOT tells "
      "who has.")
def _hidden_subtype(d, _):
    return (d.what == "answers" and leaf_type(d) == "name" and d.operation.session != "admin"
            and d.parts["true"][0] & d.parts["common"] <= d.parts["true"][1]
            and d.parts["false"][0] & d.parts["common"] <= d.parts["false"][1])


_FITTING = {
    "caseignorematch": ("text", "print", "country", "uri", "phone"),
    "caseexactmatch": ("text", "print", "country", "uri", "phone"),
    "caseignoreia5match": ("ia5",), "caseexactia5match": ("ia5",), "integermatch": ("integer",),
    "numericstringmatch": ("number",), "telephonenumbermatch": ("phone",), "caseignorelistmatch": ("postal",),
    "octetstringmatch": ("octets", "password", "jpeg"),
}


@rule("rules that fit other syntaxes in slapd", "kauri",
      "A rule that is not for the syntax of the type makes the assertion Undefined (RFC 4511 section 4.5.1.7.7); "
      "slapd lets rules of one kind of string compare another.")
def _unfit_rule(d, _):
    if d.what != "answers" or d.parts["leaf"][0] != "ext":
        return False
    rule_name, attribute = d.parts["leaf"][1:3]
    if attribute is None and (rule_name or "").lower() in _FITTING:
        return d.parts["true"][0] <= d.parts["true"][1]
    if d.parts["common"] & (d.parts["true"][0] | d.parts["false"][0]):
        return False
    kinds = _FITTING.get((rule_name or "").lower())
    name = faults.type_of(attribute or "")
    if rule_name == "integerFirstComponentMatch":  # for descriptions of structure rules
        return True
    return kinds is not None and name is not None and values.kind_of(name) not in kinds


@rule("OpenLDAP's own rules", "both",
      "dnSubtreeMatch and its kin are experiments of OpenLDAP; a rule that a server does not have makes the "
      "assertion Undefined (RFC 4511 section 4.5.1.7.7).")
def _openldap_rules(d, _):
    return (d.what == "answers" and d.parts["leaf"][0] == "ext" and (d.parts["leaf"][1] or "") in (
        "dnSubtreeMatch", "dnOneLevelMatch", "dnSubordinateMatch", "dnSuperiorMatch")
            and not d.parts["common"] & (d.parts["true"][0] | d.parts["false"][0]))


@rule("spelling of a naming value", "both",
      "The value of the RDN is in the entry in one of its spellings; which one, after a rename or where the request "
      "gave two, is the server's choice (RFC 4511 sections 4.7 and 4.9).")
def _naming_spelling(d, _):
    if d.what not in ("attribute", "tree") or d.parts.get("ours") is None or d.parts["theirs"] is None:
        return False
    name = d.parts["attribute"]
    own = {kind for kind, _ in d.parts["entry"].dn[0]} if d.parts["entry"].dn else ()
    if name not in own:
        return False
    ours, theirs = (sorted(names.key_of((((name, value),),))[0][0][1] for value in found) for found in (
        d.parts["ours"], d.parts["theirs"]))
    return ours == theirs


@rule("substrings of lists", "kauri",
      "A substring of a postal address lies within one of its lines (RFC 4517 section 4.2.10), and '$' is in none; "
      "slapd searches the text with its separators and escapes.")
def _list_substrings(d, _):
    return (d.what == "answers" and leaf_type(d) == "postaladdress" and d.parts["leaf"][0] == "sub"
            and any(re.search(rb"[$\\]|24|5[Cc]|[25]$|^[4Cc]", part) for _, part in d.parts["leaf"][2]))


@rule("bit rules beyond 64 bits", "both",
      "The rules are described for machine words (MS-ADTS section 3.1.1.3.4.4). Kauri looks at the low 64 bits of a "
      "longer value, slapd at none.")
def _long_bits(d, _):
    if d.what != "answers" or d.parts["leaf"][0] != "ext" or not d.parts["leaf"][1]:
        return False
    return d.parts["leaf"][1].endswith((".803", ".804")) and d.parts["true"][1] <= d.parts["true"][0]


@rule("substrings without a significant character", "kauri",
      "Hyphens and spaces of telephone numbers are removed, and spaces of numeric strings (RFC 4518 sections 2.6.2 "
      "and 2.6.3); what is then empty is in every value. slapd finds none.")
def _insignificant(d, _):
    if d.what != "answers" or d.parts["leaf"][0] != "sub":
        return False
    kind = values.kind_of(faults.type_of(d.parts["leaf"][1]) or "")
    return kind in ("phone", "number") and any(not value.strip(b" -") for _, value in d.parts["leaf"][2])


@rule("subordinates are those that may be read", "kauri",
      "hasSubordinates tells of what is below an entry (RFC 3673 has operational attributes subject to access "
      "control): Kauri counts what the requester may read, slapd everything.")
def _readable_children(d, _):
    if d.operation is None or d.operation.session == "admin":
        return False
    if d.what == "attribute":
        return d.parts["attribute"] == "hassubordinates" and d.parts["ours"] == [b"FALSE"]
    return codes(d, (5, 6), (5, 6)) and d.operation.kind == "compare" and faults.type_of(
        d.operation.parts["attribute"]) == "hasSubordinates"


@rule("hidden branches hide their aliases", "kauri",
      "An alias that leads to what may not be searched leads nowhere; slapd searches there, and follows the aliases that "
      "it finds.")
def _hidden_aliases(d, world):
    if d.what != "scope" or d.operation.parts["deref"] not in (1, 3) or d.parts["ours"]:
        return False
    return d.operation.session not in ("admin", "alice") and any(
        b"hidden" in value.lower() for value in world.values_of("aliasedObjectName"))


@rule("references below what an alias leads to", "kauri",
      "A one-level search is applied to what an alias leads to and not to its subordinates (RFC 4511 section "
      "4.5.1.3); slapd makes references of referral objects among them.")
def _below_aliased(d, _):
    return (d.what == "references" and d.operation.parts["scope"] == 1 and d.operation.parts["deref"] in (1, 3)
            and references(d, "ours") < references(d, "theirs"))


@rule("limits count what comes", "kauri",
      "A size limit is on the entries that are returned (RFC 4511 section 4.5.1.4). slapd also counts one that matches and "
      "may not be read, which tells that it is there, and one that aliases bring a second time.")
def _limit_counts(d, _):
    return d.what == "limit" and d.parts["side"] == "slapd" and (
        d.operation.parts["deref"] in (1, 3) or d.operation.session != "admin")


@rule("substrings rules by name", "kauri",
      "Their assertion is of the Substring Assertion syntax (RFC 4517 section 4.2.13), and a filter may name them "
      "(RFC 4511 section 4.5.1.7.7); slapd compares nothing by them.")
def _named_substrings(d, _):
    if d.what != "answers" or d.parts["leaf"][0] != "ext" or d.parts["true"][1]:
        return False
    return (d.parts["leaf"][1] or "").endswith("SubstringsMatch")
