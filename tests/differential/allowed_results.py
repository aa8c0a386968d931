"""What may differ in how a request is answered: result codes, matchedDN, referrals."""
import re

import faults
import names
import values
from operations import MANAGE, MANAGE_SOFTLY, PERMISSIVE
from rules import SUBSCHEMA, UPDATES, below_hidden, codes, references, rule
from world import SUFFIX


@rule("updates need a login", "both",
      "slapd refuses every update of an anonymous session with strongerAuthRequired before it looks at it; Kauri "
      "asks its access rules, which may allow one. RFC 4513 section 4 leaves it to policy.")
def _anonymous_update(d, _):
    if not d.operation or d.operation.kind not in UPDATES or d.operation.session not in ("anonymous", "roving"):
        return False
    nothing = d.operation.kind == "modify" and not d.operation.parts["changes"]
    return codes(d, (50, 32, 34, 17, 21, 19, 20, 2, 65, 64, 16, 53, 12, 18, 10, 71, 68) + (0,) * nothing, 8)


@rule("outside the suffix", "both",
      "For an update that no database holds slapd says unwillingToPerform, Kauri noSuchObject: RFC 4511 section "
      "4.1.9 and appendix A fit both.")
def _outside(d, _):
    return (d.operation and d.operation.kind in UPDATES and codes(d, 32, 53)
            and d.slapd.text == b"no global superior knowledge")


@rule("order of checks", "both",
      "The request has several faults, and each server names one that it has. RFC 4511 sets no order.")
def _several_faults(d, world):
    if d.what != "code" or 0 in (d.kauri.code, d.slapd.code) or d.operation.kind == "whoami":
        return False
    known = faults.of_request(world, d.operation)
    content = faults.CONTENT.get(d.operation.kind, ())
    return ((d.kauri.code in known and d.slapd.code in known)
            or (d.kauri.code in content and d.slapd.code in known)
            or (d.slapd.code in content and d.kauri.code in known))


@rule("order of checks within an entry", "both",
      "Several modifications, after which the entry breaks more than one rule: each server names one of them. RFC "
      "4511 section 4.6 sets no order.")
def _several_modifications(d, _):
    content = (67, 65, 64, 69, 19, 20, 16, 21)
    return (d.what == "code" and d.operation.kind == "modify" and len(d.operation.parts["changes"]) > 1
            and d.kauri.code in content and d.slapd.code in content)


@rule("hidden entries look missing", "kauri",
      "The matchedDN of noSuchObject is that of the last entry that may be known (RFC 4511 section 4.1.9). slapd "
      "leaves it out where the entry exists and is hidden, which tells it from a missing one.")
def _hidden_matched(d, world):
    if d.what != "matched" or d.kauri.code != 32 or d.operation.session == "admin":
        return False
    if below_hidden(d) and d.operation.kind == "search" and d.operation.parts["deref"] > 1:
        return True  # slapd follows a hidden alias
    name = d.operation.parts.get("dn")
    hidden = world.has(name) or below_hidden(d) if name is not None else (
        b"hidden" in d.operation.parts.get("base", d.operation.parts.get("name", b"")).lower())
    return d.slapd.matched == b"" and hidden


@rule("hidden aliases look missing", "kauri",
      "An alias that may not be searched leads nowhere, or a search would tell of it (RFC 4511 section 4.5.1.3 has "
      "aliases subject to access control as other entries); slapd follows it.")
def _hidden_alias(d, _):
    if codes(d, 33, 32):  # what it leads to is hidden: as if there were nothing
        return d.operation.kind == "search" and d.operation.session != "admin" and d.slapd.matched == b""
    return (codes(d, 32, (0, 33, 10, 4)) and d.operation.kind == "search" and d.operation.parts["deref"] > 1
            and below_hidden(d))


@rule("computed attributes compare", "kauri",
      "slapd refuses a compare of entryDN (RFC 5020) and subschemaSubentry, and says success for hasSubordinates of "
      "an entry that is not there or behind a referral; RFC 4511 section 4.10 makes no exception.")
def _computed_compare(d, _):
    if codes(d, (32, 10), 0) and d.operation.kind == "compare":  # of hasSubordinates, where there is no entry
        return faults.type_of(d.operation.parts["attribute"]) == "hasSubordinates"
    return codes(d, (5, 6, 10, 16, 21, 32), 53) and d.slapd.text.endswith(b" compare not supported")


@rule("notAllowedOnRDN", "kauri",
      "A modify that takes away a value of the RDN: RFC 4511 section 4.6 names notAllowedOnRDN, slapd says "
      "namingViolation.")
def _not_allowed_on_rdn(d, _):
    return codes(d, 67, 64) and d.operation.kind == "modify" and b"is not present in entry" in d.slapd.text


@rule("second value of a single-valued naming attribute", "both",
      "The value in the name and another one: constraintViolation and namingViolation are both true (RFC 4511 "
      "appendix A.2).")
def _single_naming(d, _):
    return codes(d, (19, 65), 64) and b"single-valued naming attribute" in d.slapd.text


@rule("structural class and its attributes", "both",
      "A changed structural class is objectClassModsProhibited, what it then requires or forbids "
      "objectClassViolation (RFC 4511 section 4.6): both faults are there.")
def _structural(d, _):
    return codes(d, (65, 67, 69), (65, 69)) and d.operation.kind == "modify"


@rule("several values on the way", "kauri",
      "A single-valued attribute must have one value after the last modification (RFC 4511 section 4.6); slapd "
      "counts in each.")
def _on_the_way(d, _):
    return (d.what == "code" and d.slapd.code == 19 and d.slapd.text.endswith(b"multiple values provided")
            and d.operation.kind == "modify" and len(d.operation.parts["changes"]) > 1)


@rule("permissive modify", "both",
      "The control 1.2.840.113556.1.4.1413 is described nowhere but in a sentence: what is there may be added, what "
      "is not may be deleted. slapd does not let some values be deleted, asks that classes be in the schema, counts "
      "values that are given twice, and gives an attribute that is missing the increment as its value.")
def _permissive(d, _):
    return codes(d, (0, 16, 64, 65, 67), (0, 16, 19, 20, 21, 64, 65)) and d.operation.controls == PERMISSIVE


@rule("values twice in a delete", "both",
      "A request that deletes one value twice has no set of values (RFC 4511 section 4.1.7): Kauri does not find "
      "the second, slapd takes them as one.")
def _delete_twice(d, _):
    def twice(name, found):
        kind = values.kind_of(faults.type_of(name) or "")
        if kind in ("dn", "uniquedn", "time"):
            return len(found) > 1
        drop = rb"[- ]" if kind in ("phone", "number") else rb"-"
        return len({names.key_of((((name, re.sub(drop, b"", value)),),)) for value in found}) < len(found)
    return d.what == "code" and d.kauri.code == 16 and d.operation.kind == "modify" and any(
        kind == 1 and twice(name, found) for kind, name, found in d.operation.parts["changes"])


@rule("increments beyond 64 bits", "kauri",
      "INTEGER has no limit (RFC 4517 section 3.3.16); slapd increments by what fits a machine word.")
def _large_increments(d, _):
    return (d.what == "code" and d.slapd.code == 21 and d.slapd.text.startswith(b"modify/increment: invalid syntax of"))


def _referral_pairs(d):
    """Each URL of Kauri's with slapd's of the same server, as answers.uri_key() made them; None where they do not pair."""
    if d.what == "references":
        ours, theirs = ([uri for one in side for uri in one] for side in (d.parts["ours"], d.parts["theirs"]))
    elif d.what == "referrals":
        ours, theirs = d.parts["ours"], d.parts["theirs"]
    else:
        return None
    ours, theirs = sorted(ours, key=repr), sorted(theirs, key=repr)
    same = len(ours) == len(theirs) and all(one[0] == other[0] for one, other in zip(ours, theirs))
    return list(zip(ours, theirs)) if same else None


def _difference_of_urls(d, ours, theirs):
    if ours == theirs:
        return "none"
    if ours[:2] == theirs[:2]:
        return "trimmed"
    if theirs[1] == () and d.operation.kind != "search":
        return "bare"
    asked = d.operation.parts.get("dn")
    if asked is None and faults.is_name(d.operation.parts.get("base", b"?")):
        asked = names.read_leniently(d.operation.parts["base"])
    return "base" if asked is not None and theirs[1] == names.key_of(asked) else "unknown"


def _urls_differ(d, kind):
    pairs = _referral_pairs(d)
    found = {_difference_of_urls(d, *pair) for pair in pairs or ()}
    return kind in found and "unknown" not in found


@rule("referral URLs are trimmed", "kauri",
      "A server SHOULD trim scope, filter and attributes of the ref value (RFC 3296 section 5.2); slapd keeps them.")
def _trimmed(d, _):
    return _urls_differ(d, "trimmed")


@rule("referral URLs without a name", "kauri",
      "An empty name in a ref value becomes that of the referral object (RFC 3296 section 5.4), for the URL else "
      "means the root of the other server; slapd answers updates with the bare URL.")
def _bare_url(d, _):
    return _urls_differ(d, "bare")


@rule("referral URLs with the name of the request", "kauri",
      "The name in the URL is that of the target at the other server: that of the ref value with what the request "
      "has below the referral object (RFC 3296 sections 5.2 and 5.3). slapd puts the whole name of the request "
      "there when it is spelled otherwise than the entry's, or leads through an alias.")
def _base_referral(d, _):
    return _urls_differ(d, "base")


@rule("referrals need the right to read", "both",
      "Where a referral object leads is data (RFC 3296 section 6): Kauri tells it to whom the rules let read it, "
      "slapd to all who may use the entry.")
def _referral_rights(d, _):
    return (codes(d, (0, 32, 50), 10) and d.operation.session != "admin")


@rule("referral behind an alias", "kauri",
      "A referral object that an alias leads to is in scope (RFC 4511 section 4.5.1.3), so a reference is made of "
      "it (RFC 3296 section 5.4), and a referral where the base is at or below one (section 5.3); slapd makes "
      "references in some scopes alone, and sees no entry there.")
def _aliased_reference(d, _):
    if codes(d, 10, 33) and d.operation.kind == "search" and d.operation.parts["deref"] > 1:
        return True  # what the alias leads to is below a referral object
    return (d.what == "references" and d.operation.parts["deref"] in (1, 3)
            and references(d, "theirs") < references(d, "ours"))


@rule("ManageDsaIT below a referral object", "kauri",
      "With the control a referral object is a normal entry, and no referral is made of it (RFC 3296 section 3); "
      "slapd still refers what would be below one.")
def _manage_below(d, _):
    return (codes(d, (0, 32, 68, 65, 64, 66, 19), 10) and d.operation.controls in (MANAGE, MANAGE_SOFTLY))


@rule("new superior that is a referral", "kauri",
      "affectsMultipleDSAs (RFC 3296 section 5.6.2), or a normal entry with ManageDsaIT; slapd says other(80).")
def _referral_superior(d, _):
    return codes(d, (71, 0, 68, 64, 65, 19), 80) and d.slapd.text == b"new superior is a referral"


@rule("new superior without a database", "both",
      "The subschema entry and names outside of the suffix: unwillingToPerform or noSuchObject from Kauri, "
      "affectsMultipleDSAs from slapd. RFC 4511 appendix A fits each.")
def _superior_outside(d, _):
    return codes(d, (53, 32), 71) and d.operation.kind == "rename"


@rule("suffix entry renamed", "both",
      "The entry of the suffix has its name from the configuration. Kauri: unwillingToPerform; slapd: "
      "namingViolation or affectsMultipleDSAs, as the new name is inside or outside.")
def _suffix_rename(d, _):
    return (codes(d, (53, 50, 32), (64, 71)) and d.operation.kind == "rename" and d.operation.parts["dn"] is not None
            and names.key_of(d.operation.parts["dn"]) == names.key_of(SUFFIX))


@rule("rights on naming attributes", "kauri",
      "A rename needs the right to add the values of the new RDN, and to delete those of the old one "
      "(slapd.access(5), OPERATION REQUIREMENTS). slapd does not ask for the first, and for the second by the name "
      "that the entry gets.")
def _naming_rights(d, _):
    if d.what != "code" or 50 not in (d.kauri.code, d.slapd.code) or d.operation.kind != "rename":
        return False
    dn, rdn = d.operation.parts["dn"], d.operation.parts["rdn"] or ()
    return d.operation.session != "admin" and any(
        names.one_type(kind) in ("kexact", "description", "homephone", "pager", "title", "ksingle", "userpassword")
        for kind, _ in (*(dn[0] if dn else ()), *rdn))


@rule("below an alias", "both",
      "Nothing is added below an alias: aliasProblem from Kauri, where slapd names what else is wrong with the "
      "entry. RFC 4511 sets no order.")
def _below_alias(d, _):
    return codes(d, 33, (19, 20, 21, 64, 65, 17, 34, 2)) and d.operation.kind == "add"


@rule("the last alias", "kauri",
      "The matchedDN of aliasProblem is the last object or alias used in finding the target (RFC 4511 section "
      "4.1.9); slapd names the first of a chain.")
def _last_alias(d, _):
    return d.what == "matched" and d.kauri.code == 33 and d.kauri.matched and d.slapd.matched


@rule("matchedDN of a rename", "kauri",
      "The last entry used in finding the target is named in every noSuchObject (RFC 4511 section 4.1.9); slapd "
      "leaves it out of some renames.")
def _rename_matched(d, _):
    return d.what == "matched" and d.operation.kind == "rename" and d.kauri.code == 32 and d.slapd.matched == b""


@rule("search below the subschema entry", "kauri",
      "The base exists, so a search that finds nothing is a success (RFC 4511 section 4.5.2); slapd says "
      "noSuchObject where the filter does not match or the scope is another.")
def _subschema(d, _):
    return codes(d, 0, 32) and d.operation.kind == "search" and d.operation.parts.get("dn") == SUBSCHEMA


@rule("types without equality in names", "both",
      "A type without equality rule cannot name an entry (RFC 4512 section 2.3.1): Kauri says that the name is "
      "invalid, slapd that there is no such entry.")
def _no_equality(d, _):
    return (codes(d, 34, (32, 33, 49, 10, 8, 50, 53, 19, 21, 65, 64)) and b"no equality rule" in d.kauri.text)


@rule("options in names", "kauri",
      "A type in a name has no options (RFC 4514 section 3); slapd reads over them.")
def _options_in_names(d, _):
    return d.what == "code" and d.kauri.code == 34 and b"cn;lang-en=x" in d.operation.body


def _avas(operation):
    """What the names of a request are made of, as (type, value)."""
    parts = operation.parts
    rdns = [*(parts.get("dn") or ()), parts.get("rdn") or (), *(parts.get("superior") or ())]
    return [ava for rdn in rdns for ava in rdn]


@rule("IA5 names of one space", "kauri",
      "A value of spaces alone is one space (RFC 4518 section 2.6.1), and no empty one; slapd refuses it in names.")
def _ia5_space(d, _):
    return d.what == "code" and d.slapd.code == 34 and any(
        not value.strip(b" ") and values.kind_of(kind) == "ia5" for kind, value in _avas(d.operation))


@rule("octets in names", "kauri",
      "An escaped octet of a name stands for itself (RFC 4514 section 3), and an octet string takes any; slapd refuses "
      "names that are no UTF-8 then.")
def _octets_in_names(d, _):
    return d.what == "code" and d.slapd.code == 34 and any(
        values.kind_of(kind) == "octets" and not value.isascii() for kind, value in _avas(d.operation))


@rule("slapd cannot rename", "kauri",
      "slapd fails with other(80), 'DN index add failed', at some renames.")
def _rename_fails(d, _):
    return d.what == "code" and d.slapd.code == 80 and d.slapd.text == b"DN index add failed"
