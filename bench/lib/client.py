"""Runs `kauri bench` against a server of a comparison and keeps what it said."""
import datetime
import json
import os
import shlex
import subprocess
import sys
import time

from data import GROUPS, LATE, PEOPLE
from rows import BASE_ARGUMENTS, filled, first_number

# What of a result is kept; the rest (intervals, the machine) is told once or not needed.
KEPT = ("workload", "seconds", "operations", "ops_per_s", "not_started", "latency_us", "entries", "expected_entries",
        "result_codes", "errors", "connections_lost", "client_cpu_us_per_op", "client_busiest_thread", "server",
        "other_cpu_s", "warnings")
PATIENCE = 120  # seconds for an answer: a peer that stalls is slow, which its latencies tell, and not wrong
UNTIL_USED_UP = ("--duration", "900", "--accept", "32")


def utc():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%d%H%M%SZ")


def next_second():
    """-> the present second, which began after the call."""
    now = utc()
    while utc() == now:
        time.sleep(0.01)
    return utc()


class Client:
    def __init__(self, options, data, chosen):
        self.options, self.data, self.chosen = options, data, chosen
        self.records = []

    def command(self, server, arguments):
        base = [] if "--base" in arguments else BASE_ARGUMENTS
        if "--timeout" not in arguments:
            base = [*base, "--timeout", str(PATIENCE)]
        return [os.path.join(self.options.bin, "kauri"), "bench", *arguments, *base, "--uri", server.uri, "--server-pid",
                str(server.pid), "--durability", self.options.durability, "--dataset",
                f"gen-users {self.data.entries} and two groups", "--json"]

    def call(self, server, arguments, row, run=0):
        command = self.command(server, arguments)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return self.keep(server, row, run, command, done.returncode, done.stdout, done.stderr)

    def keep(self, server, row, run, command, status, out, err):
        if not out:
            raise RuntimeError(f"{shlex.join(command)} ended with {status}: {err[-2000:].strip()}")
        said = json.loads(out)
        result = {key: said[key] for key in KEPT if key in said}
        if len(said["kinds"]) > 1:
            result["kinds"] = [{key: kind[key] for key in ("operation", "operations", "result_codes")}
                               for kind in said["kinds"]]
        # As the client has it: without passwords.
        record = {"server": server.key, "row": row, "run": run, "command": said["command"], "exit_status": status,
                  "result": result}
        self.records.append(record)
        if status != 0:
            print(f"  {server.name}, {row}: wrong answers: {err.strip()[-300:]}", file=sys.stderr, flush=True)
        return record

    def check_content(self, server):
        """All that was loaded is there."""
        for what, expected in (("inetOrgPerson", self.data.entries), ("groupOfNames", self.data.groups)):
            record = self.call(server, ["search", "--filter", f"(objectClass={what})", "--attributes", "1.1", "--count", "1",
                                        "--expect-entries", str(expected), "--timeout", "300"], "content")
            if record["exit_status"] != 0:
                raise RuntimeError(f"{server.name} holds other entries than it was given: "
                                   f"{record['result']['errors']['first']}")

    def warm(self, server, run):
        """Every user is found once; that also brings the data into memory."""
        search = ["search", "--filter", "(uid=user.{n})", "--range", f"0:{self.data.entries - 1}", "--sequential",
                  "--connections", "4", "--depth", "8", "--expect-entries", "1"]
        self.call(server, [*search, "--count", str(self.data.entries)], "warm", run)
        if server.warm_seconds and run == 0:
            self.call(server, [*search, "--duration", str(server.warm_seconds)], "warm-more", run)

    def prepare(self, server, run):
        """What rows have to know of this server: since when LATE entries, and no others, have been added. Rows that ask
        for them come before those that add."""
        if not any(row.fact == "late" for row in self.chosen):
            return
        server.facts["LATE_FROM"] = next_second()
        self.call(server, ["add", "--target", f"cn=late.{{n}},{GROUPS}", "--range", f"{run * LATE}:{run * LATE + LATE - 1}",
                           "--duration", "60", *server.bind], "late", run)

    def measure(self, server, row, run):
        arguments = [*filled(row.arguments, server.facts), "--duration", str(self.options.duration), "--seed", str(run + 1)]
        if row.warmup:
            arguments += ["--warmup", str(self.options.warmup)]
        if row.bound:
            arguments += server.bind
        low = first_number(self.chosen, row, run) if row.adds or row.after else 0
        numbers = f"{low}:{low + 999_999}"
        if row.arguments[0] == "mixed" and row.adds:
            arguments += ["--add-range", numbers]
        elif row.adds or row.after:
            arguments += ["--range", numbers]
        record = self.call(server, arguments, row.key, run)
        self.show(server, row, run, record)
        if row.adds:
            self.take_away(server, row, run, low, record)
        elif row.after:
            # The one that was on its way at the end was added too.
            self.follow(server, row.after, run, [*row.after.arguments, "--range",
                                                 f"{low}:{low + record['result']['operations']}"])

    def follow(self, server, row, run, arguments):
        record = self.call(server, [*arguments, *UNTIL_USED_UP, *server.bind], row.key, run)
        self.show(server, row, run, record)

    def take_away(self, server, row, run, low, record):
        """Looks for what a row has added, then deletes it: the next row finds the directory as it was."""
        result = record["result"]
        mixed = result.get("kinds")
        added = next(kind["operations"] for kind in mixed if kind["operation"] == "add") if mixed else result["operations"]
        if added == 0:
            return
        if not mixed:  # the client has one thread, so what it added are the first ones of its range
            self.call(server, ["search", "--filter", "(uid=added.{n})", "--range", f"{low}:{low + added - 1}", "--sequential",
                               "--count", str(added), "--connections", "4", "--depth", "8", "--attributes", "1.1",
                               "--expect-entries", "1"], "added", run)
        # Those on their way when the time was over were added too, one for each connection at most.
        connections = int(row.arguments[row.arguments.index("--connections") + 1])
        numbers = ["--range", f"{low}:{low + added + connections - 1}"]
        delete = ["delete", "--target", f"uid=added.{{n}},{PEOPLE}", *numbers, "--connections", "64"]
        if row.after:
            self.follow(server, row.after, run, delete)
        else:
            self.call(server, [*delete, *UNTIL_USED_UP, *server.bind], "taken-away", run)

    @staticmethod
    def show(server, row, run, record):
        result = record["result"]
        print(f"  {server.name:8} run {run + 1}  {row.title}: {result['ops_per_s']:,.0f} ops/s, "
              f"{result['server']['cpu_us_per_op']:,.1f} us/op", flush=True)

    def values(self, server_key, row, get):
        found = [get(record["result"]) for record in self.records
                 if record["server"] == server_key and record["row"] == row and record["result"]["operations"] > 0]
        return [value for value in found if value is not None]
