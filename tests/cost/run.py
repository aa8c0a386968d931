#!/usr/bin/env python3
"""What requests cost, as they grow: at n, 2n and 4n processor time and memory grow no faster than n, and at the default limits
no request holds a worker for more than 50 ms. Played at a server with one worker; then with a fault planted, which has to be
found.

The last line counts. Exit code 1 when a generator failed or the planted fault was not found.
"""
import argparse
import os
import random
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
for _folder in (".", "../hostile", "../exhaustion", "../lib"):
    sys.path.insert(0, os.path.join(HERE, _folder))

import generators  # noqa: E402
import generators_write  # noqa: E402, F401  (registers its own)
import meter  # noqa: E402
import scans  # noqa: E402
import wire  # noqa: E402
from arena import Arena, forget_plant_library  # noqa: E402
from world import check  # noqa: E402

KIB, MIB = 1 << 10, 1 << 20
HOLD_MAX = 0.050  # seconds of a worker in one go
# A write of more than a MiB stores what it brings, and its bounds grow with that: the worker's with the octets that it checks and
# copies, the writer's with the octets and with the values that are records of their own, each in a place of its own.
WRITE_FREE = MIB
WORKER_OCTET, WRITER_OCTET, WRITER_VALUE = 10e-9, 10e-9, 3e-6
# What caches that are too small make of large writes, besides: it is a part of the bounds above.
CACHE_OCTET, CACHE_VALUE = 3e-9, 0.3e-6
# Memory for such a value, besides its octets.
MEMORY_VALUE = 512
# What twice the size may take: twice, and some for caches that are too small, but not four times.
GROWTH = 2.8
MEMORY_NOISE = 12 * MIB
# Octets of memory for an octet of a request: what may always be, and what may never be.
MEMORY_FAIR = 4
MEMORY_FACTOR = 16
DEAREST = 4  # of each kind are told at the end
PLANT, PLANT_FOUND_BY = "slow-search", "T10 a substring over a value of n octets"


class Course:
    """A server, and the generators that run at it."""

    def __init__(self, options, log=False, plant=None, little=False):
        self.little = little or not (options.full or options.names)
        # The allocator keeps what it has: else page faults come and go with the size of a buffer.
        os.environ["MALLOC_CONF"] = "oversize_threshold:0"
        self.world = Arena.make(options.bin, workers=1, plant=plant, access_log="{root}/access.log" if log else "off",
                                password_scheme=None)
        self.options = options

    def __enter__(self):
        try:
            if self.little:  # what is asked for lies in one entry
                self.world.load_little()
            else:
                self.world.load()
        except BaseException:
            self.world.close()
            raise
        return self

    def __exit__(self, *exception):
        self.world.close()

    def connect(self, who):
        return {"user": self.world.as_user, "admin": self.world.as_admin, "anonymous": self.world.connect}[who](timeout=120)

    def once(self, generator, n, request, canary=False):
        """-> the cost, or with a canary how long it was kept waiting."""
        if generator.prepare:
            with self.connect("admin") as admin:
                generator.prepare(admin, n)
        operation, trailing = request
        with self.connect(generator.who) as connection:
            def ask():
                if generator.ask:
                    return generator.ask(connection, n)
                return connection.ask(operation, trailing, timeout=300)
            if not canary:
                return meter.measure(self.world.pid, ask)
            with self.world.connect(timeout=300) as other:
                with meter.Canary(self.world.pid, other, generators.READ) as watch:
                    ask()
                return watch.held

    def play(self, generator):
        """-> (costs of the three sizes, octets of the largest request, seconds of a worker in one go or None)"""
        requests = [(generator.build(n), generator.controls(n)) if generator.build else (b"", b"") for n in generator.sizes]
        costs, held, octets = [None] * 3, None, sum(map(len, requests[2]))
        for run in range(self.options.runs):
            for at, n in enumerate(generator.sizes):
                costs[at] = self.once(generator, n, requests[at]).best_of(costs[at])
            if generator.kind == "SLICED":
                seconds = self.once(generator, generator.sizes[2], requests[2], canary=True)
                held = seconds if held is None else min(held, seconds)
            if run + 1 >= self.options.least_runs and not complaints(generator, costs, octets, held):
                break
        if generator.finish:
            with self.connect("admin") as admin:
                generator.finish(admin, generator.sizes[2])
        self.world.well()
        check(costs[2].reply.code is not None or costs[2].reply.closed, f"no answer: {costs[2].reply!r}")
        return costs, octets, held


def complaints(generator, costs, octets, held):
    """What is wrong with these costs; empty when nothing is."""
    found = []
    small, middle, large = costs
    values = generator.values(generator.sizes[2])
    cache = CACHE_OCTET * octets + CACHE_VALUE * values if generator.kind == "WRITE" else 0
    if generator.kind == "CONSTANT":
        if large.total > 2 * small.total + generator.noise:
            found.append("the size matters")
    elif large.total > GROWTH * middle.total + generator.noise + cache:
        found.append("time grows faster than the size")
    # Memory that was given back before is used again and does not show: a few times the request is never too much.
    fair = max(GROWTH * middle.memory, MEMORY_FAIR * octets + MEMORY_VALUE * values) + MEMORY_NOISE
    if large.memory > fair or large.memory > MEMORY_FACTOR * octets + MEMORY_VALUE * values + 2 * MEMORY_NOISE:
        found.append("memory grows faster than the size")
    if generator.kind == "SLICED":
        if held is not None and held > HOLD_MAX:
            found.append(f"the worker is held for {held * 1000:.0f} ms")
    else:
        allowed = octets if generator.kind == "WRITE" and octets > WRITE_FREE else 0
        for who, seconds, most in (("worker", large.worker, HOLD_MAX + WORKER_OCTET * allowed),
                                   ("writer", large.writer, HOLD_MAX + WRITER_OCTET * allowed + WRITER_VALUE * values)):
            if seconds > most:
                found.append(f"the {who} takes {seconds * 1000:.0f} ms, {most * 1000:.0f} are bounded")
    return found


def line_of(generator, costs, octets, held):
    times = " ".join(f"{cost.total * 1000:8.2f}" for cost in costs)
    worker = f"held {held * 1000:6.1f}" if held is not None else f"worker {costs[2].worker * 1000:6.1f}"
    writer = f", writer {costs[2].writer * 1000:6.1f}" if generator.kind == "WRITE" else ""
    answer = "closed" if costs[2].reply.closed else costs[2].reply.code
    return (f"{generator.name}: {times} ms, {worker} ms{writer}, {octets / KIB:.0f} KiB sent, {costs[2].memory / MIB:.0f} MiB, "
            f"answer {answer}")


def courses(chosen):
    """-> (whether the access log is on, whether a little data will do, generators). One that writes has a database of its own:
    where earlier ones have left many free pages, the store looks for adjacent ones among them, and that is what it would show."""
    writing = ("WRITE", "CONSTANT")
    for log in (False, True):
        shared = [each for each in chosen if each.log == log and each.kind not in writing]
        if shared:
            yield log, False, shared
    for each in chosen:
        if each.kind in writing:
            yield False, True, [each]


def play_one(course, generator):
    """-> (what is wrong, the line that tells it, seconds of the thread that was busiest in one go)"""
    try:
        costs, octets, held = course.play(generator)
    except Exception as error:  # every failure is one line, whatever it is
        return [f"{type(error).__name__}: {error}"], generator.name, 0.0
    return (complaints(generator, costs, octets, held), line_of(generator, costs, octets, held),
            held if held is not None else max(costs[2].worker, costs[2].writer))


def play_all(options, chosen):
    """-> (passed, failed, what the generators cost by kind of request)"""
    passed = failed = 0
    dear = {}
    for log, little, ours in courses(chosen):
        with Course(options, log, little=little) as course:
            for generator in ours:
                wrong, text, seconds = play_one(course, generator)
                dear.setdefault(generator.kind, []).append((seconds, generator.name))
                print(f"{'FAIL' if wrong else 'ok  '} {text}{': ' if wrong else ''}{'; '.join(wrong)}", flush=True)
                passed, failed = passed + (not wrong), failed + bool(wrong)
                if course.world.own.process.poll() is not None:
                    print("FAIL the server has ended, what was left is not played")
                    failed += 1
                    break
    return passed, failed, dear


def plant_is_found(options):
    generator = next(each for each in generators.ALL if each.name == PLANT_FOUND_BY)
    with Course(options, plant=PLANT) as course:
        costs, octets, held = course.play(generator)
    return complaints(generator, costs, octets, held)


def sample(options):
    """Generators of CI: those that one entry is enough for, and a few writes, others each time."""
    source = random.Random(options.seed)
    reads = [each for each in generators.ALL if each.kind == "READ" and each.sizes[2] <= MIB and not each.log]
    writes = [each for each in generators.ALL if each.kind == "WRITE" and each.sizes[2] <= 40_000]
    return source.sample(reads, min(len(reads), options.sample)) + source.sample(writes, min(len(writes), options.sample // 4))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="folder of kaurid and kauri")
    parser.add_argument("--full", action="store_true", help="every generator, as for a release; without it a sample for CI")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--runs", type=int, default=8, help="most measurements of one size")
    parser.add_argument("--least-runs", type=int, default=2, help="at least so many")
    parser.add_argument("--sample", type=int, default=16, help="generators of a short run that read; a fourth as many write")
    parser.add_argument("names", nargs="*", help="generators whose name begins so")
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    began = time.monotonic()
    if options.names:
        chosen = [each for each in generators.ALL if any(each.name.startswith(wanted) for wanted in options.names)]
    else:
        chosen = generators.ALL if options.full else sample(options)
    passed, failed, dear = play_all(options, chosen)
    if options.full or "T33" in options.names or "T34" in options.names:
        for good, text in scans.play(options):
            print(f"{'ok  ' if good else 'FAIL'} {text}", flush=True)
            passed, failed = passed + good, failed + (not good)
    if not options.names:
        found = plant_is_found(options)
        print(f"{'ok  ' if found else 'FAIL'} planted fault {'found: ' + '; '.join(found) if found else 'NOT found'}")
        passed, failed = passed + bool(found), failed + (not found)
    forget_plant_library()
    for kind, costs in sorted(dear.items()):
        for seconds, name in sorted(costs, reverse=True)[:DEAREST]:
            print(f"dearest of {kind}: {seconds * 1000:.1f} ms, {name}")
    print(f"{passed} passed, {failed} failed in {time.monotonic() - began:.0f} s")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
