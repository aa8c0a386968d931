"""Octets that are no LDAP, or LDAP at its edges: lengths, message ids, cuts, depth, width."""
import random
import struct
import time

import wire
from wire import Closed, Silence
from world import MIB, P, S, U, check, expect, registry

CASES, case = registry()

READ = wire.search(U, wire.BASE, attributes=["cn"])


def disconnected(world, data, name, seconds=5):
    """Sent on a fresh connection, the octets end it, with or without a notice, and at once."""
    with world.connect() as connection:
        began = time.monotonic()
        try:
            connection.send(data)
        except Closed:
            pass
        reply = wire.Reply()
        try:
            reply = connection.reply(0, seconds)
            check(reply.notice or reply.closed, f"{name}: got {reply!r}, expected a notice or the end")
            check(reply.closed or connection.ended(seconds), f"{name}: the connection stays open after {reply!r}")
        except Silence:
            raise AssertionError(f"{name}: neither a notice nor the end within {seconds} s") from None
        check(time.monotonic() - began < seconds, f"{name}: took {time.monotonic() - began:.1f} s")
        if reply.notice:
            check(reply.code in (2, 11, 51, 53), f"{name}: the notice has code {reply.code}")
        return reply


@case("T1 H14 long-form lengths with leading zeros are taken")
def _(world):
    for form in (1, 2, 3, 4):
        def tlv(tag, *parts, form=form):
            return wire.tlv(tag, *parts, form=form)
        inner = tlv(0x63, tlv(4, U.encode()), tlv(0x0A, b"\0"), tlv(0x0A, b"\0"), tlv(2, b"\0"), tlv(2, b"\0"),
                    tlv(1, b"\0"), tlv(0xA3, tlv(4, b"uid"), tlv(4, b"a")), tlv(0x30, tlv(4, b"cn")))
        with world.connect() as connection:
            reply = connection.raw(tlv(0x30, tlv(2, b"\1"), inner))
            expect(reply, 0)
            check(reply.names() == "a", f"form {form}: {reply!r}")
    for form in (5, 8):  # may be refused
        with world.connect() as connection:
            reply = connection.raw(wire.tlv(0x30, wire.integer(1), READ, form=form))
            check(reply.refused or reply.names() == "a", f"form {form}: {reply!r}")


@case("T2 lengths that lie end the connection before anything is allocated")
def _(world):
    before = world.anonymous_memory()
    attempts = {
        "indefinite": b"\x30\x80\x02\x01\x01\x42\x00\x00\x00",
        "length octet ff": b"\x30\xff" + b"\xff" * 127,
        "eight length octets": b"\x30\x88\x7f" + b"\xff" * 7,
        "2 GiB": b"\x30\x84\x7f\xff\xff\xff",
        "4 GiB - 1": b"\x30\x84\xff\xff\xff\xff",
        "above the anonymous limit": wire.tlv(0x30, claim=256 * 1024 + 1),
        "inner past outer": b"\x30\x06\x02\x01\x01\x42\x7f\x00",
        "id past outer": b"\x30\x03\x02\x7f\x01",
        "inner length 2^31": b"\x30\x0c\x02\x01\x01\x63\x84\x80\x00\x00\x00\x04\x00\x00",
        "empty envelope": b"\x30\x00",
        "id only": b"\x30\x03\x02\x01\x01",
        "id of the wrong type": b"\x30\x05\x04\x01\x01\x42\x00",
    }
    for name, data in attempts.items():
        for _ in range(2):
            disconnected(world, data, name)
    grown = world.anonymous_memory() - before
    check(grown < 24 * 65536 + MIB + world.memory_slack, f"memory grew by {grown} octets")


@case("T2 inner lengths that lie get protocolError or the end, and never an answer")
def _(world):
    whole = wire.search(U, wire.SUB, "(&(uid=a)(|(cn=A)(cn=B)))", ["cn", "sn"])
    count = 0
    for position in range(1, len(whole)):
        for replacement in (0x7F, 0x80, 0xFF, 0x84):
            broken = bytearray(whole)
            if broken[position] == replacement:
                continue
            broken[position] = replacement
            with world.connect(timeout=5) as connection:
                try:
                    reply = connection.raw(wire.seq(wire.integer(1), bytes(broken)), timeout=2)
                except Silence:
                    raise AssertionError(f"octet {position} = {replacement:02x}: no answer") from None
                check(reply.code is not None or reply.closed, f"octet {position} = {replacement:02x}: {reply!r}")
                count += 1
    check(count > 300, f"only {count} attempts")


@case("T3 a request cut at every octet is the same request")
def _(world):
    data = wire.message(1, READ) + wire.message(2, wire.compare(U, "cn", "a"))
    for position in range(1, len(data)):
        with world.connect() as connection:
            connection.send(data[:position])
            if position % 8 == 0:
                time.sleep(0.001)
            connection.send(data[position:])
            first, second = connection.replies([1, 2])
            check(first.names() == "a" and second.code == 6, f"cut at {position}: {first!r} {second!r}")


@case("T3 one octet a packet")
def _(world):
    data = wire.message(1, wire.bind("", "")) + wire.message(2, READ) + wire.message(3, wire.compare(U, "cn", "zz"))
    with world.connect() as connection:
        for octet in data:
            connection.send(bytes([octet]))
            time.sleep(0.0005)
        bound, found, compared = connection.replies([1, 2, 3])
        expect(bound, 0)
        check(found.names() == "a", "the search")
        expect(compared, 5)


@case("T3 many requests in one packet are all answered, in pieces of any size")
def _(world):
    generator = random.Random(3)
    with world.connect() as connection:
        count = 400
        data = b"".join(wire.message(number, READ) for number in range(1, count + 1))
        while data:
            size = generator.choice([1, 2, 3, 7, 63, 1000, 5000])
            connection.send(data[:size])
            data = data[size:]
        seen = {}
        while len([tag for tag in seen.values() if tag == 0x65]) < count:
            got, tag, _, _ = connection.message()
            check(seen.get(got) in (None, 0x64), f"message {got} was answered twice")
            seen[got] = tag
        check(len(seen) == count, f"{len(seen)} messages were answered")


@case("T4 what does not begin as LDAP ends the connection")
def _(world):
    for name, data in {
            "HTTP": b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
            "TLS hello": bytes.fromhex("16030100a5010000a10303") + bytes(160),
            "SSH": b"SSH-2.0-OpenSSH_9.2p1\r\n",
            "zeros": bytes(64),
            "set in place of sequence": b"\x31\x05\x02\x01\x01\x42\x00",
            "tag of several octets": b"\x1f\xff\xff\xff\xff\xff\x7f\x00",
            "ff": b"\xff" * 64}.items():
        disconnected(world, data, name)


@case("T4 CVE-2015-6908 random octets")
def _(world):
    generator = random.Random(4)
    for _ in range(150):
        data = generator.randbytes(generator.choice([1, 2, 5, 20, 200, 3000]))
        if generator.random() < 0.6:
            data = wire.seq(wire.integer(1), bytes([generator.choice(range(0x40, 0x80))]), data)
        with world.connect() as connection:
            try:
                connection.send(data)
                connection.half_close()
            except (Closed, OSError):
                continue
            check(connection.ended(5), f"{data[:40].hex()}... stays open after the client's end")


@case("T5 message ids")
def _(world):
    for name, identity in {"zero": b"\x02\x01\x00", "negative": b"\x02\x01\xff", "2^31": b"\x02\x05\x00\x80\x00\x00\x00",
                           "nine octets": b"\x02\x09" + b"\x01" * 9, "empty": b"\x02\x00"}.items():
        disconnected(world, wire.seq(identity, READ), name)
    with world.connect() as connection:
        reply = connection.raw(wire.seq(wire.integer(2**31 - 1), READ), 2**31 - 1)
        check(reply.names() == "a", f"largest id: {reply!r}")
        reply = connection.raw(wire.seq(b"\x02\x04\x00\x00\x00\x07", READ), 7)
        check(reply.refused or reply.names() == "a", f"padded id: {reply!r}")


@case("T5 an id in use never mixes answers")
def _(world):
    with world.connect() as connection:
        slow = wire.message(5, wire.search(S, wire.SUB, "(kNoEq=*zzz*)"))
        connection.send(slow + wire.message(5, READ) + wire.message(6, READ))
        results = 0
        try:
            while True:
                got, tag, _, _ = connection.message(5)
                results += got == 5 and tag == 0x65
                if got == 6 and tag == 0x65:
                    break
        except Closed:
            return
        check(results <= 2, f"{results} results for two requests")


@case("T6 empty sequences are refused where something has to be")
def _(world):
    search = wire.search(U, wire.BASE, wire.both(wire.substrings("cn")))
    for name, operation, trailing in (
            ("paged control", READ, wire.controls((wire.PAGED, True, b"\x30\x00"))),
            ("paged control without a value", READ, wire.controls((wire.PAGED, True, None))),
            ("a control of nothing", READ, wire.tlv(0xA0, b"\x30\x00")),
            ("substrings of nothing", search, b""),
            ("search request of nothing", b"\x63\x00", b""),
            ("bind request of nothing", b"\x60\x00", b""),
            ("add of nothing", b"\x68\x00", b""),
            ("modify of nothing", b"\x66\x00", b""),
            ("rename of nothing", b"\x6c\x00", b""),
            ("compare of nothing", b"\x6e\x00", b""),
            ("extended of nothing", b"\x77\x00", b""),
            ("cancel of nothing", wire.extended(wire.CANCEL, b"\x30\x00"), b""),
            ("cancel without a value", wire.extended(wire.CANCEL), b""),
            ("modification of nothing", wire.tlv(0x66, wire.octets(U), wire.seq(b"\x30\x00")), b"")):
        with world.as_admin() as connection:
            reply = connection.ask(operation, trailing)
            check(reply.refused and not reply.entries, f"{name}: {reply!r}")
    with world.connect() as connection:
        reply = connection.ask(READ, wire.tlv(0xA0))  # no controls at all
        check(reply.refused or reply.names() == "a", f"{reply!r}")


@case("T7 BOOLEAN, INTEGER and OCTET STRING forms")
def _(world):
    head = wire.octets(U) + wire.enumerated(0) + wire.enumerated(0) + wire.integer(0)
    tail = wire.present("uid") + wire.seq(wire.octets("cn"))
    for name, body, fine in (
            ("true is 01", head + wire.integer(0) + b"\x01\x01\x01" + tail, True),
            ("boolean of two octets", head + wire.integer(0) + b"\x01\x02\xff\xff" + tail, False),
            ("boolean of none", head + wire.integer(0) + b"\x01\x00" + tail, False),
            ("integer of none", head + b"\x02\x00" + b"\x01\x01\x00" + tail, False),
            ("integer of nine octets", head + b"\x02\x09" + b"\x01" * 9 + b"\x01\x01\x00" + tail, False),
            ("negative time limit", head + wire.integer(-1) + b"\x01\x01\x00" + tail, False),
            ("constructed octet string", wire.tlv(0x24, wire.octets(U)) + head[len(wire.octets(U)):] + wire.integer(0)
             + b"\x01\x01\x00" + tail, False),
            ("scope 9", wire.octets(U) + wire.enumerated(9) + wire.enumerated(0) + wire.integer(0) + wire.integer(0)
             + b"\x01\x01\x00" + tail, False)):
        with world.connect() as connection:
            reply = connection.ask(wire.tlv(0x63, body))
            if fine:
                check(reply.refused or reply.code == 0, f"{name}: {reply!r}")
            else:
                check(reply.refused and not reply.entries, f"{name}: {reply!r}")


@case("T8 elements after the last known one are ignored")
def _(world):
    further = wire.tlv(0x9E, b"future") + wire.tlv(0xBF, b"")[:1] + b"\x1f\x01\x00"
    with world.connect() as connection:
        reply = connection.raw(wire.seq(wire.integer(1), READ, wire.tlv(0x9E, b"future")))
        check(reply.names() == "a" or reply.refused, f"behind the operation: {reply!r}")
    with world.connect() as connection:
        reply = connection.ask(wire.tlv(0x63, READ[2:], further))
        check(reply.names() == "a" or reply.refused, f"inside the operation: {reply!r}")


def nested(kind, depth, leaf=wire.equal("uid", "a")):
    """Built from the outside in, so that a million levels cost little here."""
    sizes, size = [], len(leaf)
    for _ in range(depth):
        sizes.append(size)
        size += 2 if size < 128 else 6
    return b"".join(struct.pack(">BB", kind, each) if each < 128 else struct.pack(">BBL", kind, 0x84, each)
                    for each in reversed(sizes)) + leaf


@case("T9 C33 depth of filters")
def _(world):
    for kind in (0xA0, 0xA1, 0xA2):
        for depth, shallow in ((10, True), (60, True), (65, False), (160, False), (5000, False), (20000, False)):
            with world.connect() as connection:
                reply = connection.ask(wire.search(S, wire.SUB, nested(kind, depth), ["cn"]))
                if shallow:
                    expect(reply, 0)
                    check(reply.names() == "a" or kind == 0xA2, f"kind {kind:02x} depth {depth}: {reply!r}")
                else:
                    check(reply.refused and not reply.entries, f"kind {kind:02x} depth {depth}: {reply!r}")
    with world.connect() as connection:
        check(connection.ask(wire.search(P, wire.SUB, nested(0xA2, 10))).names() == "a", "ten nots")
        check(connection.ask(wire.search(P, wire.ONE, nested(0xA2, 9))).names() == "b,c", "nine nots")


@case("T9 a million levels from an authenticated session")
def _(world):
    with world.as_user() as connection:
        reply = connection.ask(wire.search(S, wire.SUB, nested(0xA2, 1000000)))
        check(reply.refused, f"{reply!r}")
    with world.as_user() as connection:  # nesting where no filter is
        reply = connection.ask(nested(0x30, 300000, b""))
        check(reply.refused, f"{reply!r}")
    with world.as_user() as connection:
        reply = connection.ask(READ, nested(0xA0, 200000, b""))
        check(reply.refused, f"{reply!r}")


def timed(world, operation, name, seconds=0.5, trailing=b"", who=None):
    """Processor time where the process is known, since the machine may be busy with other things."""
    with (who or world.as_user)(timeout=60) as connection:
        began = world.cpu_seconds() or time.monotonic()
        reply = connection.ask(operation, trailing)
        took = (world.cpu_seconds() or time.monotonic()) - began
        check(took < seconds * world.slack, f"{name} took {took:.2f} s")
        return reply


@case("T10 wide filters and long substrings cost no more than their octets")
def _(world):
    equal = wire.equal("uid", "a")
    for name, matching in (
            ("20 000 or", wire.either(*[equal] * 20000)),
            ("20 000 different or", wire.either(*[wire.equal("uid", f"q{n}") for n in range(20000)])),
            ("300 000 empty and", wire.either(*[wire.both()] * 300000)),
            ("50 000 parts", wire.substrings("cn", *[(1, "a")] * 50000)),
            ("a value of 4 MiB", wire.equal("cn", b"a" * 4 * MIB)),
            ("a value of 4 MiB of combining marks", wire.equal("cn", ("a" + "\u0301" * 2 * MIB).encode())),
            ("40 000 marks in two orders", wire.equal("cn", ("a" + "\u0301\u0323" * 20000).encode())),
            ("a part of 4 MiB", wire.substrings("cn", (1, b"ab" * 2 * MIB))),
            ("an integer of 1 MiB", wire.equal("kInt", b"9" * MIB)),
            ("an attribute name of 4 MiB", wire.equal("a" * 4 * MIB, "x")),
            ("a name of 1 M options", wire.equal("cn" + ";x" * MIB, "x")),
            ("a DN of 8 MiB", wire.equal("seeAlso", b"cn=a," * (8 * MIB // 5)))):
        reply = timed(world, wire.search(S, wire.SUB, matching, ["1.1"]), name)
        check(reply.refused or not reply.entries or name.endswith(" or"), f"{name}: {reply!r}")


@case("T10 filters over a large entry do not keep others waiting", changes=True)
def _(world):
    name = f"uid=large,{P}"
    with world.as_admin(timeout=60) as admin:
        for value in ([f"value number {number}" for number in range(10000)], ["\u00e9" * 150000]):
            expect(admin.ask(wire.add(name, {"objectClass": ["inetOrgPerson"], "cn": ["x"], "sn": ["x"],
                                              "description": value})), 0)
            for matching in (wire.either(*[wire.substrings("description", (1, f"zz{n}")) for n in range(2000)]),
                             wire.either(*[wire.equal("description", f"zz{n}") for n in range(2000)]),
                             wire.either(*[wire.extensible("2.5.13.4", None, f"*zz{n}*") for n in range(500)])):
                reply = timed(world, wire.search(name, wire.BASE, matching), "a wide filter over a large entry", 1.0)
                check(not reply.entries and reply.code in (0, 3, 11, 53), f"{reply!r}")
            expect(admin.ask(wire.delete(name)), 0)


@case("T11 C35 200 000 empty attribute names")
def _(world):
    timed(world, wire.search(U, wire.BASE, attributes=[""] * 200000), "200 000 empty names")
    timed(world, wire.search(U, wire.BASE, attributes=[""] * 60000), "60 000 empty names", who=world.connect)
    with world.connect() as connection:
        reply = expect(connection.ask(wire.search(U, wire.BASE, attributes=["", "uid"])), 0)
        check(reply.entries[U] == {"uid": [b"a"]}, f"{reply.entries}")


@case("T12 G20 50 000 controls")
def _(world):
    reply = timed(world, READ, "50 000 controls", 0.2, wire.controls(*[("1.2.3.4", False, None)] * 50000))
    check(reply.refused, f"{reply!r}")


@case("T14 names")
def _(world):
    long = {"20 000 RDNs": b"cn=a," * 19999 + b"cn=a", "2 000 AVAs": b"cn=a+" * 1999 + b"cn=a", "one of 1 MiB":
            b"cn=" + b"a" * MIB, "escapes": b"cn=" + b"\\61" * 100000, "commas": b"," * 100000, "hex":
            b"1.2.3=#" + b"0401" * 50000, "nested": b"cn=" + b"\\\\" * 100000}
    short = {"comma at the end": b"uid=a,", "plus at the end": b"uid=a+", "backslash at the end": b"uid=a\\",
             "half a pair": b"uid=a\\4", "bad UTF-8": b"uid=\xff\xfe", "escaped bad UTF-8": b"uid=\\ff\\fe",
             "surrogate": b"uid=\xed\xa0\x80", "raw NUL": b"uid=a\x00," + P.encode(), "no type": b"=a", "no equals": b"a",
             "quote": b"uid=\"a", "odd hex": b"cn=#123", "not BER": b"cn=#04ff61", "semicolon": b"uid=a;;" + P.encode()}
    for name, base in long.items():
        for operation in (wire.search(base, wire.BASE), wire.delete(base), wire.rename(U, base), wire.bind(base, "x"),
                          wire.compare(base, "cn", "x"), wire.rename(U, "uid=a", True, base)):
            reply = timed(world, operation, name)
            check(reply.refused and not reply.entries, f"{name}: {reply!r}")
    for name, base in short.items():
        with world.connect() as connection:
            expect(connection.ask(wire.search(base, wire.BASE)), 34, 32, "refused")
    with world.connect() as connection:
        reply = expect(connection.ask(wire.search(f"uid=a\\00,{P}", wire.BASE)), 32)
        check(reply.matched.lower() == P, f"{reply!r}")


@case("H13 unknown extended operations")
def _(world):
    with world.connect() as connection:
        for oid, value in (("1.2.3.4", None), ("1.2.3.4", b"x" * 1000), ("abc..", None), ("", None), ("1." * 5000, b""),
                           (b"\xff\x00", None)):
            expect(connection.ask(wire.extended(oid, value)), 2, 12)
        expect(connection.ask(READ), 0)


@case("H17 requests above the limit end the connection, and cost no memory")
def _(world):
    before = world.anonymous_memory()
    big = wire.add(f"uid=big,{P}", {"objectClass": ["inetOrgPerson"], "sn": ["x"], "description": [b"x" * MIB]})
    for _ in range(8):
        disconnected(world, wire.message(1, big), "1 MiB without a bind")
    huge = wire.tlv(0x30, wire.integer(9), wire.tlv(0x68, claim=64 * MIB - 10), claim=64 * MIB)
    with world.as_admin() as connection:
        connection.send(huge)
        reply = connection.reply(0, 5)
        check(reply.notice or reply.closed, f"{reply!r}")
        check(reply.closed or connection.ended(5), "64 MiB: the connection stays open")
    check(world.anonymous_memory() - before < 8 * MIB + world.memory_slack, "memory grew")


@case("T2 CVE-2008-2952 an authenticated length that never arrives costs nothing")
def _(world):
    connections = [world.as_user() for _ in range(50)]
    before = world.anonymous_memory()
    for connection in connections:
        connection.send(wire.tlv(0x30, claim=16 * MIB - 100))
        connection.send(wire.integer(7) + wire.tlv(0x68, claim=16 * MIB - 200) + b"x" * 1000)
    world.well()
    grown = world.anonymous_memory() - before
    for connection in connections:
        connection.close()
    check(grown < 8 * MIB + world.memory_slack, f"50 claims of 16 MiB took {grown} octets")


@case("responses, and operations nobody knows, end the connection")
def _(world):
    for tag in (0x61, 0x64, 0x65, 0x67, 0x69, 0x6B, 0x6D, 0x6F, 0x73, 0x78, 0x79, 0x5F, 0x7E, 0x43, 0x30, 0x04):
        with world.connect() as connection:
            reply = connection.raw(wire.seq(wire.integer(1), wire.tlv(tag, b"\x0a\x01\x00\x04\x00\x04\x00")))
            check(reply.refused, f"tag {tag:02x}: {reply!r}")


@case("octets of a valid request changed one by one")
def _(world):
    """Every octet of one message of each kind becomes another: an answer, a refusal or the end; never silence for long,
    and never a crash. Nothing is written: the names of the writes lie outside the suffix."""
    generator = random.Random(9)
    requests = [wire.bind("cn=x,dc=nowhere", "secret"), wire.search(U, wire.SUB, "(|(uid=a)(cn:dn:2.5.13.2:=b)(sn=*x*))"),
                wire.modify("cn=x,dc=nowhere", (0, "sn", "x")), wire.add("cn=x,dc=nowhere", {"sn": ["x"]}),
                wire.rename("cn=x,dc=nowhere", "cn=y", True, "dc=nowhere"), wire.compare("cn=x,dc=nowhere", "sn", "x"),
                wire.extended(wire.PASSWORD_MODIFY, wire.seq(wire.octets("x", 0x80), wire.octets("y", 0x81)))]
    for operation in requests:
        whole = wire.message(1, operation, wire.controls(wire.paged(3)))
        for position in range(len(whole)):
            broken = bytearray(whole)
            broken[position] ^= 1 << generator.randrange(8)
            with world.connect() as connection:
                try:
                    connection.send(bytes(broken) + wire.message(2, READ))
                    connection.half_close()
                except (Closed, OSError):
                    continue
                check(connection.ended(10), f"octet {position} of {whole.hex()}: open after the client's end")
