#!/usr/bin/env python3
"""Whether a change makes Kauri dearer: a short fixed set of requests at two builds, in turns, on this machine.

    gate.py --bin DIR --base DIR [--turns 4] [--seconds 1.5] [--limit 1.10] [--entries 20000] [--rows REGEX]
            [--planted] [--json FILE]

--bin has the programs with the change, --base those without. Both servers hold the same entries, loaded by their own
`kauri import`, and run all the time; the row being measured alternates between them, so that what the machine does meets
both. Compared is the server's processor time for each operation, by the least of the turns: other work on the machine
adds to it and never takes away. A row above --limit gets three times as many turns again before it counts. Exit status 1 when
one stays above it, or any answer was wrong.

--planted is the negative control: the base is the program of --bin itself, the change is its kaurid-planted with a search path
that spins for about a fifth of a search; it passes when the gate fails.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "tests", "lib"))
from measured import configuration  # noqa: E402
from server import ADMIN_DN, ADMIN_PASSWORD, SUFFIX, Server  # noqa: E402

# Relaxed: the processor's time is compared, not the disk's.
CONFIG = configuration("relaxed", ("objectClass", "uid", "cn", "mail", "description"), ("cn",))
FILLER = "One of many accounts that are alike but for their number, with a text of some length beside it. " * 5
AGAIN = 3  # times the turns of a row that looks dearer


def write_ldif(path, entries):
    with open(path, "w", encoding="ascii") as file:
        for name in (SUFFIX, f"ou=People,{SUFFIX}"):
            kind, value = name.split(",")[0].split("=")
            file.write(f"dn: {name}\nobjectClass: {'domain' if kind == 'dc' else 'organizationalUnit'}\n{kind}: {value}\n\n")
        for n in range(entries):
            file.write(f"dn: uid=user.{n},ou=People,{SUFFIX}\nobjectClass: inetOrgPerson\nuid: user.{n}\ncn: User Number {n}\n"
                       f"sn: Number{n % 997}\nmail: user.{n}@example.com\ntelephoneNumber: +1 555 {n:07}\n"
                       f"employeeNumber: {n}\ndescription: group {n % 50}\ntitle: {FILLER}\n\n")


def rows(entries):
    """-> [(key, what `kauri bench` is told, whether it binds as administrator)]"""
    uid = ["search", "--filter", "(uid=user.{n})", "--range", f"0:{entries - 1}", "--expect-entries", "1"]
    two = ["search", "--filter", "(&(description=group {n})(uid=user.{n}))", "--range", "0:49", "--expect-entries", "1"]
    numbers = ["--range", f"0:{entries - 1}"]
    return [
        ("search", [*uid, "--connections", "16"], False),
        ("search-deep", [*uid, "--attributes", "cn", "--connections", "4", "--depth", "16"], False),
        ("search-and", [*two, "--connections", "16"], False),
        ("modify", ["modify", *numbers, "--attribute", "title", "--connections", "16"], True),
    ]


class Build:
    """One build's server with its entries."""

    def __init__(self, name, bin_dir, work, ldif, program="kaurid", environment=None):
        self.name, self.bin_dir = name, bin_dir
        self.server = Server(bin_dir, config=CONFIG, data=os.path.join(work, name), program=program,
                             environment=environment)
        done = self.server.tool("import", "--data", self.server.data, "--config",
                                os.path.join(self.server.root, "kauri.toml"), ldif)
        if done.returncode != 0:
            raise RuntimeError(f"{name}: kauri import ended with {done.returncode}: {done.stderr[-1000:]}")
        self.server.start()

    def measure(self, client, row, seconds):
        """-> microseconds of the server's processor time for each operation"""
        key, arguments, bound = row
        command = [client, "bench", *arguments, "--uri", self.server.uri, "--base", SUFFIX, "--server-pid",
                   str(self.server.pid), "--duration", str(seconds), "--warmup", "0.2", "--json"]
        if bound:
            command += ["--bind-dn", ADMIN_DN, "--password", ADMIN_PASSWORD]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{self.name}, {key}: {(done.stderr or done.stdout)[-1000:]}")
        return json.loads(done.stdout)["server"]["cpu_us_per_op"]


def compare_row(base, change, client, row, options):
    """-> the least of each"""
    seen = ([], [])
    for turn in range(options.turns * (1 + AGAIN)):
        if turn >= options.turns and min(seen[1]) <= min(seen[0]) * options.limit:
            break
        for build, found in zip((base, change), seen):
            found.append(build.measure(client, row, options.seconds))
    return min(seen[0]), min(seen[1]), len(seen[0])


def gate(options, work):
    """-> [(row, base us, change us, turns)]"""
    ldif = os.path.join(work, "people.ldif")
    write_ldif(ldif, options.entries)
    planted = {"program": "kaurid-planted", "environment": {"KAURI_PLANTED_FAULT": "slower"}} if options.planted else {}
    builds = []
    try:
        builds.append(Build("base", options.base, work, ldif))
        builds.append(Build("change", options.bin, work, ldif, **planted))
        client = os.path.join(options.bin, "kauri")
        found = []
        for row in rows(options.entries):
            if not re.search(options.rows, row[0]):
                continue
            base, change, turns = compare_row(*builds, client, row, options)
            print(f"{row[0]:12} {base:8.2f} us  {change:8.2f} us  {change / base:5.2f}  "
                  f"{'dearer' if change > base * options.limit else 'ok'} ({turns} turns)", flush=True)
            found.append((row[0], base, change, turns))
        return found
    finally:
        for build in builds:
            build.server.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--base")
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--limit", type=float, default=1.10)
    parser.add_argument("--entries", type=int, default=20_000)
    parser.add_argument("--rows", default=".")
    parser.add_argument("--planted", action="store_true")
    parser.add_argument("--json", help="write the figures there")
    options = parser.parse_args()
    if options.planted:
        options.base = options.bin
    if not options.base:
        parser.error("--base DIR, or --planted")
    with tempfile.TemporaryDirectory(prefix="kauri-gate-") as work:
        found = gate(options, work)
    if options.json:
        with open(options.json, "w", encoding="ascii") as file:
            json.dump([dict(zip(("row", "base_us", "change_us", "turns"), one)) for one in found], file, indent=1)
    dearer = [key for key, base, change, _ in found if change > base * options.limit]
    if not found:
        sys.exit(f"gate.py: no row has '{options.rows}' in its name")
    if options.planted:
        print(f"negative control: {'caught' if dearer else 'MISSED'}")
        return 0 if dearer else 1
    print(f"gate: {len(found)} rows, {len(dearer)} more than {(options.limit - 1) * 100:.0f} % dearer"
          + (f": {', '.join(dearer)}" if dearer else ""))
    return 1 if dearer else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RuntimeError as error:
        sys.exit(f"gate.py: {error}")
