"""What a rule is that lets a difference be, and what the rules ask of differences."""
import collections

import names
from world import HIDDEN

SUBSCHEMA = ((("cn", b"Subschema"),),)
UPDATES = ("add", "modify", "delete", "rename")
RULES = []
# What Kauri answers where an operation is refused, or is not.
_USUAL = (0, 2, 5, 6, 8, 10, 12, 16, 17, 18, 19, 20, 21, 32, 33, 34, 49, 50, 53, 64, 65, 66, 67, 68, 69, 71)


class Rule:
    def __init__(self, name, right, reason, fits):
        """right: who is right by the standard: kauri | slapd | both. fits(difference, world): whether it is this."""
        self.name, self.right, self.reason, self.fits = name, right, reason, fits
        self.hits = 0


def rule(name, right, reason):
    def keep(function):
        RULES.append(Rule(name, right, reason, function))
        return function
    return keep


def find(difference, world):
    """-> the first rule that allows it, which counts it; or None"""
    if difference.what == "code" and difference.kauri.code not in _USUAL:
        return None
    for one in RULES:
        if one.fits(difference, world):
            one.hits += 1
            return one
    return None


# --- questions ------------------------------------------------------------------------------------------------------------


def codes(d, kauri, slapd):
    """Whether the result codes are these; each is one or a tuple of them."""
    def among(code, wanted):
        return code in wanted if isinstance(wanted, tuple) else code == wanted
    return d.what == "code" and among(d.kauri.code, kauri) and among(d.slapd.code, slapd)


def leaf_type(d):
    """The attribute that the leaf in question names, in small letters; empty where it names none."""
    leaf = d.parts["leaf"]
    return (leaf[2] or "" if leaf[0] == "ext" else leaf[1]).lower().split(";")[0]


def below_hidden(d):
    """Whether the request of somebody whom the rules bind is for an entry of the hidden branch."""
    dn = d.operation.parts.get("dn") if d.operation else None
    return d.operation.session not in ("admin", "alice") and dn is not None and (
        names.key_of(dn)[-len(HIDDEN):] == names.key_of(HIDDEN))


def references(d, side):
    """How often each reference comes, trimmed."""
    return collections.Counter(tuple(sorted((uri[:2] for uri in one), key=repr)) for one in d.parts[side])
