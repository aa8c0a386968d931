"""Memory that ends at one moment: the nth allocation of the server finds none. The operation fails, or the process ends; what was
acknowledged is there afterwards, and nothing that was not. n goes over all that a start and a script of 200 steps take."""
import os
import re

from arena import Arena, plant_library
import wire
from wire import Closed, Silence
from world import P, U, USER_PASSWORD, check, expect, person

STEPS = 200
LOGIN = 300  # allocations, about
# Result codes that say that nothing was changed; 80 leaves it open when the storage failed in a commit.
OPEN = 80


class Ledger:
    """The description that each entry has; None: none. Of a write that was not answered both states are legal."""

    def __init__(self):
        self.values, self.unknown = {}, {}

    def compare(self, connection):
        reply = expect(connection.ask(wire.search(P, wire.ONE, "(uid=d*)", ["description"]), timeout=60), 0)
        found = {dn: entry["description"][0] for dn, entry in reply.entries.items()}
        for dn in set(found) | set(self.values) | set(self.unknown):
            legal = [self.values.get(dn), *self.unknown.get(dn, [])]
            check(found.get(dn) in legal, f"{dn} is {found.get(dn)!r}, legal is {legal!r}")
        self.values, self.unknown = found, {}


def step(connection, ledger, random):
    """One operation of a random kind."""
    kind = random.choice(("add", "replace", "delete", "search", "compare", "bind"))
    names = list(ledger.values)
    value = b"%x" % random.getrandbits(64)
    if kind == "search":
        return connection.ask(wire.search(P, wire.SUB, f"(|(uid=d{random.randrange(10)}*)(description={value.decode()}))"))
    if kind == "compare":
        reply = connection.ask(wire.compare(U, "cn", "a"))
        check(reply.code not in (5, 16, 32), f"what is there is said not to be: {reply!r}")
        return reply
    if kind == "bind":
        with connection.world.connect() as other:
            reply = other.ask(wire.bind(U, USER_PASSWORD))
            check(reply.code != 49, f"the right password is said to be wrong: {reply!r}")
            return reply
    if kind == "add" or not names:
        name = f"uid=d{random.getrandbits(40):x},{P}"
        operation, after = wire.add(name, person(name[4:].split(",")[0], description=value)), value
    else:
        name = random.choice(names)
        delete = kind == "delete"
        operation, after = (wire.delete(name), None) if delete else (wire.modify(name, (wire.REPLACE, "description", value)), value)
    ledger.unknown[name] = [after]  # until it is answered
    reply = connection.ask(operation, timeout=20)
    if reply.closed or reply.code == OPEN:
        return reply
    del ledger.unknown[name]
    if reply.code == 0:
        if after is None:
            del ledger.values[name]
        else:
            ledger.values[name] = after
    return reply


def script(world, ledger, random):
    """-> steps that were answered, whatever with."""
    done = 0
    try:
        connection = world.connect()
        connection.world = world
        with connection:
            reply = connection.ask(wire.bind(*world.admin), timeout=20)
            if reply.closed:
                return done
            expect(reply, 0, 51, 52, 80)
            for _ in range(STEPS):
                reply = step(connection, ledger, random)
                if reply.closed:
                    break
                done += 1
    except (Closed, OSError):
        pass  # the process ended
    except Silence as error:
        raise AssertionError(f"a request got no answer, and the connection no end: {error}") from error
    return done


def environment(plant, number):
    return {**os.environ, "LD_PRELOAD": plant_library("plant_allocation.c"), "KAURI_PLANT": f"{plant}:{number}"}


def start(world):
    """-> False when the process ended instead of serving."""
    try:
        world.own.start()
    except RuntimeError as error:
        check("was not ready" not in str(error), str(error))  # it hangs
        return False
    world.renew_address()
    return True


def end(world, kill=False):
    world.leave()
    if world.own.process is not None:
        return world.own.kill() if kill else world.own.stop()
    return 0


def counted(world, log, act=lambda: None):
    """Allocations of a start, of what is done then, and of the end."""
    world.own.environment = environment("allocation", 0)
    check(start(world), "the server does not start")
    world.own.environment = None
    act()
    check(end(world) == 0, "the server does not end well")
    with open(log, encoding="utf-8") as file:
        return int(re.findall(r"planted: allocations (\d+)", file.read())[-1])


def allocations(options, random, plant=None):
    world = Arena.make(options.bin)
    own, ledger, kind = world.own, Ledger(), plant or "allocation"
    log = os.path.join(own.root, "kaurid.log")
    try:
        world.load_little()
        end(world)
        idle = counted(world, log)
        most = counted(world, log, lambda: script(world, ledger, random))
        ended = served = failed = 0
        for cycle in range(options.allocations):
            # Each fourth one while the administrator logs in: of the whole script that is a small part.
            number = random.randrange(idle, idle + LOGIN) if cycle % 4 == 0 else random.randrange(1, most)
            own.environment = environment(kind, number)
            with open(log, "w", encoding="utf-8"):
                pass
            started = start(world)
            own.environment = None
            if started:
                script(world, ledger, random)
            lives = started and own.process.poll() is None
            code = end(world, kill=True) if not lives or plant else end(world)
            with open(log, encoding="utf-8", errors="replace") as file:
                failed += "planted: allocation " in file.read()
            ended, served = ended + (not lives), served + lives
            check(plant or not lives or code in (0, -6), f"allocation {number}: the server ends with {code}")
            check(start(world), f"allocation {number}: the server does not start afterwards: {own.errors()[-300:]}")
            with world.as_admin(timeout=30) as connection:
                ledger.compare(connection)
            check(end(world) == 0, f"allocation {number}: the server does not end well afterwards")
        world.verify()
    finally:
        world.close()
    check(failed > options.allocations // 2, f"only {failed} of {options.allocations} allocations were met")
    return (f"{options.allocations} of {most} allocations: {failed} failed, the process ended {ended} times and served on "
            f"{served} times, {len(ledger.values)} entries compared")
