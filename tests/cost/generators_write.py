"""The same for requests that write."""
import random

import wire
from generators import ALL, KIB, MIB, TEXTS, Generator, doubled, up_to
from world import P, U

NEW = f"uid=new,{P}"
GROUP = f"cn=group,{P}"
REQUEST = 16 * MIB - 16 * KIB  # the largest value that a message of 16 MiB can hold, and some


def remove_new(admin, _):
    admin.ask(wire.delete(NEW), timeout=60)


def remove_group(admin, _):
    admin.ask(wire.delete(GROUP), timeout=120)


def person(**more):
    return {"objectClass": ["inetOrgPerson"], "uid": ["new"], "cn": ["x"], "sn": ["x"], **more}


def adding(name, sizes, attributes, values=None):
    ALL.append(Generator(name, sizes, lambda n: wire.add(NEW, attributes(n)), who="admin", kind="WRITE", prepare=remove_new,
                         finish=remove_new, values=values))


def each(n):
    """One record for each of n values."""
    return n


def changing(name, sizes, changes, entry=lambda n: person(), values=None):
    def prepare(admin, n):
        remove_new(admin, n)
        reply = admin.ask(wire.add(NEW, entry(n)), timeout=60)
        assert reply.code == 0, reply
    ALL.append(Generator(name, sizes, lambda n: wire.modify(NEW, *changes(n)), who="admin", kind="WRITE", prepare=prepare,
                         finish=remove_new, values=values))


def trigrams(n):
    """Values of 4,000 random letters, n in all: up to n different trigrams."""
    source = random.Random(n)
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    return ["".join(source.choices(letters, k=min(4000, n - at))) for at in range(0, n, 4000)]


def logins(n):
    """Short values, which have nearly all trigrams of their letters together."""
    source = random.Random(n)
    return list({"".join(source.choices("abcdefghijklmnopqrstuvwxyz0123456789", k=8)): None for _ in range(n)})


def trigrams_of(values):
    """How many lists of an index for substrings they are in."""
    return len({part[at:at + 3] for part in (f"\2 {value} \3\3" for value in values) for at in range(len(part) - 2)})


def colliding(n):
    """n values with one hash in libstdc++'s std::hash, whose seed is a constant (src/base/testing/colliding.h)."""
    factor, all_bits = 0xC6A4A7935BD1E995, (1 << 64) - 1

    def unmixed(word):
        word = word * pow(factor, -1, 1 << 64) & all_bits
        word ^= word >> 47
        return (word * pow(factor, -1, 1 << 64) & all_bits).to_bytes(8, "little")
    plain = unmixed(1) + unmixed(2)
    twin = unmixed(1 ^ 1 << 63) + unmixed(2 ^ 1 << 63)
    bits = max(1, (n - 1).bit_length())
    return [b"".join(twin if i >> bit & 1 else plain for bit in range(bits)) for i in range(n)]


class Repeated(dict):
    """The attributes of a new entry in which one stands n times."""

    def __init__(self, n):
        super().__init__(person())
        self.n = n

    def items(self):
        return list(super().items()) + [("description", [f"v{i}"]) for i in range(self.n)]


VALUES = [50_000, 100_000, 200_000]
adding("an add with many values", VALUES, lambda n: person(description=[f"v{i}" for i in range(n)]), each)
adding("an add with values in common prefixes", [20_000, 40_000, 80_000],
       lambda n: person(description=["p" * 80 + str(i) for i in range(n)]), each)
adding("an add with many values of an indexed attribute", [10_000, 20_000, 40_000],
       lambda n: person(cn=[f"abcd{i}" for i in range(n)]), each)
adding("an add with many random logins as values of an indexed attribute", [10_000, 20_000, 40_000],
       lambda n: person(cn=logins(n)), lambda n: n + trigrams_of(logins(n)))
adding("an add with many trigrams", up_to(20_000), lambda n: person(cn=trigrams(n)))
adding("an add with more trigrams than the limit", up_to(800_000), lambda n: person(cn=trigrams(n)))
adding("an add with many empty values", up_to(500_000), lambda n: person(description=[b""] * n))
adding("an add with more values than the limit", [MIB, 2 * MIB, 4 * MIB], lambda n: person(description=[b""] * n))
adding("an add with the same value again and again", up_to(500_000), lambda n: person(description=[b"a"] * n))
adding("an add with many options", up_to(900), lambda n: person(**{f"description;lang-x{i}": ["v"] for i in range(n)}))
adding("an add with more options than the limit", [50_000, 100_000, 200_000],
       lambda n: person(**{f"description;lang-x{i}": ["v"] for i in range(n)}))
adding("an add with one attribute again and again", [50_000, 100_000, 200_000], Repeated)
adding("an add with many attributes nobody knows", up_to(900), lambda n: person(**{f"unknown{i}": ["v"] for i in range(n)}))
adding("an add with many object classes", [50_000, 100_000, 200_000],
       lambda n: {**person(), "objectClass": ["inetOrgPerson"] + [f"x{i}" for i in range(n)]})
for _title, (_text, _weight) in TEXTS.items():
    for _attribute in ("description", "cn"):
        _octets = _text.encode()
        adding(f"an add with two long values of {_attribute} of {_title}", up_to(min(REQUEST, int(24 * MIB / _weight) - 8 * KIB)),
               lambda n, octets=_octets, attribute=_attribute: person(
                   **{attribute: [octets * (n // 2 // len(octets)), b"b" + octets * (n // 2 // len(octets))]}))
adding("an add with a long photo", up_to(REQUEST), lambda n: person(jpegPhoto=[b"\xff\xd8" + b"x" * n]))
adding("an add with a long name as a value", up_to(REQUEST), lambda n: person(seeAlso=[b"cn=a," * (n // 5) + b"dc=x"]))
adding("an add with many names as values", [50_000, 100_000, 200_000],
       lambda n: person(seeAlso=[f"uid=user{i},ou=people,dc=example,dc=com" for i in range(n)]), each)
adding("an add with values that collide in a common hash", up_to(16_384),
       lambda n: {**person(), "objectClass": ["inetOrgPerson", "kAux"], "kOct": colliding(n)}, each)

CHANGES = up_to(10_000)
changing("a modify with many changes", CHANGES, lambda n: [(wire.REPLACE, "description", f"v{i}") for i in range(n)])
changing("a modify with more changes than the limit", [100_000, 200_000, 400_000],
         lambda n: [(wire.REPLACE, "description", "v")] * n)
changing("a modify that adds one value a change", CHANGES,
         lambda n: [(wire.ADD, "description", f"v{i}") for i in range(n)], values=each)
changing("a modify that adds and deletes in turns", up_to(5000),
         lambda n: [change for i in range(n) for change in ((wire.ADD, "description", f"v{i}"), (wire.DELETE, "description", f"v{i}"))])
changing("a modify that deletes one value a change", CHANGES, lambda n: [(wire.DELETE, "description", f"v{i}") for i in range(n)],
         entry=lambda n: person(description=[f"v{i}" for i in range(n)]), values=each)
changing("a modify that deletes all values at once", VALUES,
         lambda n: [(wire.DELETE, "description", *[f"v{i}" for i in range(n)])],
         entry=lambda n: person(description=[f"v{i}" for i in range(n)]), values=each)
changing("a modify that replaces all values at once", VALUES,
         lambda n: [(wire.REPLACE, "description", *[f"w{i}" for i in range(n)])],
         entry=lambda n: person(description=[f"v{i}" for i in range(n)]), values=lambda n: 2 * n)
changing("a modify that replaces all values by the same and one", VALUES,
         lambda n: [(wire.REPLACE, "description", *[f"v{i}" for i in range(n + 1)])],
         entry=lambda n: person(description=[f"v{i}" for i in range(n)]), values=each)
changing("a modify that deletes a value with trigrams of its own", [10_000, 20_000, 40_000],
         lambda n: [(wire.DELETE, "cn", "qzxy")],
         entry=lambda n: person(cn=["qzxy"] + [f"abcd{i}" for i in range(n)]), values=each)
changing("a modify of values that collide in a common hash", up_to(16_384), lambda n: [(wire.ADD, "kOct", *colliding(n))],
         entry=lambda n: {**person(), "objectClass": ["inetOrgPerson", "kAux"]}, values=each)
changing("a modify with many increments of a long integer", CHANGES, lambda n: [(wire.INCREMENT, "uidNumber", "1")] * n,
         entry=lambda n: {**person(), "objectClass": ["inetOrgPerson", "posixAccount"], "uidNumber": ["9" * 4000],
                          "gidNumber": ["1"], "homeDirectory": ["/"]})
changing("a modify of many options", up_to(900), lambda n: [(wire.ADD, f"description;lang-y{i}", "v") for i in range(n)])
changing("a modify of which the last change is refused", CHANGES[:2] + [9999],
         lambda n: [(wire.REPLACE, "description", f"v{i}") for i in range(n)] + [(wire.REPLACE, "sn")])


# --- T36: groups ----------------------------------------------------------------------------------------------------------

GROUPS = [25_000, 50_000, 100_000]


def member(i):
    return f"uid=m{i},ou=many,dc=example,dc=com"


def all_members(n):
    return [member(i) for i in range(n)]


def group_of(admin, n):
    reply = admin.ask(wire.search(GROUP, wire.BASE, attributes=["description"]))
    if reply.code == 0 and reply.entries[GROUP].get("description") == [str(n).encode()]:
        # What the last measurement added is taken away again.
        admin.ask(wire.modify(GROUP, (wire.DELETE, "member", member(n))), timeout=60)
        return
    remove_group(admin, n)
    reply = admin.ask(wire.add(GROUP, {"objectClass": ["groupOfNames"], "cn": ["group"], "description": [str(n)],
                                       "member": all_members(n)}), timeout=120)
    assert reply.code == 0, reply


def grouping(name, build, who="admin", kind="CONSTANT"):
    ALL.append(Generator(f"T36 {name}", GROUPS, build, who=who, kind=kind, prepare=group_of, finish=remove_group))


grouping("one more member of a group of n", lambda n: wire.modify(GROUP, (wire.ADD, "member", member(n))))
grouping("one member less of a group of n",
         lambda n: wire.modify(GROUP, (wire.DELETE, "member", member(n // 2)), (wire.ADD, "member", member(n // 2))))
grouping("a member that a group of n has", lambda n: wire.modify(GROUP, (wire.ADD, "member", member(7))))
grouping("compare with a group of n", lambda n: wire.compare(GROUP, "member", member(n - 1)), who="user")
grouping("search for a member's groups", lambda n: wire.search(P, wire.SUB, wire.equal("member", member(n - 1)), ["1.1"]), who="user")
grouping("another attribute of a group of n", lambda n: wire.modify(GROUP, (wire.REPLACE, "owner", U)))
grouping("read of a group of n", lambda n: wire.search(GROUP, wire.BASE, attributes=["member"]), who="user", kind="READ")
ALL.append(Generator("T36 a new group of n", up_to(100_000),
                     lambda n: wire.add(GROUP, {"objectClass": ["groupOfNames"], "cn": ["group"], "member": all_members(n)}),
                     who="admin", kind="WRITE", prepare=remove_group, finish=remove_group, values=each))
ALL.append(Generator("T36 the end of a group of n", GROUPS, lambda n: wire.delete(GROUP), who="admin", kind="WRITE",
                     prepare=group_of, finish=remove_group, values=each))
