"""A volume without room: the data's, the log's."""
import json
import os
import resource
import time

import wire
from arena import KIB, MIB, Arena, free_octets, volume
from world import P, U, check, expect, person

FULL = (51, 53, 80)
BALLAST = "ballast"
# The log of changes is kept short. It goes on growing when entries are deleted, so that a long one would be what fills the
# volume, and nothing that a client does would make room.
LIMITS = {"change_log_records_max": 100}


class Ledger:
    """What was acknowledged, by name: the description that an entry has. Of a write that was refused nothing may be left."""

    def __init__(self):
        self.values = {}

    def compare(self, connection):
        reply = expect(connection.ask(wire.search(P, wire.ONE, "(uid=d*)", ["description"]), timeout=60), 0)
        found = {dn: entry["description"][0] for dn, entry in reply.entries.items()}
        lost = [dn for dn in self.values if dn not in found]
        risen = [dn for dn in found if dn not in self.values]
        wrong = [dn for dn, value in found.items() if dn in self.values and self.values[dn] != value]
        check(not lost and not risen and not wrong,
              f"{len(lost)} lost {lost[:2]}, {len(risen)} that nobody acknowledged {risen[:2]}, {len(wrong)} wrong {wrong[:2]}")


def write(connection, ledger, random, most=30 * KIB):
    """One write of a random kind. -> its code, after the ledger knows of it."""
    value = random.randbytes(16).hex().encode() + b"x" * random.randrange(most)
    names = list(ledger.values)
    kind = random.choice(("add", "add", "replace", "delete")) if names else "add"
    if kind == "add":
        name = f"uid=d{random.getrandbits(48):x},{P}"
        operation = wire.add(name, person(name.split(",")[0].split("=")[1], description=value))
    else:
        name = random.choice(names)
        operation = wire.delete(name) if kind == "delete" else wire.modify(name, (wire.REPLACE, "description", value))
    reply = connection.ask(operation, timeout=60)
    check(not reply.closed, f"the connection ended at a write: {reply!r}")
    if reply.code == 0:
        if kind == "delete":
            del ledger.values[name]
        else:
            ledger.values[name] = value
    else:
        check(reply.code in FULL, f"{kind}: {reply!r}, expected one of {FULL}")
        check(reply.text, f"{kind}: code {reply.code} without a word")
    return reply.code


def fill_by_writes(arena, connection, ledger, random):
    """Entries until none fits, and on, to see that it stays so. -> refusals."""
    refused = attempts = 0
    while refused < 10:
        attempts += 1
        check(attempts < 20_000, "the volume does not fill")
        refused += write(connection, ledger, random) != 0
    return refused


def fill_by_file(arena, connection, ledger, random):
    """Somebody else takes the room, to within a few pages."""
    leave = random.choice((0, 4 * KIB, 16 * KIB, 64 * KIB))
    left = free_octets(arena.own.data)
    with open(os.path.join(arena.own.data, BALLAST), "ab") as file:
        file.write(bytes(max(0, left - leave)))
    return fill_by_writes(arena, connection, ledger, random)


def make_room(arena, connection, ledger, random):
    """The foreign file goes; entries go until the next round has something to fill."""
    path = os.path.join(arena.own.data, BALLAST)
    if os.path.exists(path):
        os.unlink(path)
    names = list(ledger.values)
    random.shuffle(names)
    for name in names[:len(names) * 2 // 3]:
        reply = connection.ask(wire.delete(name), timeout=60)
        check(reply.code in (0, *FULL), f"a delete that makes room: {reply!r}")
        if reply.code == 0:
            del ledger.values[name]


def recovered(connection, ledger, random):
    """Writes succeed again, without a restart and soon."""
    end = time.monotonic() + 5
    while write(connection, ledger, random, 1000) != 0:
        check(time.monotonic() < end, "no write succeeds although there is room again")


def data_volume(options, random, plant=None):
    """The data's volume fills and is freed, again and again; afterwards what was acknowledged is there and all tables agree."""
    with volume_arena(options, plant) as arena:
        arena.restore()
        ledger, refused = Ledger(), 0
        for number in range(options.disk_rounds):
            with arena.as_admin(timeout=60) as connection:
                # A reserve that make_room() gives back: a volume filled to the last page has none for a delete either.
                with open(os.path.join(arena.own.data, BALLAST), "wb") as file:
                    file.write(bytes(min(MIB, free_octets(arena.own.data) // 4)))
                fill = fill_by_writes if number % 2 == 0 else fill_by_file
                refused += fill(arena, connection, ledger, random)
                ledger.compare(connection)  # reads go on
                arena.well()
                make_room(arena, connection, ledger, random)
                recovered(connection, ledger, random)
            if number % 10 == 9:
                arena.restart()
                with arena.as_admin(timeout=60) as connection:
                    ledger.compare(connection)
        with arena.as_admin(timeout=60) as connection:
            ledger.compare(connection)
        arena.verify()
    check(refused >= 10 * options.disk_rounds, f"only {refused} writes found no room")
    return f"{options.disk_rounds} rounds, {refused} writes refused, {len(ledger.values)} entries compared"


class volume_arena:
    """An arena with its data on a volume of 16 MiB."""

    def __init__(self, options, plant):
        self.options, self.plant, self.stack = options, plant, []

    def __enter__(self):
        def mount(root):
            mounted = volume(os.path.join(root, "data"), 16 * MIB)
            mounted.__enter__()
            self.stack.append(mounted)
        try:
            self.arena = Arena.make(self.options.bin, plant=self.plant, ready=mount, limits=LIMITS)
        except BaseException:
            self.leave()
            raise
        try:
            self.arena.load_little()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self.arena

    def leave(self):
        while self.stack:
            self.stack.pop().__exit__(None, None, None)

    def __exit__(self, *exception):
        if self.arena.own.process is not None:
            self.arena.own.kill()
        self.leave()
        self.arena.close()


def map_is_out_of_reach(options, random, plant=None):
    """The map's size is fixed at 1 TiB of address space, so a volume is full long before; what a full map would do is tested
    where a small one can be made, StorageTest.FullMapIsNoSpaceAndReadsGoOn."""
    with volume_arena(options, plant) as arena:
        with open(f"/proc/{arena.pid}/maps", encoding="ascii", errors="replace") as file:
            sizes = [int(end, 16) - int(begin, 16) for begin, end in
                     (line.split()[0].split("-") for line in file if "/data.mdb" in line)]
    check(sizes and max(sizes) >= 1 << 40, f"the maps of the database are {sizes}")
    tests = open(os.path.join(os.path.dirname(__file__), "../../src/storage/storage_test.cc"), encoding="utf-8").read()
    check("FullMapIsNoSpaceAndReadsGoOn" in tests, "src/storage/storage_test.cc tests no full map any more")
    return f"{max(sizes) >> 40} TiB are mapped"


def log_volume(options, random, plant=None):
    """The access log's volume fills and is freed: the server goes on, says so, and the log goes on when there is room."""
    log_size = 96 * KIB
    with log_arena(options, plant, log_size) as (arena, folder):
        read = wire.search(U, wire.BASE, attributes=["cn"])
        asked, lost_some = 0, 0
        with arena.connect() as connection:
            for number in range(options.log_rounds):
                with open(os.path.join(folder, BALLAST), "wb") as file:
                    left = random.choice((0, 4 * KIB, 20 * KIB)) if number else 4 * KIB
                    file.write(bytes(max(0, free_octets(folder) - left)))
                began = time.monotonic()
                for _ in range(400):
                    expect(connection.ask(read), 0)
                    asked += 1
                check(time.monotonic() - began < 20, "answers wait for a log that is full")
                arena.settle(lambda: "cannot be written" in arena.own.errors(), 5, "the event log does not tell of the full volume")
                if number == 0:
                    check(arena.own.errors().count("cannot be written") == 1, "the full volume is told more than once")
                arena.settle(lambda: free_octets(folder) == 0, 5, "the log does not fill its volume")
                arena.settle(lambda: ends_whole(folder), 5, "a torn line stays at the end of the full log")
                os.unlink(os.path.join(folder, BALLAST))
                before = os.path.getsize(os.path.join(folder, "access.log"))
                if before > log_size // 2:  # as a rotation does, when the administrator saw the event
                    os.truncate(os.path.join(folder, "access.log"), 0)
                    asked = 0
                    before = 0

                def grows(before=before):
                    nonlocal asked
                    expect(connection.ask(read), 0)
                    asked += 1
                    return os.path.getsize(os.path.join(folder, "access.log")) > before
                arena.settle(grows, 5, "the log does not go on although there is room")
                time.sleep(0.25)  # two intervals of the writer
                lost_some += whole_lines(folder)
        arena.well()
    check(lost_some > 0 or options.log_rounds == 0, "the volume was never full")
    return f"{options.log_rounds} rounds; every line is whole"


def size_limit(options, random, plant=None):
    """Files of the process may not grow (RLIMIT_FSIZE): writes and the log fail as on a full volume, and nothing ends."""
    with log_arena(options, plant, 4 * MIB) as (arena, folder):
        resource.prlimit(arena.pid, resource.RLIMIT_FSIZE, (32 * KIB, resource.RLIM_INFINITY))
        with arena.as_admin() as connection:
            for _ in range(400):
                expect(connection.ask(wire.search(U, wire.BASE, attributes=["cn"])), 0)
            expect(connection.ask(wire.modify(U, (wire.REPLACE, "description", "x"))), *FULL)
            arena.settle(lambda: "cannot be written" in arena.own.errors(), 5, "the event log does not tell of the limit")
            resource.prlimit(arena.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            expect(connection.ask(wire.modify(U, (wire.REPLACE, "description", "x"))), 0)
        arena.well()
    return "answers without writes, and writes again"


def ends_whole(folder):
    """Whether the log ends with the end of a line."""
    with open(os.path.join(folder, "access.log"), "rb") as file:
        return file.read()[-1:] in (b"", b"\n")


def whole_lines(folder):
    """-> how many lines the log says were dropped. Each line must be JSON."""
    dropped = 0
    with open(os.path.join(folder, "access.log"), encoding="utf-8") as file:
        for line in file:
            try:
                record = json.loads(line)
            except ValueError as error:
                raise AssertionError(f"a line of the access log is torn: {line[:120]!r}... ({error})") from error
            dropped += record.get("lines", 0) if record["kind"] == "DROPPED" else 0
    return dropped


class log_arena:
    def __init__(self, options, plant, size):
        self.options, self.plant, self.size, self.mounted = options, plant, size, None

    def __enter__(self):
        def mount(root):
            self.folder = os.path.join(root, "log")
            self.mounted = volume(self.folder, self.size)
            self.mounted.__enter__()
        self.arena = Arena.make(self.options.bin, access_log="{root}/log/access.log", plant=self.plant, ready=mount)
        self.arena.load_little()
        return self.arena, self.folder

    def __exit__(self, *exception):
        if self.arena.own.process is not None:
            self.arena.own.kill()
        if self.mounted is not None:
            self.mounted.__exit__(None, None, None)
        self.arena.close()
