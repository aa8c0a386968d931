"""Many clients, and clients that are slow, silent or deaf: they cost what is promised, and nobody else notices."""
import random
import time

import wire
from wire import Closed, Silence
from world import MANY, MIB, U, check, expect, registry

CASES, case = registry()

READ = wire.search(U, wire.BASE, attributes=["cn"])
LARGE = wire.search(MANY)
READERS, SENDERS, IDLE = 200, 300, 2000
OUTPUT_MAX = 1 * MIB + 256 * 1024  # of one connection: the queue, one entry, one buffer


def still_quick(world, name):
    """p99 of a session of somebody else; generous, since the machine may be busy."""
    times = []
    for _ in range(100):
        began = time.monotonic()
        expect(world.canary.ask(READ), 0)
        times.append(time.monotonic() - began)
    check(sorted(times)[98] < 1.0, f"{name}: the slowest answers of others take {sorted(times)[98]:.2f} s")


@case("T16 stalled readers: bounded output, the search pauses, the end comes, memory returns")
def _(world):
    before, descriptors = world.anonymous_memory(), world.descriptors()
    crowd = []
    for _ in range(READERS):
        client = world.connect(receive_buffer=4096)
        client.send(wire.message(1, LARGE))
        crowd.append(client)
    still_quick(world, "stalled readers")
    grown = world.anonymous_memory() - before
    check(grown < READERS * OUTPUT_MAX + world.memory_slack, f"{READERS} stalled readers take {grown // MIB} MiB")
    if world.pid:
        world.settle(lambda: world.descriptors() <= descriptors + 2, world.seconds * 3 + 10,
                     lambda: f"{world.descriptors()} descriptors of {descriptors} after {world.seconds} s of stall")
    for client in crowd:
        client.close()
    left = world.anonymous_memory() - before
    check(left < max(64 * MIB, grown // 2) + world.memory_slack, f"{left // MIB} MiB of {grown // MIB} stay after the end")


@case("T16 a slow reader that goes on gets everything")
def _(world):
    with world.connect(receive_buffer=8192, timeout=30) as client:
        client.send(wire.message(1, LARGE))
        entries, end = 0, time.monotonic() + world.seconds + 1
        while True:
            _, tag, _, _ = client.message()
            entries += tag == 0x64
            if tag == 0x65:
                break
            if time.monotonic() < end and entries % 100 == 0:
                time.sleep(0.05)
        check(entries == world.many_count + 1, f"{entries} entries")


@case("T15 slow senders and silent ones end at their deadline")
def _(world):
    data = wire.message(1, wire.search(U, wire.BASE, attributes=["x" * 60] * 10))
    descriptors = world.descriptors()
    crowd = [world.connect() for _ in range(SENDERS)]
    began = time.monotonic()
    position = 0
    while time.monotonic() - began < world.seconds + 1 and position < len(data) - 10:
        for number, client in enumerate(crowd):
            if number % 3 == 0:
                continue  # never says anything
            try:
                client.send(data[position:position + 1])
            except (Closed, OSError):
                pass
        position += 1
        time.sleep(0.1)
    still_quick(world, "slow senders")
    if world.pid:
        world.settle(lambda: world.descriptors() <= descriptors + 2, world.seconds * 2 + 10,
                     lambda: f"{world.descriptors()} descriptors of {descriptors} after {time.monotonic() - began:.0f} s")
    for client in crowd:
        client.close()


@case("T15 a large message that arrives slowly holds only what arrived")
def _(world):
    crowd = [world.as_user() for _ in range(10)]
    before = world.anonymous_memory()
    for client in crowd:
        client.send(wire.tlv(0x30, claim=15 * MIB))
    for _ in range(4):
        for client in crowd:
            client.send(bytes(65536))
        still_quick(world, "slow large messages")
    grown = world.anonymous_memory() - before
    check(grown < 10 * 2 * MIB + world.memory_slack, f"{grown // MIB} MiB for 2.5 MiB that arrived")
    check(crowd[0].ended(world.seconds * 2 + 10), "the deadline of a message did not come")
    for client in crowd:
        client.close()


@case("T17 idle connections are cheap, and live")
def _(world):
    before = world.anonymous_memory()
    crowd = []
    for _ in range(IDLE):
        client = world.connect()
        client.send(wire.message(1, wire.bind("", "")))
        crowd.append(client)
    for client in crowd:
        expect(client.reply(1), 0)
    each = (world.anonymous_memory() - before) / IDLE
    check(each < 16 * 1024 + world.memory_slack / IDLE, f"{each / 1024:.1f} KiB for one idle connection")
    still_quick(world, "idle connections")
    for client in random.Random(1).sample(crowd, 50):
        check(client.raw(wire.message(2, READ), 2).names() == "a", "an idle connection is dead")
    for client in crowd:
        client.close()


@case("T17 connection churn: close, reset, half-open")
def _(world):
    before, descriptors = world.anonymous_memory(), world.descriptors()
    for number in range(6000):
        client = world.connect()
        if number % 4 == 0:
            client.reset()
        elif number % 4 == 1:
            client.send(b"\x30")
            client.close()
        elif number % 4 == 2:
            client.send(wire.message(1, READ))
            client.close()
        else:
            client.close()
    world.settle(lambda: world.descriptors() <= descriptors + 2, 10,
                 lambda: f"{world.descriptors()} descriptors, {descriptors} before")
    check(world.anonymous_memory() - before < 16 * MIB + world.memory_slack, f"memory grew by {world.anonymous_memory() - before}")


@case("nothing of all this leaves memory or descriptors behind")
def _(world):
    if not world.pid:
        return
    time_limit = time.monotonic() + 10
    while world.descriptors() > 200 and time.monotonic() < time_limit:
        try:
            world.canary.message(0.1)
        except Silence:
            pass
    check(world.descriptors() < 200, f"{world.descriptors()} descriptors")
    check(world.rss() - world.base_rss < 512 * MIB + world.memory_slack, f"{(world.rss() - world.base_rss) // MIB} MiB more than at the start")
    began = world.cpu_seconds()
    time.sleep(0.5)
    spent = world.cpu_seconds() - began
    check(spent < 0.25, f"{spent:.2f} s of processor time in half a second of rest")
