"""A process without descriptors, and one without memory."""
import contextlib
import os
import random as randomness
import resource
import time

import wire
from arena import MIB, Arena, group_value, memory_group
from wire import Closed, Silence
from world import U, check, expect

READ = wire.search(U, wire.BASE, attributes=["cn"])
CROWD = 1000


def crowd_of(arena, count):
    """Connections that say nothing; what is refused at once counts too."""
    found = []
    for _ in range(count):
        try:
            found.append(arena.connect(timeout=5))
        except OSError:
            continue
    return found


def busy_share(pid, seconds):
    """Share of one core that the process uses while nobody asks it anything."""
    clock = (~pid << 3) | 2  # the process's own, of all its threads
    before, began = time.clock_gettime(clock), time.monotonic()
    time.sleep(seconds)
    return (time.clock_gettime(clock) - before) / (time.monotonic() - began)


def few_descriptors(limit, at_start):
    """A scenario: `limit` descriptors, known at the start (then the server turns surplus connections away itself) or taken
    away from the running server (then accepting them fails)."""

    def scenario(options, random, plant=None):
        prologue = f"ulimit -n {limit} || exit 1" if at_start else None
        arena = Arena.make(options.bin, plant=plant, prologue=prologue)
        try:
            arena.load()
            old = [arena.connect() for _ in range(8)]
            if not at_start:
                resource.prlimit(arena.pid, resource.RLIMIT_NOFILE, (limit, limit))
            began = time.monotonic()
            crowd = crowd_of(arena, CROWD)
            for connection in old:
                check(connection.ask(READ, timeout=10).names() == "a", "an old session is not answered")
            # What the server has not refused stays; refused ones see their end.
            took = time.monotonic() - began
            share = busy_share(arena.pid, 1.0)
            check(share < 0.05, f"{share:.1%} of a core while nobody asks")
            check(arena.descriptors() <= limit, f"{arena.descriptors()} descriptors of {limit}")
            for connection in old:
                check(connection.ask(READ, timeout=10).names() == "a", "an old session is not answered")
            for connection in crowd:
                connection.close()
            accepted_again(arena)
            for connection in old:
                check(connection.ask(READ, timeout=10).names() == "a", "an old session is not answered")
                connection.close()
            arena.verify()
        finally:
            arena.close()
        return f"{len(crowd)} of {CROWD} clients in {took:.1f} s, {share:.2%} of a core while they wait"
    return scenario


def accepted_again(arena):
    """A new client is served soon after the crowd is gone."""
    end = time.monotonic() + 5
    while True:
        try:
            with arena.connect(timeout=2) as connection:
                reply = connection.ask(READ, timeout=2)
                if not reply.closed and reply.names() == "a":
                    return
        except (OSError, Closed, Silence):
            pass
        check(time.monotonic() < end, "no new client is served although there are descriptors again")
        time.sleep(0.05)


# --- memory ---------------------------------------------------------------------------------------------------------------

# Cases that take memory: framing, width, size, many clients. The first row is for CI.
HOSTILE_IN_A_HURRY = ("T2 ", "T10 wide", "T11", "H17", "T16 stalled")
HOSTILE_IN_LITTLE_MEMORY = ("T2 ", "T3 ", "T9 ", "T10 ", "T11", "T12", "T14", "H17", "T16 ", "T15 ", "T17 ", "many operations")


def little_memory(options, random, plant=None):
    """A cgroup of 256 MiB with the hostile cases running: the server stays inside, and its data are whole afterwards."""
    with memory_group(256 * MIB) as group:
        arena = Arena.make(options.bin, seconds=3, limits={"large_buffers_max": "\"32 MiB\""},
                           prologue=f"echo $$ > {group}/cgroup.procs")
        try:
            arena.load()
            played = play_hostile(arena, options)
            peak, failures = group_value(group, "memory.max_usage_in_bytes"), group_value(group, "memory.failcnt")
            arena.alive()
            with arena.as_admin(timeout=60) as admin:
                reply = expect(admin.ask(wire.search("ou=many,dc=example,dc=com", wire.ONE, attributes=["1.1"]), timeout=60), 0)
                check(len(reply.entries) == arena.many_count, f"{len(reply.entries)} entries of {arena.many_count}")
            arena.verify()
        finally:
            arena.close()
    return f"{played} hostile cases, {peak // MIB} MiB at most, the limit was met {failures} times"


def play_hostile(arena, options):
    import cases_framing
    import cases_load
    import cases_session
    wanted = HOSTILE_IN_LITTLE_MEMORY if options.all_hostile else HOSTILE_IN_A_HURRY
    played = 0
    for module in (cases_framing, cases_session, cases_load):
        for name, function in module.CASES:
            if not name.startswith(wanted):
                continue
            if getattr(function, "changes", False):
                arena.restore()
            function(arena)
            arena.well()
            played += 1
    check(played > 0, "no hostile case was played")
    return played


def unlimited_messages(options, random, plant=None):
    """The negative control of the above: limits that let anonymous clients send a GiB each. Messages that never become
    whole must end the server in its little memory; if not, the campaign would not notice memory that nobody bounds."""
    with memory_group(256 * MIB) as group:
        arena = Arena.make(options.bin, limits={"message_size_anonymous_max": "\"1 GiB\"", "message_size_max": "\"1 GiB\"",
                                                "large_buffers_max": "\"8 GiB\""},
                           prologue=f"echo $$ > {group}/cgroup.procs")
        try:
            arena.canary = arena.connect()
            with contextlib.ExitStack() as stack:
                crowd = [stack.enter_context(contextlib.closing(arena.connect(timeout=10))) for _ in range(8)]
                for connection in crowd:
                    with contextlib.suppress(Closed, OSError):
                        connection.send(wire.tlv(0x30, claim=64 * MIB) + randomness.Random(1).randbytes(48 * MIB))
                arena.well()
        finally:
            arena.close()
    return "the server lives"
