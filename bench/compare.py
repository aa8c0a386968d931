#!/usr/bin/env python3
"""Measures Kauri beside OpenLDAP's slapd: same data, same indexes, same rules, same client, one server at a time.

    compare.py --bin DIR [--peers DIR] [--entries 100000] [--duration 5] [--runs 3] [--rows REGEX] [--work DIR]

Writes one Markdown table and one JSON file with everything (environment, versions, commands, each run) into
bench/results/ and prints the table. Exit status 1 when any answer of any server was wrong. README.md beside this file
says what is compared and what the peers' directory must offer.
"""
import argparse
import datetime
import json
import os
import platform
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(ROOT, "tests", "lib"))
from server import ADMIN_DN, ADMIN_PASSWORD, SUFFIX, Server  # noqa: E402

ADDS_PER_RUN = 1_000_000  # numbers that one run of a row of adds may use up


def configuration(durability, equality, substring):
    """kaurid.toml of a measurement: no access log, the peers' access rules, indexes on these attributes."""
    return f"""
[password]
scheme = "ssha"            # as the data set has them, so that a login changes nothing

[log]
access = "off"

[access]
rules = [
  "to attrs=userPassword by self write by anonymous auth by * none",
  "to * by self write by * read",
]

[[database]]
suffix = "{SUFFIX}"
durability = "{durability}"
""" + "".join(f"""
[[database.index]]
attribute = "{attribute}"
kinds = ["equality"{', "substring"' if attribute in substring else ""}]
""" for attribute in equality)


CONFIG = configuration("durable", ("objectClass", "uid", "employeeNumber", "member", "cn", "sn", "mail"),
                       ("cn", "sn", "mail"))

# One entry of the size and with the attributes of the data set.
ENTRY = f"""dn: uid=added.{{n}},ou=People,{SUFFIX}
objectClass: top
objectClass: person
objectClass: organizationalPerson
objectClass: inetOrgPerson
uid: added.{{n}}
cn: Added Person {{n}}
sn: Person{{n:07}}
givenName: Added
initials: AP
mail: added.{{n}}@example.com
employeeNumber: 9{{n:09}}
telephoneNumber: +1 555 010 0000
homePhone: +1 555 010 0001
mobile: +1 555 010 0002
pager: +1 555 010 0003
street: 12345 Benchmark Avenue
l: Springfield
st: IL
postalCode: 62701
postalAddress: Added Person$12345 Benchmark Avenue$Springfield, IL  62701
title: Principal Network Engineer
ou: Product Testing
userPassword: {{SSHA}}W6ph5Mm5Pz8GgiULbPgzG37mj9gAAAAAAAAAAA==
description: One of the entries that a row of adds has made, as long as those of the data set are, which tell
 of accounts, agendas, balances, branches, budgets, buildings, cabinets, campuses, carriers and channels.
"""


def rows(entries):
    """-> [(key, title, what `kauri bench` is told, whether it binds as administrator)]"""
    uid = ["search", "--filter", "(uid=user.{n})", "--range", f"0:{entries - 1}", "--expect-entries", "1"]
    modify = ["modify", "--range", f"0:{entries - 1}"]
    return [
        ("search-whole", "search (uid=user.N), whole entry, 16 connections", [*uid, "--connections", "16"], False),
        ("search-one", "search (uid=user.N), one attribute, 16 connections",
         [*uid, "--connections", "16", "--attributes", "cn"], False),
        ("search-deep", "search (uid=user.N), whole entry, 16 connections, 16 deep",
         [*uid, "--connections", "16", "--depth", "16"], False),
        ("bind", "simple bind, {SSHA}, 16 connections",
         ["bind", "--range", f"0:{entries - 1}", "--password", "password", "--connections", "16"], False),
        ("modify-1", "modify, durable, 1 connection", [*modify, "--connections", "1"], True),
        ("modify-16", "modify, durable, 16 connections", [*modify, "--connections", "16"], True),
        ("modify-64", "modify, durable, 64 connections", [*modify, "--connections", "64"], True),
        ("add-64", "add, durable, 64 connections", ["add", "--connections", "64"], True),
    ]


def run(command, **options):
    """-> stdout; raises with what the command said."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {(done.stderr or done.stdout)[-2000:]}")
    return done.stdout


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def disk_bytes(path):
    total = 0
    for folder, _, files in os.walk(path):
        total += sum(os.stat(os.path.join(folder, name)).st_blocks * 512 for name in files)
    return total


def forget_page_cache(path):
    """As after a reboot: a bulk load leaves large folios, which make later writes of single pages dearer."""
    os.sync()
    for folder, _, files in os.walk(path):
        for name in files:
            fd = os.open(os.path.join(folder, name), os.O_RDONLY)
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(fd)


class Slapd:
    """OpenLDAP through the script slapd.sh of the peers' directory."""

    name = "slapd"

    def __init__(self, options):
        self.script = os.path.join(options.peers, "slapd.sh")
        self.environment = dict(os.environ, PEER_DIR=os.path.join(options.work, "peers"), BASE=SUFFIX,
                                PORT=str(free_port()))
        self.bind = []

    def verb(self, *words):
        return run([self.script, *words], env=self.environment).strip()

    def version(self):
        return subprocess.run(["/usr/sbin/slapd", "-VV"], capture_output=True, text=True,
                              check=False).stderr.strip().split("\n")[0]

    def load(self, ldif):
        said = self.verb("load", ldif)
        values = {key: float(value) for key, value in re.findall(r"(\w+)=([\d.]+)", said)}
        return {"wall_s": values["wall_s"], "cpu_s": values["cpu_s"], "peak_mb": values["peak_rss_mb"],
                "size_mb": float(self.verb("size")) / 1e6, "command": f"{self.script} load {ldif}"}

    def start(self):
        self.verb("start")
        login = re.match(r"-D (.*) -w (.*)", self.verb("login"))
        self.bind = ["--bind-dn", login.group(1), "--password", login.group(2)]
        self.uri = f"ldap://127.0.0.1:{self.verb('port')}"
        self.pid = int(self.verb("pid"))

    def stop(self):
        self.verb("stop")

    def size_mb(self):
        return float(self.verb("size")) / 1e6


class Kauri:
    """kaurid and kauri of --bin."""

    name = "Kauri"

    def __init__(self, options):
        self.bin = options.bin
        self.root = os.path.join(options.work, "kauri")
        shutil.rmtree(self.root, ignore_errors=True)
        os.makedirs(self.root)
        self.server = Server(options.bin, config=CONFIG, data=self.root)
        self.bind = ["--bind-dn", ADMIN_DN, "--password", ADMIN_PASSWORD]

    def version(self):
        return run([os.path.join(self.bin, "kaurid"), "--version"]).strip()

    def load(self, ldif):
        command = [os.path.join(self.bin, "kauri"), "import", "--data", self.server.data, "--config",
                   os.path.join(self.root, "kauri.toml"), ldif]
        log_path = os.path.join(self.root, "import.log")
        began = time.monotonic()
        with open(log_path, "wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
            _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            with open(log_path, encoding="utf-8", errors="replace") as log:
                raise RuntimeError(f"kauri import ended with {process.returncode}: {log.read()[-2000:]}")
        forget_page_cache(self.server.data)
        return {"wall_s": wall, "cpu_s": usage.ru_utime + usage.ru_stime, "peak_mb": usage.ru_maxrss / 1024,
                "size_mb": self.size_mb(), "command": " ".join(command)}

    def start(self):
        self.server.start()
        self.uri = self.server.uri
        self.pid = self.server.pid

    def stop(self):
        code = self.server.stop()
        if code not in (0, None):
            raise RuntimeError(f"kaurid ended with {code}: {self.server.errors()}")

    def size_mb(self):
        return disk_bytes(self.server.data) / 1e6


class Bench:
    """Runs `kauri bench` and keeps what it said."""

    def __init__(self, options):
        self.options = options
        self.records = []
        self.entry_file = os.path.join(options.work, "entry.ldif")
        with open(self.entry_file, "w", encoding="ascii") as file:
            file.write(ENTRY)

    def call(self, arguments, **about):
        command = [os.path.join(self.options.bin, "kauri"), "bench", *arguments, "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if not done.stdout:
            raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-2000:]}")
        record = {**about, "command": " ".join(command), "exit_status": done.returncode,
                  "result": json.loads(done.stdout)}
        self.records.append(record)
        if done.returncode != 0:
            print(f"  wrong answers: {done.stderr.strip()}", file=sys.stderr)
        return record

    def measure(self, server, row, number):
        key, title, arguments, bound = row
        arguments = [*arguments, "--uri", server.uri, "--base", SUFFIX, "--server-pid", str(server.pid),
                     "--duration", str(self.options.duration), "--warmup", str(self.options.warmup),
                     "--seed", str(number + 1), "--note", f"server={server.name}", "--note", "durability=durable",
                     "--note", f"dataset=gen-users {self.options.entries}"]
        if bound:
            arguments += server.bind
        if key == "add-64":
            low = number * ADDS_PER_RUN
            arguments += ["--entry", self.entry_file, "--range", f"{low}:{low + ADDS_PER_RUN - 1}"]
        record = self.call(arguments, server=server.name, row=key, run=number)
        result = record["result"]
        print(f"  {server.name:6} run {number + 1}  {title}: {result['ops_per_s']:.0f} ops/s, "
              f"{result['server']['cpu_us_per_op']:.1f} us/op", flush=True)
        if key == "add-64" and result["operations"] > 0:
            self.check_added(server, low, result["operations"], number)

    def check_content(self, server):
        """All people are there, and each can be found: also brings the data into memory."""
        for scope, expected in (("(objectClass=inetOrgPerson)", self.options.entries), ("(objectClass=groupOfNames)",
                                self.options.entries // 100)):
            record = self.call(["search", "--uri", server.uri, "--base", SUFFIX, "--filter", scope, "--attributes",
                                "1.1", "--count", "1", "--expect-entries", str(expected), "--timeout", "300"],
                               server=server.name, row="content", run=0)
            if record["exit_status"] != 0:
                raise RuntimeError(f"{server.name} holds other entries than it was given: "
                                   f"{record['result']['errors']['first']}")

    def check_added(self, server, low, count, number):
        """The client has one thread, so the entries it has added are the first ones of its range."""
        self.call(["search", "--uri", server.uri, "--base", SUFFIX, "--filter", "(uid=added.{n})", "--range",
                   f"{low}:{low + count - 1}", "--sequential", "--count", str(count), "--connections", "4", "--depth",
                   "8", "--attributes", "1.1", "--expect-entries", "1"], server=server.name, row="added", run=number)

    def warm(self, server):
        self.call(["search", "--uri", server.uri, "--base", SUFFIX, "--filter", "(uid=user.{n})", "--range",
                   f"0:{self.options.entries - 1}", "--sequential", "--count", str(self.options.entries),
                   "--connections", "4", "--depth", "8", "--expect-entries", "1"],
                  server=server.name, row="warm", run=0)

    def null_responder(self):
        """What the client does against a server that does nothing."""
        process = subprocess.Popen([os.path.join(self.options.bin, "kauri"), "bench", "null", "--listen",
                                    "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
        try:
            uri = process.stdout.readline().split()[-1]
            for key, depth in (("null-1", "1"), ("null-16", "16")):
                for number in range(self.options.runs):
                    self.call(["search", "--uri", uri, "--range", "0:99999", "--connections", "16", "--depth", depth,
                               "--expect-entries", "1", "--server-pid", str(process.pid), "--duration",
                               str(self.options.duration), "--warmup", str(self.options.warmup)],
                              server="null", row=key, run=number)
        finally:
            process.terminate()
            process.wait()
            process.stdout.close()

    def values(self, server, row, get):
        return [get(record["result"]) for record in self.records
                if record["server"] == server and record["row"] == row]


def environment(options, servers):
    machine = {"kernel": f"{platform.system()} {platform.release()} {platform.machine()}",
               "processors": os.cpu_count(), "python": platform.python_version(),
               "load_average_before": os.getloadavg()}
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        machine["processor"] = (re.search(r"model name\s*: (.*)", file.read()) or [None, "unknown"])[1]
    with open("/proc/meminfo", encoding="utf-8") as file:
        machine["memory_bytes"] = int(re.search(r"MemTotal:\s*(\d+)", file.read())[1]) * 1024
    found = subprocess.run(["findmnt", "-no", "FSTYPE,OPTIONS", "-T", options.work], capture_output=True, text=True,
                           check=False)
    machine["file_system"] = found.stdout.strip()
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return {"machine": machine, "commit": commit.stdout.strip(),
            "versions": {server.name: server.version() for server in servers},
            "time_utc": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "options": {"entries": options.entries, "duration_s": options.duration, "warmup_s": options.warmup,
                        "runs": options.runs}, "kauri_config": CONFIG}


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def cell(values):
    if not values:
        return "-"
    middle = number(statistics.median(values))
    return middle if len(values) == 1 else f"{middle} ({number(min(values))} to {number(max(values))})"


def ratio(peer, ours):
    if not peer or not ours or statistics.median(peer) == 0:
        return "-"
    return f"{statistics.median(ours) / statistics.median(peer):.2f}"


# What is told about each row of operations: (title, better, how to get it from a result).
FIGURES = [("ops/s", "more", lambda r: r["ops_per_s"]),
           ("server CPU us/op", "less", lambda r: r["server"]["cpu_us_per_op"]),
           ("p99 us", "less", lambda r: r["latency_us"]["p99"])]


def table(about, bench, loads, chosen):
    machine, options = about["machine"], about["options"]
    lines = [f"# Kauri beside slapd, {options['entries']:,} users", "",
             f"{about['time_utc']}, commit {about['commit'][:12]}; {machine['processor']}, {machine['processors']} "
             f"processors, {machine['memory_bytes'] / 2**30:.0f} GiB, {machine['kernel']}, {machine['file_system']}.  ",
             f"{about['versions']['slapd']}; {about['versions']['Kauri']}. Client on the same machine, closed loop, 1 "
             f"thread. Median of {options['runs']} runs of {options['duration_s']} s (least to most); the load ran once. "
             "Ratio: Kauri / slapd.", "",
             "| | slapd | Kauri | ratio | better |", "|---|---:|---:|---:|---|"]

    def line(title, better, peer, ours):
        lines.append(f"| {title} | {cell(peer)} | {cell(ours)} | {ratio(peer, ours)} | {better} |")

    for key, title in (("wall_s", "load, wall s"), ("cpu_s", "load, CPU s"), ("peak_mb", "load, peak memory MB"),
                       ("size_mb", "size on disk after the load, MB")):
        line(title, "less", [loads["slapd"][key]], [loads["Kauri"][key]])
    for key, title, _, _ in chosen:
        for unit, better, get in FIGURES:
            line(f"{title}: {unit}", better, bench.values("slapd", key, get), bench.values("Kauri", key, get))
    rss = [[get / 1e6 for get in bench.values(name, chosen[-1][0], lambda r: r["server"]["rss_anon_bytes"])]
           for name in ("slapd", "Kauri")]
    line("private memory after the runs, MB", "less", *rss)
    lines += ["", "The client against the null responder, 16 connections:", "",
              "| depth | ops/s | client CPU us/op | p99 us |", "|---|---:|---:|---:|"]
    for key, depth in (("null-1", 1), ("null-16", 16)):
        lines.append("| %d | %s | %s | %s |" % (depth, *(cell(bench.values("null", key, get)) for get in (
            lambda r: r["ops_per_s"], lambda r: r["client_cpu_us_per_op"], lambda r: r["latency_us"]["p99"]))))
    warnings = sorted({f"{record['server']}, {record['row']}: {text}" for record in bench.records
                       if record["row"] not in ("warm", "content", "added") for text in record["result"]["warnings"]})
    wrong = [record for record in bench.records if record["exit_status"] != 0]
    if wrong:
        lines += ["", f"**{len(wrong)} runs had wrong answers; their figures mean nothing:**", ""]
        lines += [f"- {r['server']}, {r['row']}, run {r['run'] + 1}: {r['result']['errors']['first']}" for r in wrong]
    if warnings:
        lines += ["", "Warnings:", ""] + [f"- {text}" for text in warnings]
    return "\n".join(lines) + "\n"


def anonymous(text, options):
    """Without the directories of the machine it ran on."""
    for path, name in ((options.work, "$WORK"), (options.peers, "$PEERS"), (options.bin, "$BIN"), (ROOT, "$KAURI")):
        text = text.replace(path, name)
    return text


def write(options, about, bench, loads, sizes, markdown):
    stamp = about["time_utc"].replace(":", "").replace("-", "")[:15]
    base = os.path.join(options.results, f"compare-{options.entries}-{stamp}")
    os.makedirs(options.results, exist_ok=True)
    with open(base + ".md", "w", encoding="utf-8") as file:
        file.write(anonymous(markdown, options))
    everything = {**about, "loads": loads, "size_mb_after": sizes, "runs": bench.records}
    with open(base + ".json", "w", encoding="utf-8") as file:
        file.write(anonymous(json.dumps(everything, indent=1), options) + "\n")
    return base


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="directory with kaurid and kauri")
    parser.add_argument("--peers", default=os.path.join(ROOT, "..", "shared", "peers"))
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--duration", type=float, default=5)
    parser.add_argument("--warmup", type=float, default=1)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--rows", default=".", help="regular expression: only rows whose key it finds")
    parser.add_argument("--work", help="directory for data and servers, kept; default: a temporary one")
    parser.add_argument("--results", default=os.path.join(HERE, "results"))
    options = parser.parse_args()
    for name in ("bin", "peers", "results"):
        setattr(options, name, os.path.realpath(getattr(options, name)))
    if options.runs < 1 or options.entries < 100:
        parser.error("at least 1 run and 100 entries")
    for path in (os.path.join(options.peers, "slapd.sh"), os.path.join(options.peers, "gen-users"),
                 os.path.join(options.bin, "kaurid"), os.path.join(options.bin, "kauri")):
        if not os.access(path, os.X_OK):
            parser.error(f"{path} is not there or cannot be run")
    return options


def compare(options):
    chosen = [row for row in rows(options.entries) if re.search(options.rows, row[0])]
    if not chosen:
        raise RuntimeError(f"no row's key has '{options.rows}' in it")
    ldif = os.path.join(options.work, f"users-{options.entries}.ldif")
    if not os.path.exists(ldif):
        run([os.path.join(options.peers, "gen-users"), str(options.entries), ldif])
    servers = [Slapd(options), Kauri(options)]
    bench = Bench(options)
    loads, sizes = {}, {}
    for server in servers:
        loads[server.name] = server.load(ldif)
        print(f"{server.name}: loaded in {loads[server.name]['wall_s']:.1f} s", flush=True)
    about = environment(options, servers)
    # The servers take turns, so that a change of the machine during the test meets both.
    for turn in range(options.runs):
        for server in servers:
            server.start()
            try:
                if turn == 0:
                    bench.check_content(server)
                bench.warm(server)
                for row in chosen:
                    bench.measure(server, row, turn)
            finally:
                server.stop()
            sizes[server.name] = server.size_mb()
    bench.null_responder()
    markdown = table(about, bench, loads, chosen)
    base = write(options, about, bench, loads, sizes, markdown)
    print("\n" + markdown + f"\nwritten: {os.path.relpath(base)}.md and .json")
    return 1 if any(record["exit_status"] != 0 for record in bench.records) else 0


def main():
    options = parse()
    if options.work:
        options.work = os.path.realpath(options.work)
        os.makedirs(options.work, exist_ok=True)
        return compare(options)
    with tempfile.TemporaryDirectory(prefix="kauri-bench-") as work:
        options.work = os.path.realpath(work)
        return compare(options)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RuntimeError as error:
        sys.exit(f"compare.py: {error}")
