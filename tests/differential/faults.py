"""What is wrong with a request, said by a third reader: the result codes that it has earned.

RFC 4511 does not say which of several faults a server names (section 4.1.9 lists the codes, no order), so two servers
may name different ones; but each has to be there.
"""
import calendar
import re

import names
import values
from operations import UNKNOWN_CRITICAL
from world import HIDDEN, SUFFIX

_TIME = re.compile(rb"\d{4}(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])([01]\d|2[0-3])([0-5]\d([0-5]\d|60)?)?([.,]\d+)?"
                   rb"(Z|[+-]([01]\d|2[0-3])([0-5]\d)?)")
_FORMS = {
    "integer": re.compile(rb"0|-?[1-9]\d*"), "bool": re.compile(rb"TRUE|FALSE"), "bits": re.compile(rb"'[01]*'B"),
    "time": _TIME, "number": re.compile(rb"[0-9 ]+"), "print": re.compile(rb"[A-Za-z0-9'()+,./:? =-]+"),
    "country": re.compile(rb"[A-Za-z]{2}"), "phone": re.compile(rb"[A-Za-z0-9'()+,./:? =-]+"),
    "uuid": re.compile(rb"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"),
    "csn": re.compile(rb"\d{14}\.\d{6}Z#[0-9a-fA-F]{6}#[0-9a-fA-F]{3}#[0-9a-fA-F]{6}"),
    "oid": re.compile(rb"[A-Za-z][A-Za-z0-9-]*|[0-9]+(\.[0-9]+)+"),
    "delivery": re.compile(rb"(any|mhs|physical|telex|teletex|g3fax|g4fax|ia5|videotex|telephone)"
                           rb"( *\$ *(any|mhs|physical|telex|teletex|g3fax|g4fax|ia5|videotex|telephone))*"),
}
_BASE_NAMES = {name.lower(): name for name in (*values.TYPES, *values.OPERATIONAL)} | {
    names.OIDS[lower]: name for name in values.TYPES if (lower := name.lower()) in names.OIDS} | {
    names.LONG[lower].lower(): name for name in values.TYPES if (lower := name.lower()) in names.LONG} | {
    "aliasedobjectname": "aliasedObjectName", "ref": "ref"}
_OPTION = re.compile(r"(lang|x)-[a-z0-9-]*", re.I)


def is_known_option(option):
    return _OPTION.fullmatch(option) is not None


def _odd_options(description):
    """Whether a server may not know the description for its options: undefined ones, or one that names many (RFC 3866
    section 3)."""
    return any(not is_known_option(option) or option.endswith("-") for option in description.split(";")[1:])


def base_of(description):
    """-> the type's own name without options, or None for one that no schema here has"""
    return _BASE_NAMES.get(description.split(";")[0].lower())


def type_of(description):
    """The same, and None where an option is one that not every server has."""
    return base_of(description) if all(map(is_known_option, description.split(";")[1:])) else None


def is_text(value):
    try:
        return bool(value) and "\x00" not in value.decode() and True
    except UnicodeDecodeError:
        return False


def is_name(value):
    try:
        dn = names.read_leniently(value)
    except names.NoName:
        return False
    for rdn in dn:
        kinds = [kind for kind, _ in rdn]
        if len(set(kinds)) < len(kinds):
            return False
        for kind, part in rdn:
            known = _BASE_NAMES.get(kind)
            if known is None or not values.TYPES.get(known, (0, 1))[1] or not is_valid(known, part):
                return False
    return True


def _is_day(time):
    year, month, day = int(time[:4]), int(time[4:6]), int(time[6:8])
    return year > 0 and day <= calendar.monthrange(year, month)[1]


def is_valid(name, value):
    """Whether the value is one of the type's syntax."""
    kind = values.kind_of(name)
    if kind in _FORMS:
        return _FORMS[kind].fullmatch(value) is not None and (kind != "time" or _is_day(value))
    if kind == "class":
        return value.lower() in {one.lower() for one in values.CLASSES} - {b"nosuchclass", b"9.9.9", b""}
    if kind in ("text", "postal"):
        return is_text(value) and (kind == "text" or not re.search(rb"\\(?!24|5[Cc])", value))
    if kind in ("ia5", "uri"):
        return bool(value) and (value.isascii() if kind == "ia5" else is_text(value))
    if kind in ("dn", "uniquedn"):
        if kind == "uniquedn":
            value = re.sub(rb"#'[01]*'B$", b"", value)
        return is_name(value)
    if kind == "fax":
        return re.fullmatch(rb"[A-Za-z0-9'()+,./:? =-]+(\$(twoDimensional|fineResolution|unlimitedLength|b4Length|a3Width|"
                            rb"b4Width|uncompressed))*", value) is not None
    return kind != "jpeg" or value.startswith(b"\xff\xd8")


def _same_value(kind, value):
    """Equal for values that are surely equal to a rule of this kind."""
    if kind in ("dn", "uniquedn"):
        name, mark, bits = value.partition(b"#'")
        try:
            return names.key_of(names.read_leniently(name)), mark + bits
        except names.NoName:
            return value
    return names.key_of(((("cn", re.sub(rb"[ -]", b"", value)),),))


def _of_values(description, found):
    """Faults of one attribute of a request."""
    name = base_of(description)
    if name is None:
        yield 17
        return
    if _odd_options(description):
        yield 17
    if name in values.OPERATIONAL or name == "ref":
        yield from (19, 17) if ";" in description else (19,)
    if any(not is_valid(name, value) for value in found):
        yield 21
    kind, _, _, _, single = values.TYPES.get(name, (None, 1, 1, 1, name == "aliasedObjectName"))
    if single and len(found) > 1:
        yield 19
    if len({_same_value(values.kind_of(name), value) for value in found}) < len(found):
        yield 20
    if kind in ("time", "oid", "class") and len(found) > 1:
        yield 20  # spellings of one value are the servers' business


def _of_target(world, dn, text, parent=False):
    if not is_name(text):
        yield 34
    if dn is None:
        yield from (32, 34)
        return
    if dn[len(dn) - len(SUFFIX):] != SUFFIX and names.key_of(dn)[-len(SUFFIX):] != names.key_of(SUFFIX):
        yield from (32, 53)
    elif not world.has(dn[1:] if parent else dn):
        yield 32


def _session(operation):
    """What the requester may not do. Who it is bound as is not known of the roving session."""
    if operation.session in ("anonymous", "roving"):
        yield 8
    if operation.session == "admin":
        return
    yield 50
    if any(dn and names.key_of(dn)[-len(HIDDEN):] == names.key_of(HIDDEN)
           for dn in (operation.parts.get("dn"), operation.parts.get("superior"))):
        yield 32


def _of_search(_, parts):
    if not is_name(parts["base"]):
        yield 34
    yield from (32, 10, 33)


def _of_bind(_, parts):
    yield from (49, 53)
    if parts["version"] != 3:
        yield 2
    if not is_name(parts["name"]):
        yield 34


def _of_add(world, parts):
    yield 10
    seen = set()
    for description, given in parts["attributes"]:
        yield from _of_values(description, given)
        if not given:
            yield 2
        one = (type_of(description), *sorted(description.lower().split(";")[1:]))
        if one in seen:
            yield 20
        seen.add(one)
    if parts["dn"] is not None and world.has(parts["dn"]):
        yield 68


def _of_modify(_, parts):
    yield 10
    if not parts["changes"]:
        yield 2
    for kind, description, given in parts["changes"]:
        yield from _of_values(description, given)
        if (kind == 0 and not given) or (kind == 3 and len(given) != 1):
            yield 2
        name = base_of(description)
        if kind == 3 and name is not None and values.kind_of(name) != "integer":
            yield 19
        if name is not None and not values.TYPES.get(name, (0, 1))[1]:
            yield 18


def _of_rename(world, parts):
    yield 10
    dn, new = parts["dn"], parts["new"]
    if not is_name(parts["text_rdn"]) or not parts["text_rdn"].strip():
        yield from (34, 17)
    if parts["text_superior"] is not None:
        yield 71
        superior = parts["superior"]
        yield from _of_target(world, superior, parts["text_superior"])
        if superior is None and is_name(parts["text_superior"]):
            superior = names.read_leniently(parts["text_superior"])
        if dn and superior and names.key_of(superior)[-len(dn):] == names.key_of(dn):
            yield 53
    if dn and new is not None and names.key_of(dn)[-len(new):] == names.key_of(new):
        yield 53
    if new is not None and world.has(new):
        yield 68


def _of_delete(_, __):
    yield from (10, 66)


def _of_compare(_, parts):
    yield 10
    name = base_of(parts["attribute"])
    if name is None:
        yield 17
        return
    if _odd_options(parts["attribute"]):
        yield 17
    if not is_valid(name, parts["value"]):
        yield 21
    if name in values.OPERATIONAL and ";" in parts["attribute"]:
        yield 17
    if not values.TYPES.get(name, (0, 1))[1]:
        yield 18


_KINDS = {"search": _of_search, "bind": _of_bind, "add": _of_add, "modify": _of_modify, "rename": _of_rename,
          "delete": _of_delete, "compare": _of_compare}
# What depends on the contents of entries: not judged here, but possible.
CONTENT = {"add": (65, 64, 20, 19, 33), "modify": (65, 64, 16, 20, 19, 69, 67), "rename": (65, 64, 19, 33),
           "compare": (5, 6, 16)}


def of_request(world, operation):
    """-> {code}: what can be seen without the contents of the entry"""
    parts = operation.parts
    found = set(_KINDS[operation.kind](world, parts))
    if operation.kind != "bind":
        found.update(_session(operation))
    if operation.controls == UNKNOWN_CRITICAL:
        found.add(12)
    if "name" in parts and operation.kind != "bind":
        found.update(_of_target(world, parts.get("dn"), parts["name"], operation.kind == "add"))
    return found
