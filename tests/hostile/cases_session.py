"""Sessions: who one is, unbind, abandon and cancel at every stage, and clients that vanish."""
import random
import time

import wire
from wire import REPLACE, SUB, Closed, Silence
from world import MANY, MIB, P, S, U, check, expect, registry

CASES, case = registry()

READ = wire.search(U, wire.BASE, attributes=["cn"])
SLOW = wire.search(MANY, SUB, "(|(kNoEq=*nothing like this*)(kNoEq=*nor this*))", ["1.1"])
LARGE = wire.search(MANY, SUB)


@case("H03 a failed bind leaves nobody")
def _(world):
    with world.as_admin() as client:
        expect(client.ask(wire.bind(world.admin[0], "wrong")), 49)
        check(expect(client.ask(wire.extended(wire.WHO_AM_I)), 0).value in (None, b""), "who am I")
        expect(client.ask(wire.modify(U, (REPLACE, "description", "x"))), 50, 8)
    for broken in (wire.tlv(0x60, wire.integer(3), wire.octets(U), wire.tlv(0xA3, wire.octets("PLAIN"))),
                   wire.tlv(0x60, wire.integer(3), wire.octets(U), wire.tlv(0xA3, wire.octets("X" * 100000), wire.octets("y"))),
                   wire.tlv(0x60, wire.integer(3), wire.octets(U), wire.octets("x", 0x85)),
                   wire.tlv(0x60, wire.integer(3), wire.octets(U))):
        with world.as_admin() as client:
            if expect(client.ask(broken), "refused").closed:
                continue
            try:
                who = client.ask(wire.extended(wire.WHO_AM_I))
                check(who.closed or who.value in (None, b""), f"still {who.value!r} after a failed bind")
            except AssertionError as error:
                check("message 0" in str(error), str(error))


@case("H09 CVE-2013-4449 search, unbind and search in one packet, again and again")
def _(world):
    packets = [wire.message(1, READ) + wire.message(2, wire.UNBIND) + wire.message(3, READ),
               wire.message(1, LARGE) + wire.message(2, wire.UNBIND) + wire.message(3, READ),
               wire.message(1, wire.bind(U, "pw-a")) + wire.message(2, wire.UNBIND) + wire.message(3, READ),
               wire.message(1, SLOW) + wire.message(2, SLOW) + wire.message(3, wire.UNBIND)]
    for number in range(600):
        kind = number % 24
        with world.connect() as client:
            client.send(packets[kind if kind < len(packets) else 0])
            if number % 3 == 0:
                continue  # gone before the answer
            try:
                while True:
                    got, tag, _, _ = client.message(10)
                    check(kind == 3 or got != 3, "something ran after unbind")
            except Closed:
                pass


@case("H09 nothing after an unbind is done", changes=True)
def _(world):
    for _ in range(20):
        with world.as_admin() as admin:
            admin.send(wire.message(90, READ) + wire.message(91, wire.UNBIND)
                       + wire.message(92, wire.modify(U, (REPLACE, "description", "after unbind"))))
            check(admin.ended(10), "open after unbind")
    with world.as_admin() as admin:
        check(not admin.ask(wire.search(P, SUB, "(description=after unbind)")).entries, "a write after unbind was done")


@case("H11 T38 cancel and abandon of oneself, of what is done, of what never was")
def _(world):
    with world.connect() as client:
        for number in (1, 99, 2**31 - 1):
            identity = client.last_id + 1
            expect(client.ask(wire.cancel(identity)), 121, 119, 0, 120)
            expect(client.ask(wire.cancel(number + 1000 if number == 1 else number)), 119)
        for value in (b"", b"\x30\x00", b"\x30\x02\x02\x00", b"\x30\x0b\x02\x09" + b"\x7f" * 9, b"\x02\x01\x01", b"\x30\x80"):
            expect(client.ask(wire.extended(wire.CANCEL, value)), 2, 121, 119)
        for identity in (0, 1, 99, 2**31 - 1):
            client.send(wire.message(client.next_id(), wire.abandon(identity)))
        client.send(wire.message(client.last_id + 1, wire.abandon(client.last_id + 1)))
        client.last_id += 1
        check(client.ask(READ).names() == "a", "after abandons")
        check(client.ask(wire.extended("1.3.6.1.1.8", None)).refused, "cancel without value")
    with world.connect() as client:  # abandon with a broken body: no answer is due, the end is allowed
        client.send(wire.message(1, b"\x50\x00") + wire.message(2, READ))
        reply = client.reply(2)
        check(reply.names() == "a" or reply.refused, f"{reply!r}")


@case("T38 cancel and abandon in the middle of large searches")
def _(world):
    generator = random.Random(38)
    for number in range(40):
        with world.connect(receive_buffer=4096) as client:
            client.send(wire.message(1, LARGE) + wire.message(2, SLOW))
            for _ in range(generator.randrange(20)):
                client.message(10)
            if number % 2:
                client.send(wire.message(3, wire.abandon(1)) + wire.message(4, wire.abandon(2)) + wire.message(5, READ))
            else:
                client.send(wire.message(3, wire.cancel(1)) + wire.message(4, wire.cancel(2)) + wire.message(5, READ))
            results = {}
            while 5 not in results:
                got, tag, content, _ = client.message(20)
                if tag not in (0x64, 0x73):
                    check(got not in results, f"message {got} has two results")
                    results[got] = wire.elements(content)[0][1][0]
            if number % 2 == 0:
                while not {3, 4} <= set(results):
                    got, tag, content, _ = client.message(20)
                    if tag not in (0x64, 0x73):
                        results[got] = wire.elements(content)[0][1][0]
                check(results.get(3) in (0, 118, 119, 120), f"cancel: {results}")
                check(results.get(3) != 0 or results.get(1) in (118, None), f"canceled: {results}")
            check(3 not in results or number % 2 == 0, "an answer to abandon")
            if number % 3 == 0:
                client.reset()


def unended(world, client, count):
    """Reads until every one of the last `count` messages has one result; -> codes"""
    codes = {}
    while len(codes) < count:
        got, tag, content, _ = client.message(30)
        if tag in (0x64, 0x73):
            continue
        check(got not in codes, f"message {got} has two results")
        codes[got] = int.from_bytes(wire.elements(content)[0][1], "big")
    return codes


@case("binds between pipelined operations", changes=True)
def _(world):
    """A bind waits for what is before it, and what is behind it runs as the new identity (RFC 4511, 4.2.1)."""
    for password, code in ((world.admin[1], 0), ("wrong", 50)):
        with world.connect(timeout=30) as client:
            parts = [wire.message(1, LARGE), wire.message(2, wire.modify(U, (REPLACE, "description", "early"))),
                     wire.message(3, wire.bind(world.admin[0], password)),
                     wire.message(4, wire.modify(U, (REPLACE, "description", "late"))),
                     wire.message(5, wire.bind("", "")), wire.message(6, wire.modify(U, (REPLACE, "description", "last"))),
                     wire.message(7, READ)]
            client.send(b"".join(parts))
            codes = unended(world, client, 7)
            check(codes[2] in (50, 8) and codes[6] in (50, 8), f"anonymous wrote: {codes}")
            check(codes[4] in ((0,) if code == 0 else (50, 8)), f"behind the bind: {codes}")
            check(codes[3] == (0 if code == 0 else 49) and codes[7] == 0, f"{codes}")


@case("binds overlap writes of other operations", changes=True)
def _(world):
    generator = random.Random(17)
    for _ in range(25):
        with world.as_admin(timeout=30) as client:
            data, count = b"", 40
            for number in range(count):
                choice = generator.randrange(6)
                operation = (wire.bind(*world.admin) if choice == 0 and number % 8 == 0 else
                             wire.modify(U, (REPLACE, "description", str(number))) if choice < 3 else
                             wire.bind("", "") if choice == 5 and number % 10 == 0 else READ)
                data += wire.message(100 + number, operation)
            client.send(data)
            if generator.randrange(3) == 0:
                client.reset()
                continue
            codes = unended(world, client, count)
            check(set(codes.values()) <= {0, 50, 8}, f"{codes}")


@case("half-close: the answers still come")
def _(world):
    for size in (1, 5, 50):
        with world.connect(timeout=30) as client:
            client.send(b"".join(wire.message(number, READ) for number in range(1, size + 1)))
            client.half_close()
            found = 0
            try:
                while True:
                    found += client.message(10)[1] == 0x65
            except Closed:
                pass
            check(found == size, f"{found} of {size} answers")
    with world.connect(timeout=30) as client:
        client.send(wire.message(1, LARGE))
        client.half_close()
        reply = client.reply(1)
        check(reply.code == 0 and len(reply.entries) == world.many_count + 1, f"{reply.code} {len(reply.entries)}")
    with world.connect() as client:
        client.send(wire.message(1, READ)[:-3])
        client.half_close()
        check(client.ended(10), "open after the end inside a message")


@case("resets at every stage")
def _(world):
    before = world.descriptors()
    generator = random.Random(2)
    stages = [b"", b"\x30", wire.message(1, READ)[:20], wire.message(1, READ), wire.message(1, LARGE),
              wire.message(1, SLOW), wire.message(1, wire.bind(U, "pw-a")), wire.message(1, wire.bind(U, "pw-a"))
              + wire.message(2, wire.modify(U, (REPLACE, "description", "gone"))) + wire.message(3, LARGE)]
    for number in range(400):
        client = world.connect(receive_buffer=4096)
        try:
            client.send(stages[number % len(stages)])
            if generator.randrange(4) == 0:
                time.sleep(0.002)
            if generator.randrange(2):
                client.message(0.01)
        except (Closed, Silence):
            pass
        client.reset()
    world.settle(lambda: world.descriptors() <= before + 2, 10,
                 lambda: f"{world.descriptors()} descriptors, {before} before")


@case("StartTLS without TLS is refused, and nothing behind it is lost or mixed")
def _(world):
    with world.connect() as client:
        client.send(wire.message(1, wire.extended(wire.START_TLS)) + wire.message(2, READ))
        first = client.reply(1)
        check(first.refused, f"{first!r}")
        if not first.closed:
            check(client.reply(2).names() == "a", "the request behind it")


@case("many operations at once on one connection")
def _(world):
    before = world.anonymous_memory()
    for who, count in ((world.connect, 300), (world.as_user, 3000)):
        with who(timeout=60) as client:
            identity = 1000
            data = b"".join(wire.message(identity + number, SLOW if number % 10 == 0 else READ) for number in range(count))
            client.send(data)
            codes = unended(world, client, count)
            check(set(codes.values()) <= {0, 51, 53}, f"{set(codes.values())}")
            check(list(codes.values()).count(0) > count * 0.9, "most were refused")
    check(world.anonymous_memory() - before < 32 * MIB + world.memory_slack, "memory grew")


@case("a storm of connections that search, write, abandon and vanish", changes=True)
def _(world):
    generator = random.Random(5)
    crowd = []
    end = time.monotonic() + 3
    while time.monotonic() < end:
        if len(crowd) < 40:
            crowd.append(world.connect(receive_buffer=8192))
        client = generator.choice(crowd)
        identity = client.next_id()
        choice = generator.randrange(9)
        operation = [READ, LARGE, SLOW, wire.abandon(max(1, identity - 1)), wire.cancel(max(1, identity - 2)),
                     wire.bind(U, "pw-a") if identity % 7 == 0 else READ, wire.modify(U, (REPLACE, "description", str(identity))),
                     wire.search(S, SUB, "(uid=m1*)", size=5), wire.UNBIND if identity % 5 == 0 else READ][choice]
        try:
            client.socket.settimeout(0.05)
            client.socket.sendall(wire.message(identity, operation))
            if generator.randrange(3) == 0:
                client.message(0.005)
        except (Closed, OSError):
            crowd.remove(client)
            client.close()
            continue
        except Silence:
            pass
        if generator.randrange(12) == 0:
            crowd.remove(client)
            (client.reset if generator.randrange(2) else client.close)()
    for client in crowd:
        client.close()
