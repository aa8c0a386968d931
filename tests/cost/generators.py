"""Requests that grow with n, one family for each way in which the price of a request could outgrow its octets.

Each generator makes the request of size n; `sizes` are n, 2n and 4n, chosen so that the largest is at the limit that the
server sets by default, or close to it. `who` asks: nobody (anonymous), the user of the fixture, or the administrator, who
alone may write most entries.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "hostile"))

import wire  # noqa: E402
from world import MANY, P, S, U  # noqa: E402

KIB, MIB = 1 << 10, 1 << 20
ALL = []


class Generator:
    """build(n) -> the operation; or ask(connection, n) -> the last reply, where one request is not all.
    who: "anonymous", "user" or "admin". prepare(admin, n) puts the data into the state in which it is measured, before each
    measurement; finish(admin, n) takes that away.
    kind: what is bounded. READ: the worker's time. SLICED: how long the worker is held in one go, since the request takes turns.
    WRITE: the worker's and the writer's time, with an allowance for what has to be stored. CONSTANT: as READ, and n must not
    matter.
    values(n): what a WRITE puts in or takes out as records of their own, or has to look through.
    log: it needs a server with an access log.
    noise: seconds of which nothing is concluded, where packets go together or not as the machine likes."""

    def __init__(self, name, sizes, build=None, who="user", kind="READ", prepare=None, finish=None, controls=None, ask=None,
                 log=False, values=None, noise=0.0015):
        self.name, self.sizes, self.who, self.kind, self.log = name, sizes, who, kind, log
        self.prepare, self.finish = prepare, finish
        self.controls = controls or (lambda n: b"")
        self.values, self.noise = values or (lambda n: 0), noise
        self.build, self.ask = build, ask


def add_generator(name, sizes, build, **options):
    ALL.append(Generator(name, sizes, build, **options))


def generator(name, smallest, **options):
    """Registers the function below as the maker of the operation of size n, for n = smallest, 2 and 4 times that."""
    def keep(function):
        add_generator(name, doubled(smallest), function, **options)
        return function
    return keep


def doubled(smallest):
    return [smallest, 2 * smallest, 4 * smallest]


def up_to(largest):
    return [largest // 4, largest // 2, largest]


def search(matching, base=S, scope=wire.SUB, attributes=("1.1",)):
    return wire.search(base, scope, matching, attributes)


# --- framing and BER ------------------------------------------------------------------------------------------------------


@generator("T1 lengths with leading zeros", 500, who="anonymous")
def _(n):
    leaf = wire.tlv(0xA3, wire.tlv(4, b"uid", form=4), wire.tlv(4, b"a", form=4), form=4)
    return search(wire.tlv(0xA1, *[leaf] * n, form=4))


@generator("T2 a length that the message does not keep", 50 * KIB, who="anonymous")
def _(n):
    return wire.tlv(0x63, b"\0" * n, claim=n + 5)


@generator("T6 empty sequences as changes", 50 * KIB)
def _(n):
    return wire.tlv(0x66, wire.octets(U), wire.seq(b"\x30\x00" * n))


@generator("T6 empty sequences as attributes of a new entry", 50 * KIB)
def _(n):
    return wire.tlv(0x68, wire.octets(f"uid=new,{P}"), wire.seq(b"\x30\x00" * n))


@generator("T7 an integer of n octets", 1 * MIB)
def _(n):
    return wire.tlv(0x63, wire.octets(U), wire.enumerated(0), wire.enumerated(0), wire.tlv(2, b"\1" * n))


@generator("T8 elements behind the last known one", 500_000)
def _(n):
    return wire.tlv(0x63, wire.search(U, wire.BASE)[2:], wire.tlv(0x9E, b"") * n)


@generator("T9 nots inside each other", 15, who="anonymous")
def _(n):
    matching = wire.equal("uid", "a")
    for _ in range(n):
        matching = wire.negated(matching)
    return search(matching, U, wire.BASE)


@generator("T9 nots far beyond the limit", 100_000)
def _(n):
    sizes, size = [], 0
    for _ in range(n):
        sizes.append(size)
        size += 6
    nest = b"".join(b"\xa2\x84" + each.to_bytes(4, "big") for each in reversed(sizes))
    return search(nest)


# --- filters --------------------------------------------------------------------------------------------------------------


def wide(name, leaf, smallest=1000, **options):
    """An OR of n leaves, each with its number."""
    add_generator(name, doubled(smallest), lambda n: search(wire.either(*[leaf(i) for i in range(n)])), **options)


def at_least(attribute, value):
    return wire.tlv(0xA5, wire.octets(attribute), wire.octets(value))


def at_most(attribute, value):
    return wire.tlv(0xA6, wire.octets(attribute), wire.octets(value))


MOST = 1023  # four times that and the OR are the nodes of one filter
wide("T10 or of equalities", lambda i: wire.equal("uid", f"q{i}"), MOST, who="anonymous")
wide("T10 or of names", lambda i: wire.equal("seeAlso", f"cn=q{i},ou=x,dc=example,dc=com"), MOST)
wide("T10 or of substrings", lambda i: wire.substrings("cn", (1, f"qqq{i}")), MOST)
wide("T10 or of attributes nobody knows", lambda i: wire.equal(f"unknown{i}", "x"), MOST)
wide("T10 or of options", lambda i: wire.equal(f"description;lang-x{i}", "q"), MOST)
wide("T34 or of short substrings", lambda i: wire.substrings("cn", (1, "z"), (2, "q")), MOST, kind="SLICED")
wide("T34 or of presences", lambda i: wire.present("cn"), MOST, kind="SLICED")
wide("T34 or of equalities of an attribute with subtypes", lambda i: wire.equal("name", f"q{i}"), MOST, kind="SLICED")
wide("T34 or of ordering", lambda i: at_most("kTime", f"{1000 + i % 1000}0101000000Z"), MOST, kind="SLICED")
wide("T34 or of ranges of integers", lambda i: at_least("kInt", str(9999999 + i)), MOST, kind="SLICED")
wide("T34 or of large index lists", lambda i: at_least("uid", f"m{i % 10}"), MOST, kind="SLICED")
wide("T34 or of nots", lambda i: wire.negated(wire.equal("cn", f"q{i}")), 511, kind="SLICED")
wide("T34 or of common trigrams", lambda i: wire.substrings("cn", (1, f"m1{i % 100}")), MOST, kind="SLICED")
wide("T34 or of substrings nobody indexed", lambda i: wire.extensible("2.5.13.4", "cn", f"*qq{i}*"), 50, kind="SLICED")
wide("T34 or of rules without an attribute", lambda i: wire.extensible("2.5.13.2", None, f"q{i}"), 100, kind="SLICED")
wide("T34 or of names of entries", lambda i: wire.extensible("2.5.13.2", "cn", f"q{i}", True), 100, kind="SLICED")


@generator("T10 or far beyond the limit", 400_000)
def _(n):
    return search(wire.either(*[wire.equal("uid", "a")] * n))


@generator("T10 empty ands", 1_000_000)
def _(n):
    return search(wire.either(b"\xa0\x00" * n))


@generator("T10 parts of one substring", 16, who="anonymous")
def _(n):
    return search(wire.substrings("cn", *[(1, f"ab{i}") for i in range(n)]))


@generator("T10 parts beyond the limit", 1_000_000)
def _(n):
    return search(wire.tlv(0xA4, wire.octets("cn"), wire.seq(b"\x81\x01a" * n)))


# What one octet of these weighs (src/text/weight.h), so that the largest is at the limit of 4 MiB.
TEXTS = {"ASCII": ("ab", 1), "letters with marks": ("\u00e9", 10), "marks apart from their letters": ("e\u0301", 7),
         "Hangul syllables": ("\uac01", 10), "ligatures that unfold": ("\ufdfa", 230 / 3), "squared words": ("\u334a", 20),
         "capitals with dots": ("\u0130", 22.5), "marks in the wrong order": ("e\u0323\u0301\u0323\u0301", 81 / 9),
         "Tibetan vowel signs": ("a\u0f73\u0f75", 61 / 7), "spaces": (" a  ", 1)}
ASSERTION = 4 * MIB
for _title, (_text, _weight) in TEXTS.items():
    _octets = _text.encode()
    _sizes = up_to(int(ASSERTION / _weight) // len(_octets) * len(_octets) // 4 * 4)

    def _value(n, octets=_octets):
        return octets * (n // len(octets))

    add_generator(f"T10 an equality with a long value of {_title}", _sizes, lambda n, value=_value: search(wire.equal("cn", value(n))))
    add_generator(f"T10 a substring with a long part of {_title}", _sizes,
                  lambda n, value=_value: search(wire.substrings("cn", (1, value(n)))))
    add_generator(f"a long compare of {_title}", _sizes, lambda n, value=_value: wire.compare(U, "cn", value(n)))
    add_generator(f"T10 a value beyond the limit of {_title}", up_to(16 * MIB - KIB),
                  lambda n, value=_value: search(wire.equal("cn", value(n))))

for _title, _attribute, _make in (
        ("an integer", "kInt", lambda n: b"9" * n), ("an integer with zeros", "kInt", lambda n: b"0" * (n - 1) + b"1"),
        ("a name", "seeAlso", lambda n: b"cn=a," * (n // 5) + b"dc=x"), ("a number", "kNum", lambda n: b"1 " * (n // 2)),
        ("a telephone number", "telephoneNumber", lambda n: b"1-" * (n // 2)), ("a time", "kTime", lambda n: b"2" * n),
        ("an OID", "objectClass", lambda n: b"1." * (n // 2 - 1) + b"1"), ("octets", "userPassword", lambda n: b"7" * n),
        ("a postal address", "postalAddress", lambda n: b"a$" * (n // 2)),
        ("a certificate's issuer, T13", "userCertificate",
         lambda n: b"{ serialNumber 1, issuer rdnSequence:\"" + b"cn=a," * (n // 5 - 20)),
        ("braces, T13", "userCertificate", lambda n: b"{" * n), ("quotes, T13", "userCertificate", lambda n: b"\"" * n),
        ("a serial number, T13", "userCertificate", lambda n: b"9" * (n - 5) + b"$cn=x")):
    add_generator(f"T10 an equality with {_title}", up_to(ASSERTION),
                  lambda n, attribute=_attribute, make=_make: search(wire.equal(attribute, make(n)[:n])))


@generator("T10 an attribute name of n octets", 4 * MIB - KIB)
def _(n):
    return search(wire.equal("a" * n, "x"))


@generator("T10 a name with n options", 1 * MIB)
def _(n):
    return search(wire.equal(b"cn" + b";x" * n, "x"))


@generator("T10 an extensible filter with a long substring assertion", MIB)
def _(n):
    return search(wire.extensible("2.5.13.4", "cn", (b"*ab" * n)[:n]))


# --- lists ----------------------------------------------------------------------------------------------------------------


@generator("T11 empty attribute names", 2 * MIB - KIB)
def _(n):
    return wire.search(U, wire.BASE, attributes=[b""] * n)


@generator("T11 attribute names at the limit", 250, who="anonymous")
def _(n):
    return wire.search(U, wire.BASE, attributes=[f"x{i}" for i in range(n)])


@generator("T11 known attribute names with options at the limit", 250, who="anonymous")
def _(n):
    return wire.search(U, wire.BASE, attributes=[f"description;lang-{i}" for i in range(n)])


@generator("T11 object classes as attribute lists", 250, who="anonymous")
def _(n):
    return wire.search(U, wire.BASE, attributes=["@inetOrgPerson"] * n)


@generator("T12 controls", 300_000, controls=lambda n: wire.tlv(0xA0, wire.seq(wire.octets("1.2.3.4")) * n))
def _(n):
    return wire.search(U, wire.BASE)


@generator("T12 a control with a long value", 4 * MIB - KIB, controls=lambda n: wire.controls((wire.PAGED, True, b"\x30" * n)))
def _(n):
    return wire.search(U, wire.BASE)


@generator("T25 a long cookie", 4 * MIB - KIB, controls=lambda n: wire.controls(wire.paged(1, b"c" * n)))
def _(n):
    return wire.search(U, wire.BASE)


# --- names ----------------------------------------------------------------------------------------------------------------

_NAMES = {
    "RDNs": lambda n: b"cn=a," * n + S.encode(), "parts of one RDN": lambda n: b"+".join([b"cn=a"] * n) + b"," + S.encode(),
    "escapes": lambda n: b"cn=" + b"\\2c" * n + b"," + S.encode(), "nested names": lambda n: b"seeAlso=" + b"cn\\=a\\," * n,
    "hexadecimal digits": lambda n: b"1.2.3=#04" + b"84" + b"%08x" % n + b"61" * n, "NULs": lambda n: b"cn=" + b"\\00" * n,
    "bad UTF-8": lambda n: b"cn=" + b"\\ff" * n, "spaces": lambda n: b"cn=a" + b" " * n + b",",
    "commas": lambda n: b"," * n, "backslashes": lambda n: b"cn=" + b"\\" * (2 * n + 1)}
for _title, _name in _NAMES.items():
    add_generator(f"T14 a search below a name of {_title}", up_to(4 * MIB - 10),
                  lambda n, name=_name: wire.search(name(n // 2), wire.BASE))
add_generator("T14 the deepest name there may be", [30, 60, 120],
              lambda n: wire.search(b"cn=a," * n + S.encode(), wire.BASE), who="anonymous")
add_generator("T14 the longest name there may be", [2000, 4000, 8000],
              lambda n: wire.search(b"cn=" + "\u00e9".encode() * (n // 2) + b"," + S.encode(), wire.BASE), who="anonymous")
for _title, _operation in {
        "a delete": wire.delete, "a bind": lambda name: wire.bind(name, "x"), "a rename": lambda name: wire.rename(U, name),
        "a move": lambda name: wire.rename(U, "uid=a", True, name), "a compare": lambda name: wire.compare(name, "cn", "x"),
        "an add": lambda name: wire.add(name, {"cn": ["x"]}),
        "a password modify": lambda name: wire.extended(wire.PASSWORD_MODIFY, wire.seq(wire.octets(name, 0x80)))}.items():
    add_generator(f"T14 {_title} with a long name", up_to(4 * MIB - 100),
                  lambda n, operation=_operation: operation(b"cn=a," * (n // 5) + S.encode()), who="admin")


# --- other operations -----------------------------------------------------------------------------------------------------


@generator("an extended operation nobody knows", 4 * MIB - KIB)
def _(n):
    return wire.extended("1." * (n // 4), b"x" * (n // 2))


@generator("a bind with a long password", 4 * MIB - KIB, who="admin")
def _(n):
    return wire.bind(U, b"x" * n)


@generator("a SASL bind with long credentials", 4 * MIB - KIB, who="admin")
def _(n):
    return wire.tlv(0x60, wire.integer(3), wire.octets(""), wire.tlv(0xA3, wire.octets("PLAIN"), wire.octets(b"x" * n)))


@generator("a password modify with a long password", 4 * MIB - KIB)
def _(n):
    return wire.extended(wire.PASSWORD_MODIFY, wire.seq(wire.octets(b"x" * n, 0x82)))


# --- many requests --------------------------------------------------------------------------------------------------------

READ = wire.search(U, wire.BASE, attributes=["cn"])


def many_at_once(connection, n):
    """n requests in as few packets as there can be."""
    connection.send(b"".join(wire.message(number, READ) for number in range(1, n + 1)))
    return connection.replies(range(1, n + 1), 60)[-1]


def octet_by_octet(connection, n):
    """One request of n octets, one in a packet."""
    data = wire.message(1, wire.search(U, wire.BASE, wire.ALL, ["x" * 200] * (n // 203)))
    for octet in data:
        connection.send(bytes([octet]))
    return connection.reply(1, 60)


def comings_and_goings(connection, n):
    """n connections one after another."""
    for _ in range(n):
        wire.Connection(connection.socket.getpeername()).close()
    return connection.ask(READ)


def wrong_logins(connection, n):
    """n binds with a wrong password: each is hashed, and by other threads than the worker."""
    for _ in range(n):
        reply = connection.ask(wire.bind(U, "wrong"), timeout=60)
    return reply


def abandoned(connection, n):
    """n abandons of what never was."""
    connection.send(b"".join(wire.message(number, wire.abandon(999_999)) for number in range(1, n + 1)))
    connection.last_id = n
    return connection.ask(READ, timeout=60)


for _title, _ask, _smallest, _kind in (
        ("T3 many requests in one packet", many_at_once, 500, "SLICED"), ("T3 T15 one octet a packet", octet_by_octet, 2000, "SLICED"),
        ("T17 connect and close", comings_and_goings, 500, "SLICED"), ("T35 wrong passwords", wrong_logins, 5, "SLICED"),
        ("T38 abandons of nothing", abandoned, 2000, "SLICED")):
    ALL.append(Generator(_title, doubled(_smallest), ask=_ask, who="anonymous", kind=_kind, noise=0.02))


# --- what a filter costs over one entry -----------------------------------------------------------------------------------

LARGE = f"uid=large,{P}"


def large(values):
    """Makes one entry with such values of description, of which there may be more for a larger n; removed afterwards."""
    def prepare(admin, n):
        admin.ask(wire.delete(LARGE), timeout=60)
        reply = admin.ask(wire.add(LARGE, {"objectClass": ["inetOrgPerson"], "cn": ["x"], "sn": ["x"],
                                           "description": values(n)}), timeout=60)
        assert reply.code == 0, reply
    return prepare


def remove_large(admin, _):
    admin.ask(wire.delete(LARGE), timeout=60)


_VALUES = {"10,000 values": [f"value number {i}" for i in range(10000)], "a long value": ["ab" * 500_000],
           "a long value beyond ASCII": ["\u00e9" * 250_000], "150 values of 20 kB": ["xy" * 10_000 + str(i) for i in range(150)],
           "values in short runs of marks": ["e\u0301" * 1000 + str(i) for i in range(100)],
           "values of ligatures": ["\ufdfa" * 1000 + str(i) for i in range(100)],
           "values of capitals with dots": ["\u0130" * 1000 + str(i) for i in range(100)]}
_LEAVES = {"equalities": lambda i: wire.equal("description", f"zz{i}"),
           "substrings": lambda i: wire.substrings("description", (1, f"zz{i}")),
           "parts that nearly match": lambda i: wire.substrings("description", *[(1, "ab" * 200 + "c")] * 10),
           "rules alone": lambda i: wire.extensible("2.5.13.4", None, f"*zz{i}*")}
for _title, _values in _VALUES.items():
    for _kind, _leaf in _LEAVES.items():
        add_generator(f"T10 {_kind} over an entry of {_title}", [250, 500, 1000],
                      lambda n, leaf=_leaf: search(wire.either(*[leaf(i) for i in range(n)]), LARGE, wire.BASE),
                      prepare=large(lambda n, values=_values: values), finish=remove_large)

add_generator("T10 a substring over a value of n octets", [16 * KIB, 32 * KIB, 64 * KIB],
              lambda n: search(wire.substrings("description", (1, "zz")), LARGE, wire.BASE),
              prepare=large(lambda n: ["ab" * (n // 2)]), finish=remove_large)
for _title, (_text, _weight) in TEXTS.items():
    add_generator(f"a compare with a stored value of {_title}", up_to(int(10 * MIB / _weight)),
                  lambda n: wire.compare(LARGE, "description", "q"),
                  prepare=large(lambda n, text=_text: [text * (n // len(text.encode()))]), finish=remove_large)


@generator("a wide filter over the subschema entry", 250, who="anonymous")
def _(n):
    return search(wire.either(*[wire.substrings("attributeTypes", (1, f"zz{i}")) for i in range(n)]), "cn=subschema", wire.BASE)


@generator("a wide filter over the root DSE", MOST, who="anonymous")
def _(n):
    return search(wire.either(*[wire.substrings("supportedControl", (1, f"zz{i}")) for i in range(n)]), "", wire.BASE)


# --- the access log -------------------------------------------------------------------------------------------------------

for _title, _octets in (("control characters", b"\x1b\n"), ("octets that are no UTF-8", b"\xff\xfe"), ("quotes", b"\"\\")):
    add_generator(f"T32 a logged filter of {_title}", up_to(ASSERTION // 10),
                  lambda n, octets=_octets: search(wire.equal("cn", octets * (n // 2))), log=True)
    add_generator(f"T32 a logged name of {_title}", up_to(4 * MIB - 10),
                  lambda n, octets=_octets: wire.search(b"cn=" + octets * (n // 2), wire.BASE), log=True)
add_generator("T32 a logged filter of many nodes", doubled(MOST),
              lambda n: search(wire.either(*[wire.equal("uid", f"q{i}") for i in range(n)])), log=True)
add_generator("T32 a logged modify of many changes", up_to(10_000),
              lambda n: wire.modify(f"uid=nobody,{P}", *[(wire.REPLACE, "description", "x")] * n), log=True)
