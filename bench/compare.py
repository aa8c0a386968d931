#!/usr/bin/env python3
"""Measures Kauri beside other directory servers: same data, indexes, rules and client, one server at a time.

    compare.py --bin DIR [--peers slapd,389ds,apacheds] [--entries 100000] [--durability durable|relaxed]
               [--duration 2] [--runs 3] [--rows REGEX] [--name NAME] [--page] [--work DIR]

Writes bench/results/NAME/table.md, result.json and runs-SERVER.json (environment, versions, commands, each run), with --page also
docs/performance.md from the newest results that are there. Exit status 1 when any answer of any server was wrong.
README.md beside this file says what is compared, and how.
"""
import argparse
import datetime
import json
import os
import platform
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path[:0] = [os.path.join(HERE, "lib"), os.path.join(ROOT, "tests", "lib")]
import extra  # noqa: E402
import store  # noqa: E402
from client import Client  # noqa: E402
from data import Data  # noqa: E402
from page import Result, page  # noqa: E402
from peers import DEFAULT_INDEXES, INDEXES, PEERS, Kauri  # noqa: E402
from rows import rows, titles  # noqa: E402

PAGE = os.path.join(ROOT, "docs", "performance.md")


class Comparison:
    def __init__(self, options):
        self.options = options
        self.began = time.monotonic()
        self.data = Data(options.scripts, options.work, options.entries)
        self.chosen = rows(self.data, options.rows, options.durability)
        self.client = Client(options, self.data, self.chosen)
        self.all = self.servers = [*(PEERS[key](options) for key in options.peers), Kauri(options)]
        self.names = {server.key: server.name for server in (self.servers[-1], *self.servers[:-1])}
        self.loads, self.sizes, self.extras, self.missing = {}, {}, {}, {}
        self.controls = []

    def say(self, text):
        print(f"{time.monotonic() - self.began:6.0f} s  {text}", flush=True)

    def wanted(self, key):
        return re.search(self.options.rows, key) is not None

    def give_up(self, server, error):
        """A peer that fails is left out from here on, with the reason; Kauri must not fail."""
        if server.key == "kauri":
            raise error
        quietly_stopped(server)
        self.missing[server.name] = " ".join(str(error).split())[:400]
        self.servers = [one for one in self.servers if one is not server]
        self.say(f"{server.name} is left out: {self.missing[server.name]}")

    def load(self, server):
        # Durability does not matter to a load: with relaxed commits it is the same one.
        variants = [n for n in INDEXES if n != DEFAULT_INDEXES] if (
            server.offline_load and self.wanted("import") and self.options.durability == "durable") else []
        self.loads[server.key] = {}
        for indexes in [*variants, DEFAULT_INDEXES]:
            found = server.load(self.data.ldif, indexes)
            self.loads[server.key][str(indexes)] = found
            self.say(f"{server.name}: loaded with {indexes} indexes in {found['wall_s']:.1f} s, {found['cpu_s']:.1f} s of CPU, "
                     f"{found['size_mb']:.0f} MB")

    def turn(self, server, run):
        self.say(f"{server.name}, run {run + 1}")
        server.start()
        try:
            if run == 0:
                self.client.check_content(server)
            self.client.warm(server, run)
            self.client.prepare(server, run)
            for row in self.chosen:
                self.client.measure(server, row, run)
            if run == self.options.runs - 1:
                self.finish(server)
        finally:
            server.stop()
        self.sizes[server.key] = server.size_mb()

    def finish(self, server):
        """Once for each server, when its rows are done."""
        found = self.extras.setdefault(server.key, {})
        steps = [("open-loop", lambda: self.open_loops(server)), ("idle", lambda: found.update(idle=extra.idle(server))),
                 ("move", lambda: extra.move(self.client, server))]
        for key, step in steps:
            if not self.wanted(key) or (self.options.durability == "relaxed" and key != "open-loop"):
                continue
            try:
                step()
            except RuntimeError as error:
                if server.key == "kauri":
                    raise
                found.setdefault("failed", []).append(f"{key}: {str(error)[:300]}")
        if server.key == "kauri" and shutil.which("ldapsearch"):
            said = subprocess.run(["ldapsearch", "-x", "-LLL", "-H", server.uri, "-s", "base", "-b", "", "supportedControl"],
                                  capture_output=True, text=True, check=False).stdout
            self.controls = re.findall(r"supportedControl: (\S+)", said)

    def open_loops(self, server):
        extra.open_loop(self.client, server, extra.peak(self.client, server) / 2)
        slapd = next((one for one in self.client.records if one["server"] == "slapd" and one["row"] == "open-loop"), None)
        if server.key == "kauri" and slapd:
            extra.open_loop(self.client, server, slapd["asked"], "open-loop-same")

    def run(self):
        for server in list(self.servers):
            try:
                self.load(server)
            except (RuntimeError, OSError) as error:
                self.give_up(server, error)
        about = environment(self.options, self.servers)
        # The servers take turns, so that a change of the machine during the test meets all.
        for run in range(self.options.runs):
            for server in list(self.servers):
                try:
                    self.turn(server, run)
                except (RuntimeError, OSError) as error:
                    self.give_up(server, error)
        if self.wanted("null") and self.options.durability == "durable":
            extra.measure_null(self.client)
        told = ("key", "title", "kind", "rate_bar", "cpu_bar", "null_bar", "cpu_us_bar")
        return {**about, "servers": {key: name for key, name in self.names.items() if name not in self.missing},
                "missing": self.missing, "kauri_controls": self.controls, "loads": self.loads, "size_mb_after": self.sizes,
                "extras": self.extras, "seconds": round(time.monotonic() - self.began),
                "rows": [{key: getattr(row, key) for key in told} for row in titles(self.chosen)],
                "records": self.client.records}


def quietly_stopped(server):
    """What has failed or was interrupted must not leave a server behind."""
    try:
        server.stop()
    except (RuntimeError, OSError, subprocess.TimeoutExpired):
        pass


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
    machine["file_system"] = " ".join(found.stdout.split())
    commit = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return {"machine": machine, "commit": commit.stdout.strip(), "command": options.command,
            "versions": {server.key: server.version() for server in servers},
            "durability": {server.key: server.durability[options.durability] for server in servers},
            "time_utc": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "options": {"entries": options.entries, "durability": options.durability, "duration_s": options.duration,
                        "warmup_s": options.warmup, "runs": options.runs, "rows": options.rows}}


def anonymous(text, options):
    """Without the directories of the machine it ran on."""
    for path, name in ((options.work, "$WORK"), (options.scripts, "$PEERS"), (options.bin, "$BIN"), (ROOT, "$KAURI")):
        text = text.replace(path, name)
    return text


def write(options, saved):
    """-> the directory of the result"""
    stamp = saved["time_utc"].replace(":", "").replace("-", "")[:15]
    name = options.name or f"compare-{options.entries}-{options.durability}-{stamp}"
    folder = os.path.join(options.results, name)
    os.makedirs(folder, exist_ok=True)
    saved = json.loads(anonymous(json.dumps(saved), options))
    store.write(folder, saved)
    with open(os.path.join(folder, "table.md"), "w", encoding="utf-8") as file:
        file.write(Result(saved).markdown(1))
    return folder


def write_page(results):
    """docs/performance.md from the newest result of each durability and number of entries."""
    newest = {}
    for name in sorted(os.listdir(results)):
        if os.path.exists(os.path.join(results, name, "result.json")):
            saved = store.read(os.path.join(results, name))
            key = (-saved["options"]["entries"], saved["options"]["durability"])
            saved["rank"] = (saved["options"]["rows"] == ".", saved["time_utc"])  # all rows before some of them
            if key not in newest or saved["rank"] > newest[key]["rank"]:
                newest[key] = {**saved, "folder": name}
    if not newest:
        raise RuntimeError(f"{results} has no result yet")
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(page([Result(newest[key]) for key in sorted(newest)]))


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="directory with kaurid and kauri")
    parser.add_argument("--peers", default="slapd", help="which, with commas: slapd, 389ds, apacheds; or none")
    parser.add_argument("--scripts", default=os.path.join(HERE, "peers"), help="directory with the peers' scripts")
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--durability", choices=("durable", "relaxed"), default="durable")
    parser.add_argument("--duration", type=float, default=2, help="seconds of each run of a row")
    parser.add_argument("--warmup", type=float, default=0.5)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--rows", default=".", help="only rows, and import, open-loop, idle, move, null, whose key this regular "
                        "expression finds")
    parser.add_argument("--list", action="store_true", help="print the keys and titles of all rows, and end")
    parser.add_argument("--name", help="of the directory of the result")
    parser.add_argument("--page", action="store_true", help="write docs/performance.md too")
    parser.add_argument("--page-only", action="store_true", help="write it from the results that are there, and end")
    parser.add_argument("--work", help="directory for data and servers, kept; default: a temporary one. Its path has to be "
                        "short, and open to the user dirsrv for 389 DS")
    parser.add_argument("--results", default=os.path.join(HERE, "results"))
    options = parser.parse_args()
    own = {"--bin": options.bin}
    options.command = shlex.join(["./x", "bench", *(word for i, word in enumerate(sys.argv[1:])
                                                    if word not in own and sys.argv[i] not in own)])
    for name in ("bin", "scripts", "results"):
        setattr(options, name, os.path.realpath(getattr(options, name)))
    options.peers = [] if options.peers == "none" else options.peers.split(",")
    check(parser, options)
    return options


def check(parser, options):
    unknown = [key for key in options.peers if key not in PEERS]
    if unknown:
        parser.error(f"no peer is called '{unknown[0]}'; there are {', '.join(PEERS)}")
    if options.runs < 1 or options.entries < 1000 or options.duration <= 0:
        parser.error("at least 1 run, 1,000 entries, and a duration above 0")
    for path in (os.path.join(options.scripts, "gen-users"), *(os.path.join(options.scripts, PEERS[key].script) for key in
                 options.peers), os.path.join(options.bin, "kaurid"), os.path.join(options.bin, "kauri")):
        if not os.access(path, os.X_OK):
            parser.error(f"{path} is not there or cannot be run")


def compare(options):
    comparison = Comparison(options)
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit("compare.py: ended by a signal"))
    try:
        saved = comparison.run()
    finally:
        for server in comparison.all:
            quietly_stopped(server)
    folder = write(options, saved)
    comparison.say(f"written: {os.path.relpath(folder)}")
    if options.page:
        write_page(options.results)
    with open(os.path.join(folder, "table.md"), encoding="utf-8") as file:
        print("\n" + file.read())
    return 1 if Result(saved).wrong() else 0


def main():
    options = parse()
    if options.page_only:
        write_page(options.results)
        return 0
    with tempfile.TemporaryDirectory(prefix="kauri-") as work:
        options.work = os.path.realpath(options.work or work)
        os.makedirs(options.work, exist_ok=True)
        os.chmod(options.work, 0o755)  # 389 DS runs as a user of its own
        if options.list:
            for row in titles(rows(Data(options.scripts, work, 1000), options.rows, options.durability)):
                print(f"{row.key:22} {row.title}")
            return 0
        return compare(options)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RuntimeError as error:
        sys.exit(f"compare.py: {error}")
