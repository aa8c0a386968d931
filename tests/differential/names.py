"""Names: a DN as a tuple of RDNs, each a tuple of (type, octets); many spellings of one, and one form to compare by.

The reader here is a third one beside those of the two servers, and as strict as RFC 4514 section 3: a name in an answer
that it cannot read is a fault of the server that sent it.
"""
import re
import unicodedata

# Names and numbers of the types that stand in names here (RFC 4519, RFC 4524, RFC 2307).
OIDS = {
    "cn": "2.5.4.3", "sn": "2.5.4.4", "c": "2.5.4.6", "l": "2.5.4.7", "o": "2.5.4.10", "ou": "2.5.4.11",
    "uid": "0.9.2342.19200300.100.1.1", "dc": "0.9.2342.19200300.100.1.25", "description": "2.5.4.13",
    "mail": "0.9.2342.19200300.100.1.3", "uidnumber": "1.3.6.1.1.1.1.0", "givenname": "2.5.4.42",
    "seealso": "2.5.4.34", "kint": "1.3.6.1.4.1.32473.3.1", "kexact": "1.3.6.1.4.1.32473.3.5",
}
LONG = {"cn": "commonName", "sn": "surname", "l": "localityName", "o": "organizationName", "c": "countryName",
        "ou": "organizationalUnitName", "uid": "userid", "dc": "domainComponent", "mail": "rfc822Mailbox",
        "givenname": "gn"}
_SAME = {oid: name for name, oid in OIDS.items()} | {text.lower(): name for name, text in LONG.items()}
# Types here whose values differ when their case does.
EXACT = {"kexact", "kia5", "koct", "memberuid", "labeleduri", "homedirectory", "userpassword"}
NAMES = {"seealso", "manager", "member", "kdn"}  # types here whose values are names themselves
SPECIAL = b'"+,;<>\\'


def one_type(text):
    """The one name of a type, however it is written."""
    lower = text.lower()
    if lower.startswith("oid."):
        lower = lower[4:]
    return _SAME.get(lower, lower)


def key_of(dn):
    """Equal for equal names, as far as the values made here go: case and runs of spaces do not count."""
    if (known := _KEYS.get(dn)) is None:
        if len(_KEYS) > 50000:
            _KEYS.clear()
        known = _KEYS[dn] = tuple(_rdn_key(rdn) for rdn in dn)
    return known


_KEYS, _RDN_KEYS = {}, {}


def _rdn_key(rdn):
    def value_key(kind, value):
        text = re.sub(rb" +", b" ", value.strip(b" "))
        if one_type(kind) in EXACT:
            return text
        return unicodedata.normalize("NFKC", text.decode("utf-8", "surrogateescape")).casefold()
    if (known := _RDN_KEYS.get(rdn)) is None:
        if len(_RDN_KEYS) > 50000:
            _RDN_KEYS.clear()
        known = _RDN_KEYS[rdn] = tuple(sorted((one_type(kind), value_key(kind, value)) for kind, value in rdn))
    return known


# --- writing --------------------------------------------------------------------------------------------------------------


def escape_plainly(value):
    out = bytearray()
    for at, octet in enumerate(value):
        edge = octet == 0x20 and at in (0, len(value) - 1)
        if octet == 0:
            out += b"\\00"
        elif octet in SPECIAL or edge or (octet == 0x23 and at == 0):
            out += b"\\" + bytes([octet])
        else:
            out.append(octet)
    return bytes(out)


def plain(dn):
    """The usual spelling."""
    return b",".join(b"+".join(kind.encode() + b"=" + escape_plainly(value) for kind, value in rdn) for rdn in dn)


def _spaces(rng):
    return b" " * rng.choice((0, 0, 0, 1, 2))


def _odd_case(rng, text):
    return "".join(rng.choice((letter.lower(), letter.upper())) if letter.isascii() else letter for letter in text)


def _spell_type(rng, kind):
    choice = rng.randrange(8)
    lower = kind.lower()
    if choice == 0 and lower in OIDS:
        return OIDS[lower].encode()
    if choice == 1 and lower in LONG:
        return _odd_case(rng, LONG[lower]).encode()
    if choice == 2:
        return kind.upper().encode()
    if choice == 3:
        return _odd_case(rng, kind).encode()
    return kind.encode()


def _octets_or_characters(value):
    try:
        return [one.encode() for one in value.decode()]
    except UnicodeDecodeError:
        return [bytes([octet]) for octet in value]


def _spell_value(rng, kind, value):
    """The same value to the matching rule, in other octets."""
    if one_type(kind) not in EXACT and rng.random() < 0.5:
        try:
            value = _odd_case(rng, value.decode()).encode()
        except UnicodeDecodeError:
            pass
    if b" " in value.strip(b" ") and rng.random() < 0.3:
        value = value.replace(b" ", b"  ", 1)
    choice = rng.randrange(10)
    if choice == 0 and len(value) < 128:
        return b"#04" + bytes([len(value)]).hex().encode() + value.hex().encode()
    if choice == 1:
        return b"".join(b"\\%02x" % octet for octet in value)
    if choice in (2, 3):
        return b"".join(b"".join(b"\\%02X" % octet for octet in one)
                        if rng.random() < 0.4 or one in b'"+,;<>\\# ' or one < b" " else one
                        for one in _octets_or_characters(value))
    return escape_plainly(value)


def spell(rng, dn):
    """One of the ways to write it (RFC 4514 section 3, and the older forms of section 2.1 of RFC 2253)."""
    if rng.random() < 0.5:
        return plain(dn)
    rdns = []
    for rdn in dn:
        avas = [_spell_type(rng, kind) + (_spaces(rng) + b"=" + _spaces(rng) if rng.random() < 0.3 else b"=") +
                _spell_value(rng, kind, value) for kind, value in rdn]
        rng.shuffle(avas)
        rdns.append((_spaces(rng) + b"+" + _spaces(rng)).join(avas))
    semicolons = rng.random() < 0.03
    out = b""
    for at, rdn in enumerate(rdns):
        comma = b";" if semicolons and at % 2 else b","
        out += (_spaces(rng) + comma + _spaces(rng) if at and rng.random() < 0.3 else comma if at else b"") + rdn
    return out


_HEX = re.compile(rb"= *#04([0-9a-f]{2})((?:[0-9a-f]{2})+)")


def without_hex(octets):
    """The hexadecimal form of values (RFC 4514 section 2.4) written with escapes, which slapd reads too."""
    def pairs(match):
        if int(match.group(1), 16) * 2 != len(match.group(2)):
            return match.group(0)
        return b"=" + re.sub(rb"(..)", rb"\\\1", match.group(2))
    return _HEX.sub(pairs, octets) if b"#04" in octets else octets


def broken(rng, dn):
    """No DN, or one with a value that its type does not take."""
    text = plain(dn)
    return rng.choice((
        text + b",", b"," + text, text.replace(b"=", b"", 1), b"=x," + text, b"x," + text, b"cn=," + text,
        b"cn=a+," + text, b"cn=a\\," + text[:3] + b"\\", b"cn=\\zz," + text, b"cn=\\4," + text, b"cn=a\x00b," + text,
        b"cn=a\xffb," + text, b"cn=\\ff\\fe," + text, b"cn=<x>," + text, b'cn="x,' + text, b"cn=#04," + text,
        b"cn=#zz," + text, b"cn=#0401," + text, b"1.2.=x," + text, b"cn=a,,o=b," + text, b"cn=x+cn=y," + text,
        b"cn=#," + text, b"nosuch=x," + text, b"c=USA," + text, b"dc=\xc3\xa9," + text, b"jpegPhoto=x," + text,
        b"uidNumber=abc," + text, b"uidNumber=01," + text, b"-cn=x," + text, b"c_n=x," + text, b"cn;lang-en=x," + text,
        b"9.9.9.9=x," + text, b"kNoEq=x," + text, b"entryUUID=x," + text, b"seeAlso=cn=x," + text,
        b"seeAlso=cn\\=x\\,o\\=y," + text, b"cn = x +  sn= y," + text,
    ))


# --- reading --------------------------------------------------------------------------------------------------------------

_TYPE = re.compile(rb"([A-Za-z][A-Za-z0-9-]*|[0-9]+(?:\.[0-9]+)+)=")
_LENIENT_TYPE = re.compile(rb" *(?:[Oo][Ii][Dd]\.)?([A-Za-z][A-Za-z0-9-]*|[0-9]+(?:\.[0-9]+)+) *= *")
_KNOWN = {}


class NoName(ValueError):
    """Not a DN by RFC 4514 section 3."""


def _read_hex(text, at):
    match = re.compile(rb"#((?:[0-9A-Fa-f]{2})+)").match(text, at)
    raw = bytes.fromhex(match.group(1).decode()) if match else b""
    if len(raw) < 3 or raw[1] != len(raw) - 2:
        raise NoName(text)
    return raw[2:], match.end()


def _read_value(text, at, separators):
    if text[at:at + 1] == b"#":
        return _read_hex(text, at)
    out = bytearray()
    while at < len(text) and text[at] not in separators:
        octet = text[at]
        if octet == 0x5C:
            two = text[at + 1:at + 3]
            if re.fullmatch(rb"[0-9A-Fa-f]{2}", two):
                out.append(int(two, 16))
                at += 3
                continue
            if not two or two[0] not in b' "#+,;<=>\\':
                raise NoName(text)
            out.append(two[0])
            at += 2
            continue
        if octet == 0x20 and re.compile(rb" *($|[" + separators + rb"])").match(text, at):
            if separators == b",+":
                raise NoName(text)  # a space before a separator is escaped
            at = re.compile(rb" *").match(text, at).end()
            break
        if octet in b'";<>\x00' or (octet == 0x20 and not out):
            raise NoName(text)
        out.append(octet)
        at += 1
    if not out:
        raise NoName(text)
    return bytes(out), at


def read_leniently(text):
    """read() for what clients may send: spaces around separators, semicolons, an OID prefix (RFC 4514 section 3 and
    RFC 2253 section 4)."""
    try:
        text.decode()
    except UnicodeDecodeError as error:
        raise NoName(text) from error
    return _read(text, _LENIENT_TYPE, b",+;") if text.strip(b" ") else ()


def read(text):
    """-> the DN as a tuple of RDNs, types in their one name, assertions of an RDN sorted. Raises NoName."""
    if (known := _KNOWN.get(text)) is None:
        if len(_KNOWN) > 20000:
            _KNOWN.clear()
        known = _KNOWN[text] = _read(text, _TYPE, b",+")
    return known


def _read(text, type_form, separators):
    at, dn, rdn = 0, [], []
    while at < len(text):
        match = type_form.match(text, at)
        if not match:
            raise NoName(text)
        value, at = _read_value(text, match.end(), separators)
        at = at if separators == b",+" else re.compile(rb" *").match(text, at).end()
        kind = one_type(match.group(1).decode())
        if kind in NAMES:
            value = plain(read_leniently(value))
        elif kind == "kuuid":
            value = value.lower()
        rdn.append((kind, value))
        if at == len(text):
            break
        if text[at] not in separators:
            raise NoName(text)
        if text[at] != 0x2B:
            dn.append(tuple(sorted(rdn)))
            rdn = []
        at += 1
        if at == len(text):
            raise NoName(text)
    if rdn:
        dn.append(tuple(sorted(rdn)))
    return tuple(dn)
