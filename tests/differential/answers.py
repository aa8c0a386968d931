"""Answers in one form, and what differs between two of them."""
import re
import urllib.parse

import names
import values
import wire

# What no two servers have alike: the form is checked, the value is not compared.
OWN_VALUES = {
    "entryuuid": re.compile(rb"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    "entrycsn": re.compile(rb"\d{14}\.\d{6}Z#[0-9a-f]{6}#[0-9a-f]{3}#[0-9a-f]{6}"),
    "createtimestamp": re.compile(rb"\d{14}Z"), "modifytimestamp": re.compile(rb"\d{14}Z"),
}


_BITS = re.compile(rb"#'[01]*'B$")


# Kauri writes the administrator as it is configured, slapd as the bind spelled it.
# slapd writes names of classes as its schema does, and UUIDs in small letters.
_CLASS_NAMES = {b"2.5.6.6": b"person"}
_LOWER = ("objectclass", "structuralobjectclass", "kuuid")
_WHO = ("creatorsname", "modifiersname")


def description_key(text):
    base, *options = text.decode("utf-8", "backslashreplace").lower().split(";")
    return ";".join([base, *sorted(options)])


def value_key(base, value):
    """Names in values may be spelled as one likes (RFC 4514 section 4, RFC 4517 section 3.3.9): they count as names."""
    if base in values.DN_TYPES or base == "uniquemember":
        bits = _BITS.search(value) if base == "uniquemember" else None
        try:
            name = names.read_leniently(value[:bits.start()] if bits else value)
            return names.key_of(name) if base in _WHO else name, bits and bits.group()
        except names.NoName:
            return value
    if base in _LOWER:
        return _CLASS_NAMES.get(value, value.lower())
    form = OWN_VALUES.get(base)
    return b"<own>" if form is not None and form.fullmatch(value) else value


class Unreadable(Exception):
    """An answer that is no answer."""


class Twice(Exception):
    """One entry more than once in an answer."""


class Entry:
    __slots__ = ("dn", "text", "attributes", "raw")

    def __init__(self, octets):
        (_, self.text), (_, body) = wire.elements(octets)
        self.dn = names.read(self.text)
        self.attributes, self.raw = {}, {}
        for _, one in wire.elements(body):
            (_, name), (_, found) = wire.elements(one)
            key = description_key(name)
            if key in self.attributes:
                raise Unreadable(f"{self.text!r} has the attribute {key} twice")
            found = [value for _, value in wire.elements(found)]
            base = key.split(";")[0]
            self.attributes[key] = sorted((value_key(base, value) for value in found), key=repr)
            self.raw[key] = found


class Reader:
    """Entries by their octets: the same octets are read once."""

    def __init__(self):
        self.known = {}

    def entry(self, octets):
        found = self.known.get(octets)
        if found is None:
            if len(self.known) > 50000:
                self.known.clear()
            found = self.known[octets] = Entry(octets)
        return found

    def entries(self, answer, tolerant=False):
        """-> {DN: Entry}. Raises Unreadable, and Twice unless tolerant."""
        found = {}
        for octets in answer.entries:
            try:
                entry = self.entry(octets)
            except names.NoName as error:
                raise Unreadable(f"an entry's name cannot be read: {error}") from error
            if entry.dn in found and not tolerant:
                raise Twice(f"{entry.text!r} comes twice")
            found[entry.dn] = entry
        return found


class Difference:
    """One thing in which the answers differ. what: code | matched | referrals | references | identity | unreadable |
    answers (who is in the answer: with `leaf`) | composition | attribute | tree."""

    def __init__(self, what, operation, kauri, slapd, text="", **parts):
        self.what, self.operation, self.kauri, self.slapd, self.text = what, operation, kauri, slapd, text
        self.parts = parts

    def signature(self):
        parts = [self.operation.kind if self.operation else "tree", self.what]
        if self.what == "code":
            parts.append(f"kauri {self.kauri.code} slapd {self.slapd.code}")
        if "attribute" in self.parts:
            parts.append(self.parts["attribute"])
        if "leaf" in self.parts:
            leaf = self.parts["leaf"]
            parts += [str(leaf[0]), str(leaf[2] if leaf[0] == "ext" else leaf[1]).split(";", maxsplit=1)[0].lower()]
            if leaf[0] == "ext":
                parts.append(str(leaf[1]))
        return " ".join(parts)


def _name_or_octets(octets):
    try:
        return names.read(octets)
    except names.NoName:
        return octets


def _identity(value):
    if value is None or not value.startswith(b"dn:"):
        return value
    try:
        return names.key_of(names.read(value[3:]))
    except names.NoName:
        return value


def compare_results(operation, kauri, slapd):
    """What can be said without looking at entries."""
    if kauri.code != slapd.code:
        yield Difference("code", operation, kauri, slapd, f"code {kauri.code}, slapd {slapd.code}")
        return
    if kauri.matched != slapd.matched and _name_or_octets(kauri.matched) != _name_or_octets(slapd.matched):
        yield Difference("matched", operation, kauri, slapd, f"matchedDN {kauri.matched!r}, slapd {slapd.matched!r}")
    ours, theirs = (sorted(map(uri_key, answer.referrals), key=repr) for answer in (kauri, slapd))
    if ours != theirs:
        yield Difference("referrals", operation, kauri, slapd, f"{kauri.referrals}, slapd {slapd.referrals}", ours=ours,
                         theirs=theirs)
    if operation.kind == "whoami" and _identity(kauri.value) != _identity(slapd.value):
        yield Difference("identity", operation, kauri, slapd, f"{kauri.value}, slapd {slapd.value}")


def uri_key(uri):
    """-> (scheme and host, name, what follows)"""
    match = re.fullmatch(rb"(ldaps?://[^/?]*)/?([^?]*)(.*)", uri)
    if not match:
        return uri, b"", b""
    text = urllib.parse.unquote_to_bytes(match.group(2))
    name = _name_or_octets(text)
    return match.group(1), names.key_of(name) if isinstance(name, tuple) else name, match.group(3)


def references_of(answer):
    return sorted((tuple(sorted((uri_key(uri) for _, uri in wire.elements(octets)), key=repr))
                   for octets in answer.references), key=repr)


def compare_entries(operation, kauri, slapd, ours, theirs, what="attribute"):
    """Of the entries that are in both."""
    for dn, entry in ours.items():
        other = theirs.get(dn)
        if other is None or entry.attributes == other.attributes:
            continue
        for name in sorted(entry.attributes.keys() | other.attributes.keys()):
            a, b = entry.attributes.get(name), other.attributes.get(name)
            if a != b:
                yield Difference(what, operation, kauri, slapd,
                                 f"{entry.text!r} {name}: {entry.raw.get(name)}, slapd {other.raw.get(name)}",
                                 attribute=name, ours=entry.raw.get(name), theirs=other.raw.get(name), entry=entry,
                                 other=other)
