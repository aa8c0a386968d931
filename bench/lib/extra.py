"""What a comparison measures besides rows of `kauri bench`: the null responder, idle connections, a subtree that moves,
and an open loop beside a writer and a search of all entries. All but the first on a server that runs."""
import contextlib
import os
import resource
import socket
import statistics
import subprocess

from data import GROUPS, PEOPLE
from server import SUFFIX

OPEN_SECONDS = 8
WRITER_RATE = 500
# Both shorter than 128 octets, so that the length takes one octet.
ANONYMOUS_BIND = bytes.fromhex("300c020101600702010304008000")
TREE_TIMEOUT = ["--timeout", "600"]


class Null:
    """`kauri bench null` as one of the servers."""

    key, name = "null", "null"

    def __init__(self, bin_dir):
        self.process = subprocess.Popen([os.path.join(bin_dir, "kauri"), "bench", "null", "--listen", "127.0.0.1:0"],
                                        stdout=subprocess.PIPE, text=True)
        self.uri = self.process.stdout.readline().split()[-1]
        self.pid = self.process.pid

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


def null_rows():
    """-> [(key, title, arguments)]"""
    numbers = ["--range", "0:99999", "--connections", "16"]
    return [("null-search", "search, 16 connections", ["search", *numbers, "--expect-entries", "1"]),
            ("null-search-deep", "search, 16, each 16 deep", ["search", *numbers, "--expect-entries", "1", "--depth", "16"]),
            ("null-bind", "bind, 16", ["bind", *numbers, "--password", "password"]),
            ("null-modify", "modify, 16", ["modify", *numbers])]


def measure_null(client):
    """What the client does against a server that does nothing: the ceiling of all rates."""
    options = client.options
    null = Null(options.bin)
    try:
        for key, _, arguments in null_rows():
            for run in range(options.runs):
                client.call(null, [*arguments, "--duration", str(options.duration), "--warmup", str(options.warmup)], key,
                            run)
    finally:
        null.close()


def private_bytes(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("RssAnon:"))


def idle(server):
    """-> {connections, bytes_each}: what connections that have bound and then wait take of the server's memory."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    count = min(server.idle_max, max(100, hard - 500))  # the server has the same limit, and other files
    host, port = server.uri.removeprefix("ldap://").split(":")
    before = private_bytes(server.pid)
    with contextlib.ExitStack() as stack:
        for number in range(count):
            try:
                one = stack.enter_context(socket.create_connection((host, int(port)), timeout=30))
                one.sendall(ANONYMOUS_BIND)
                answer = one.recv(200)
            except OSError as error:
                raise RuntimeError(f"{server.name} held {number} idle connections of {count}: {error}") from error
            if b"\x61" not in answer[:8]:
                raise RuntimeError(f"{server.name} answered an anonymous bind on connection {number + 1} with {answer!r}")
        after = private_bytes(server.pid)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return {"connections": count, "bytes_each": (after - before) / count}


def move(client, server):
    """ou=People with all users goes below ou=Groups and back. A peer that refuses is a row without a figure."""
    def rename(row, source, superior):
        return client.call(server, ["modrdn", "--keep-name", "--range", "0:0", "--count", "1", "--target", source, "--new-rdn",
                                    "ou=People", "--new-superior", superior, *TREE_TIMEOUT, *server.bind], row)
    if rename("move", PEOPLE, GROUPS)["exit_status"] != 0:
        return
    client.call(server, ["search", "--base", f"ou=People,{GROUPS}", "--filter", "(uid=user.{n})", "--range",
                         f"0:{client.data.entries - 1}", "--expect-entries", "1", "--count", "20", *TREE_TIMEOUT], "move-check")
    rename("move-back", f"ou=People,{GROUPS}", SUFFIX)


def open_loop(client, server, rate, row="open-loop"):
    """Searches at this rate while a writer and an unindexed search of all entries run beside them."""
    beside = [("writer", ["modify", "--rate", str(WRITER_RATE), "--connections", "64", "--range",
                          f"0:{client.data.entries - 1}", *server.bind]),
              ("scan", ["search", "--filter", "(description=*no such words*)", "--attributes", "1.1", "--expect-entries", "0",
                        "--connections", "1", "--timeout", "300"])]
    running = []
    for name, arguments in beside:
        command = client.command(server, [*arguments, "--duration", str(OPEN_SECONDS + 3)])
        running.append((name, command, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)))
    try:
        record = client.call(server, ["search", "--filter", "(uid=user.{n})", "--range", f"0:{client.data.entries - 1}",
                                      "--expect-entries", "1", "--connections", "256", "--rate", f"{rate:.0f}", "--duration",
                                      str(OPEN_SECONDS), "--warmup", "1"], row)
    finally:
        for name, command, process in running:
            out, err = process.communicate()
            client.keep(server, f"{row}-{name}", 0, command, process.returncode, out, err)
    record["asked"] = rate
    result = record["result"]
    print(f"  {server.name:8} open loop at {rate:,.0f}/s: p99 {result['latency_us']['p99'] / 1000:,.2f} ms, "
          f"p99.9 {result['latency_us']['p99.9'] / 1000:,.2f} ms", flush=True)


def peak(client, server):
    """-> searches/s of this server with nothing beside them."""
    seen = client.values(server.key, "search-whole-16", lambda r: r["ops_per_s"])
    if not seen:
        record = client.call(server, ["search", "--filter", "(uid=user.{n})", "--range", f"0:{client.data.entries - 1}",
                                      "--expect-entries", "1", "--connections", "16", "--duration",
                                      str(client.options.duration), "--warmup", str(client.options.warmup)], "peak")
        seen = [record["result"]["ops_per_s"]]
    return statistics.median(seen)
