"""Random filters as trees, their octets for each server, their text, and three-valued logic over what the leaves say.

A tree: ("&"|"|", [tree...]) | ("!", tree) | a leaf. A leaf: ("="|">="|"<="|"~=", attribute, value) | ("present",
attribute) | ("sub", attribute, ((0|1|2, value), ...)) | ("ext", rule or None, attribute or None, value, dn).
"""
import sys
import os

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "hostile"))

import names  # noqa: E402
import values  # noqa: E402
import wire  # noqa: E402

RULES = ["caseIgnoreMatch", "caseExactMatch", "2.5.13.5", "2.5.13.2", "integerMatch", "octetStringMatch", "booleanMatch",
         "distinguishedNameMatch", "caseIgnoreIA5Match", "caseExactIA5Match", "numericStringMatch", "bitStringMatch",
         "generalizedTimeMatch", "objectIdentifierMatch", "telephoneNumberMatch", "uniqueMemberMatch", "UUIDMatch",
         "caseIgnoreListMatch", "1.2.840.113556.1.4.803", "1.2.840.113556.1.4.804", "nosuchMatch", "9.9.9",
         "integerOrderingMatch", "caseIgnoreOrderingMatch", "caseExactOrderingMatch", "generalizedTimeOrderingMatch",
         "caseIgnoreSubstringsMatch", "dnSubtreeMatch", "dnOneLevelMatch", "dnSubordinateMatch", "dnSuperiorMatch",
         "integerFirstComponentMatch", "numericStringOrderingMatch", "octetStringOrderingMatch", "keywordMatch",
         "wordMatch", "2.5.13.14", "INTEGERMATCH"]
FITTING = {
    "text": ["caseIgnoreMatch", "caseExactMatch", "caseIgnoreOrderingMatch"], "dn": ["distinguishedNameMatch"],
    "ia5": ["caseIgnoreIA5Match", "caseExactIA5Match"], "integer": ["integerMatch", "integerOrderingMatch",
    "1.2.840.113556.1.4.803", "1.2.840.113556.1.4.804"], "time": ["generalizedTimeMatch"], "number": ["numericStringMatch"],
    "bool": ["booleanMatch"], "octets": ["octetStringMatch"], "bits": ["bitStringMatch"], "class": ["objectIdentifierMatch"],
    "phone": ["telephoneNumberMatch"], "uuid": ["UUIDMatch"], "print": ["caseIgnoreMatch", "caseExactMatch"],
}
_CONNECTIVES = {"&": 0xA0, "|": 0xA1}
_COMPARISONS = {"=": 0xA3, ">=": 0xA5, "<=": 0xA6, "~=": 0xA8}


def is_leaf(tree):
    return tree[0] not in ("&", "|", "!")


def leaves(tree):
    if is_leaf(tree):
        return [tree]
    if tree[0] == "!":
        return leaves(tree[1])
    return [leaf for part in tree[1] for leaf in leaves(part)]


def encode(tree, form):
    """form: what each value passes through. names.without_hex is slapd's: it also gets equality for approximate equality."""
    kind = tree[0]
    if kind in _CONNECTIVES:
        return wire.tlv(_CONNECTIVES[kind], *[encode(part, form) for part in tree[1]])
    if kind == "!":
        return wire.negated(encode(tree[1], form))
    if kind == "present":
        return wire.present(tree[1])
    if kind == "sub":
        return wire.substrings(tree[1], *tree[2])
    if kind == "ext":
        return wire.extensible(tree[1], tree[2], form(tree[3]), tree[4])
    if kind == "~=" and form is names.without_hex:
        kind = "="
    return wire.tlv(_COMPARISONS[kind], wire.octets(tree[1]), wire.octets(form(tree[2])))


def _shown(octets):
    return "".join(chr(o) if 0x20 <= o < 0x7F and o not in b"()*\\" else f"\\{o:02x}" for o in octets)


def text(tree):
    kind = tree[0]
    if kind in _CONNECTIVES:
        return f"({kind}{''.join(text(part) for part in tree[1])})"
    if kind == "!":
        return f"(!{text(tree[1])})"
    if kind == "present":
        return f"({tree[1]}=*)"
    if kind == "sub":
        parts = [_shown(value) for _, value in tree[2]]
        head = "" if tree[2] and tree[2][0][0] == 0 else "*"
        tail = "" if tree[2] and tree[2][-1][0] == 2 else "*"
        return f"({tree[1]}={head}{'*'.join(parts)}{tail})"
    if kind == "ext":
        return f"({tree[2] or ''}{':dn' if tree[4] else ''}{':' + tree[1] if tree[1] else ''}:={_shown(tree[3])})"
    return f"({tree[1]}{kind}{_shown(tree[2])})"


# --- meaning --------------------------------------------------------------------------------------------------------------


def combine(tree, known, everything):
    """known: leaf -> (names that it is True for, names that it is False for). -> the same for the tree (RFC 4511 section
    4.5.1.7): And is False where one part is, Or is True where one part is, Not swaps, the rest is Undefined."""
    if is_leaf(tree):
        return known[tree]
    if tree[0] == "!":
        true, false = combine(tree[1], known, everything)
        return false, true
    parts = [combine(part, known, everything) for part in tree[1]]
    if tree[0] == "&":
        true, false = everything, frozenset()
        for part_true, part_false in parts:
            true, false = true & part_true, false | part_false
        return true, false
    true, false = frozenset(), everything
    for part_true, part_false in parts:
        true, false = true | part_true, false & part_false
    return true, false


# --- chance ---------------------------------------------------------------------------------------------------------------


def _pieces(rng, value):
    """Cuts of a value, in their order: often they are all in it."""
    count = rng.choice((1, 1, 1, 2, 2, 3))
    cuts = sorted(rng.randrange(len(value) + 1) for _ in range(2 * count))
    found = [value[a:b] for a, b in zip(cuts[::2], cuts[1::2]) if a < b] or [value[:1] or b"a"]
    if rng.random() < 0.1:
        found.append(rng.choice((b" ", b"zz", b"\xff", b"*", b"  a")))
    head, tail = rng.random() < 0.4, rng.random() < 0.4
    if head:
        found[0] = value[:max(1, cuts[1] or 1)]
    if tail:
        found[-1] = value[-max(1, len(found[-1])):]
    last = len(found) - 1
    return tuple((0 if at == 0 and head else 2 if at == last and tail and (last or not head) else 1, piece)
                 for at, piece in enumerate(found) if piece) or ((1, b"a"),)


def leaf(rng, world):
    attribute = values.attribute(rng)
    spelled = values.rename(rng, attribute)
    kind, equality, ordering, substrings, _ = values.TYPES.get(
        attribute.split(";")[0], (values.OPERATIONAL.get(attribute, "text"), 1, 1, 1, 1))
    value = values.value(rng, attribute, world.values_of(attribute))
    choice = rng.random()
    if attribute in ("entryUUID", "entryCSN"):  # the servers have different ones, so no order of theirs
        return ("present", spelled) if choice < 0.4 else ("=", spelled, value)
    if choice < 0.14:
        return ("present", spelled)
    if choice < (0.34 if substrings else 0.18):
        return ("sub", spelled, _pieces(rng, value))
    if choice < (0.50 if ordering else 0.38):
        return (rng.choice((">=", "<=")), spelled, value)
    if choice < 0.54:
        return ("~=", spelled, value)
    if choice < 0.68:
        rule = rng.choice(FITTING.get(kind, RULES)) if rng.random() < 0.6 else rng.choice(RULES)
        form = rng.randrange(6)
        if form == 0:
            return ("ext", None, spelled, value, rng.random() < 0.5)
        if form == 1:
            return ("ext", rule, None, value, rng.random() < 0.5)
        return ("ext", rule, spelled, value, rng.random() < 0.4)
    return ("=", spelled, value)


def tree(rng, world, depth=0):
    choice = rng.random()
    if depth >= 4 or choice < (0.5 if depth == 0 else 0.65):
        return leaf(rng, world)
    if choice < 0.8:
        return ("!", tree(rng, world, depth + 1))
    width = rng.choice((0, 1, 2, 2, 2, 3, 3, 4)) if rng.random() < 0.9 else 8
    return (rng.choice("&|"), [tree(rng, world, depth + 1) for _ in range(width)])
