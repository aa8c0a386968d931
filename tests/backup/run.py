#!/usr/bin/env python3
"""Backups under load, restored and compared; killed in the middle; damaged; replayed to points in time.

    run.py --bin DIR [--full] [--seed N] [--dir DIR]

Eight writers work (tests/lib/write_load.py) while backups are made through the server. Then:

  states    each backup is restored, verified and served, and must be one state that the server was in while the backup was
            made (cut.py): for each writer a prefix of what it asked for, nothing missing that was acknowledged before
  moments   the oldest backup and the changes since then are restored to the CSN of each later backup and to times at
            which the writers paused: the same entries as the later backup, and as LDAP showed at that time, operational
            attributes and all (tests/roundtrip/compare_ldif.py)
  kills     `kauri backup`, the server that makes one, and `kauri restore` end by SIGKILL anywhere: a backup is there
            whole or not at all; a database is the old one or the new one, verified
  damage    files that are cut, changed or put together wrongly are refused, and nothing is made of them; so are those of
            a database in which an entry lay under a wrong number

--full: more of each. --dir keeps what was made. Negative controls run each time and must be caught: an acknowledgement
that is forged, a backup that mixes two states, a state of another moment, and a change record that is lost though all
checksums fit.
"""
import argparse
import os
import random
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "lib"))

import damage  # noqa: E402
import kills  # noqa: E402
import moments  # noqa: E402
import states  # noqa: E402
from load import Load  # noqa: E402
from places import Tool  # noqa: E402


class Sizes:
    def __init__(self, full):
        self.backups = 12 if full else 4
        self.pauses = 4 if full else 2
        self.seconds_between = 3.0 if full else 0.6     # of load
        self.backup_kills = 100 if full else 6
        self.server_kills = 20 if full else 2
        self.restore_kills = 200 if full else 10
        self.damages = 2000 if full else 60
        self.misplaced = 20 if full else 2


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--seed", default=str(time.time_ns()))
    parser.add_argument("--dir", help="directory for what is made; kept")
    options = parser.parse_args()
    sizes, began = Sizes(options.full), time.monotonic()
    print(f"backup: {'full' if options.full else 'short'} run, seed {options.seed}", flush=True)
    root = options.dir or tempfile.mkdtemp(prefix="kauri-backup-")
    os.makedirs(root, exist_ok=True)
    tool = Tool(options.bin, root)
    passed, faults = 0, []

    def part(name, check, *more):
        nonlocal passed
        started = time.monotonic()
        tally = check(tool, load, *more)
        passed += tally.passed
        faults.extend(tally.faults)
        print(f"{name}: {tally.passed} passed, {len(tally.faults)} failed, {time.monotonic() - started:.1f} s", flush=True)
        for fault in tally.faults[:5]:
            print(f"  {fault}", flush=True)

    load = Load(options.bin, root, options.seed)
    try:
        load.run(tool, sizes)
        part("states", states.check)
        part("moments", moments.check)
        chance = random.Random(options.seed)
        load.gate.open()
        part("kills of a backup", kills.of_backups, sizes, chance)
        load.end_work()
        part("kills of a server", kills.of_servers, sizes, chance)
        load.server.stop()
        part("kills of a restore", kills.of_restores, sizes, chance)
        part("damage", damage.check, sizes, chance)
    finally:
        load.close()
    if not faults and not options.dir:
        shutil.rmtree(root)
    else:
        print(f"what was made is kept in {root}")
    print(f"backup: {load.acknowledged()} changes under {len(load.backups)} backups, {time.monotonic() - began:.0f} s")
    print(f"{passed} passed, {len(faults)} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
