#!/usr/bin/env python3
"""Whether `kauri bench` sees the same rates as 389 Directory Server's load client ldclt, on the same work.

    ldclt.py --bin DIR [--peers slapd,389ds] [--entries 100000] [--threads 8] [--samples 1] [--json FILE]

Each server (Kauri always) is loaded as by compare.py and asked by both clients in turn: random equality searches for whole
entries, modifies of one attribute, binds on a connection of their own; as many connections as ldclt has threads, over the
same numbers. Printed is operations/s of both, their ratio, and the processor time that the server and the client took: a
client that takes much of the machine leaves less to the server. ldclt counts in samples of 10 s. Exit status 1 when any
answer was wrong. ldclt comes with Debian's 389-ds-base.
"""
import argparse
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "lib"), os.path.join(HERE, "..", "tests", "lib")]
from data import PEOPLE, Data  # noqa: E402
from peers import PEERS, Kauri  # noqa: E402
from server import SUFFIX  # noqa: E402

SAMPLE_SECONDS = 10


def numbers(entries):
    """-> (low, high) that all have as many digits as ldclt's mask."""
    high = 10 ** (len(str(entries)) - 1) - 1
    return (high + 1) // 10, high


def work(server, low, high):
    """-> [(title, what ldclt is told, what `kauri bench` is told)]"""
    mask = "X" * len(str(high))
    span = ["--range", f"{low}:{high}"]
    admin = ["-D", server.bind[1], "-w", server.bind[3]]
    random_user = f"randombinddn,randombinddnlow={low},randombinddnhigh={high}"
    return [
        ("search (uid=user.N), whole entry",
         ["-b", PEOPLE, "-e", "esearch,random", "-r", str(low), "-R", str(high), "-f", f"(uid=user.{mask})"],
         ["search", "--base", PEOPLE, "--filter", "(uid=user.{n})", *span, "--expect-entries", "1"]),
        ("modify of description",
         [*admin, "-b", PEOPLE, "-e", f"attreplace=description:random value {mask},random", "-r", str(low), "-R", str(high),
          "-f", f"uid=user.{mask}"],
         ["modify", "--base", SUFFIX, "--value", "random value {s}", *span, *server.bind]),
        ("connect, bind, unbind",
         ["-D", f"uid=user.{mask},{PEOPLE}", "-w", "password", "-e", f"bindeach,bindonly,{random_user}"],
         ["bind", "--reconnect", "--base", SUFFIX, *span, "--password", "password"]),
    ]


def server_seconds(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run_ldclt(options, server, arguments):
    """-> {ops_per_s, server_us, client_us}; what it did in all its samples"""
    host, port = server.uri.removeprefix("ldap://").split(":")
    command = ["ldclt", "-h", host, "-p", port, *arguments, "-n", str(options.threads), "-N", str(options.samples), "-q"]
    server_before, own_before = server_seconds(server.pid), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    own = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = own.ru_utime + own.ru_stime - own_before.ru_utime - own_before.ru_stime
    found = re.search(r"Global average rate: .*\(\s*([\d.]+)/sec\), total:\s*(\d+)", done.stdout)
    if done.returncode != 0 or not found or int(found[2]) == 0:
        raise RuntimeError(f"ldclt ended with {done.returncode}: {(done.stdout + done.stderr)[-1500:].strip()}")
    count = int(found[2])
    return {"ops_per_s": float(found[1]), "server_us": (server_seconds(server.pid) - server_before) / count * 1e6,
            "client_us": used / count * 1e6, "command": " ".join(command).replace(server.bind[3], "***")}


def run_kauri(options, server, arguments):
    command = [os.path.join(options.bin, "kauri"), "bench", *arguments, "--uri", server.uri, "--connections",
               str(options.threads), "--duration", str(options.samples * SAMPLE_SECONDS), "--server-pid", str(server.pid), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"kauri bench ended with {done.returncode}: {done.stderr[-1000:].strip()}")
    said = json.loads(done.stdout)
    return {"ops_per_s": said["ops_per_s"], "server_us": said["server"]["cpu_us_per_op"],
            "client_us": said["client_cpu_us_per_op"], "command": said["command"]}


def measure(options, server, low, high):
    for title, theirs, ours in work(server, low, high):
        ldclt, kauri = run_ldclt(options, server, theirs), run_kauri(options, server, ours)
        yield {"server": server.name, "work": title, "ldclt": ldclt, "kauri_bench": kauri,
               "ratio": kauri["ops_per_s"] / ldclt["ops_per_s"]}


def print_line(one):
    ldclt, kauri = one["ldclt"], one["kauri_bench"]
    print(f"| {one['server']} | {one['work']} | {ldclt['ops_per_s']:,.0f} | {kauri['ops_per_s']:,.0f} | {one['ratio']:.2f} | "
          f"{ldclt['server_us']:.1f} / {kauri['server_us']:.1f} | {ldclt['client_us']:.1f} / {kauri['client_us']:.1f} |",
          flush=True)


def compare(options):
    data = Data(options.scripts, options.work, options.entries)
    low, high = numbers(options.entries)
    found = []
    print(f"{options.threads} connections, durable, {options.entries:,} users, numbers {low} to {high}\n\n"
          "| server | work | ldclt ops/s | kauri bench ops/s | ratio | server CPU us/op | client CPU us/op |\n"
          "|---|---|---:|---:|---:|---:|---:|", flush=True)
    for server in [*(PEERS[key](options) for key in options.peers.split(",")), Kauri(options)]:
        server.load(data.ldif)
        server.start()
        try:
            for one in measure(options, server, low, high):
                found.append(one)
                print_line(one)
        finally:
            server.stop()
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            file.write(json.dumps(found, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--peers", default="slapd,389ds")
    parser.add_argument("--scripts", default=os.path.join(HERE, "peers"))
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--samples", type=int, default=1)
    parser.add_argument("--json")
    options = parser.parse_args()
    options.bin, options.scripts = os.path.realpath(options.bin), os.path.realpath(options.scripts)
    options.durability = "durable"
    unknown = [key for key in options.peers.split(",") if key not in PEERS]
    if unknown:
        parser.error(f"no peer is called '{unknown[0]}'; there are {', '.join(PEERS)}")
    if shutil.which("ldclt") is None:
        sys.exit("ldclt.py: there is no ldclt; Debian's package 389-ds-base has it")
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit("ldclt.py: ended by a signal"))
    with tempfile.TemporaryDirectory(prefix="kauri-") as options.work:
        os.chmod(options.work, 0o755)
        compare(options)


if __name__ == "__main__":
    try:
        main()
    except RuntimeError as error:
        sys.exit(f"ldclt.py: {error}")
