#!/usr/bin/env python3
"""Kills the server with SIGKILL while eight writers work, starts it again, and compares with a ledger kept outside it.

    kill_rounds.py --bin DIR [--rounds 30] [--tools 0] [--seconds 0.8] [--seed N] [--state DIR] [--no-controls]

One round: load until every writer could have two answers and for a random part of --seconds more, SIGKILL, `kauri verify`
(every table, and the change log, against the entries), start (ready within a second), every entry and group against the ledger (tests/lib/write_load.py has the load and
what is legal after it). The data of all rounds is one database.

Negative controls come first, and the run fails when they are not found: an acknowledgement that is forged, and a server
that answers before it commits (kaurid-planted).

--tools: rounds of kill_tools.py behind them, which kills the offline tools.

--state: a directory for data, ledger and count of rounds; a run that was ended goes on there with the next round. An
interrupt (Ctrl-C, SIGTERM) ends the run after the round it is in.
"""
import argparse
import json
import os
import shutil
import signal
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import kill_tools  # noqa: E402
from server import Server  # noqa: E402
from write_load import WRITERS, Ledger, prepare, read_states, settle, work_until  # noqa: E402

READY_SECONDS_MAX = 1.0
CONTROL_ROUNDS = 60
# The log of changes is kept short: verify reads all of it in each round, and erasing its old records is a case too.
CONFIG = "[limits]\nchange_log_records_max = 20000\n"


class Campaign:
    def __init__(self, options, directory, **server):
        self.options = options
        self.path = os.path.join(directory, "rounds.json")
        self.seed, self.done, self.slowest, self.writes_before = options.seed, 0, 0.0, 0
        if os.path.exists(self.path):
            with open(self.path, encoding="ascii") as file:
                kept = json.load(file)
            self.seed, self.done, self.slowest = kept["seed"], kept["done"], kept["slowest"]
        self.ledgers = [Ledger(number, directory) for number in range(WRITERS)]
        self.writes_before = self.acknowledged()
        self.server = Server(options.bin, config=CONFIG, data=directory, **server)

    def acknowledged(self):
        return sum(ledger.acknowledged for ledger in self.ledgers)

    def begin(self):
        self.server.start()
        if self.done == 0 and not any(ledger.states for ledger in self.ledgers):
            prepare(self.server.uri, self.ledgers)
        else:  # goes on where another run was ended, which may have been in the middle of a round
            self.compare()

    def verify(self):
        verify = self.server.tool("verify", "--data", self.server.data)
        return [] if verify.returncode == 0 else [f"kauri verify: {verify.stdout[-500:]}{verify.stderr[-500:]}"]

    def start(self):
        self.server.start()
        self.slowest = max(self.slowest, self.server.ready_seconds)
        if self.server.ready_seconds <= READY_SECONDS_MAX:
            return []
        return [f"ready only after {self.server.ready_seconds:.2f} s; the limit is {READY_SECONDS_MAX} s"]

    def compare(self, forge=None):
        if forge:
            self.ledgers[0].states[forge] = "forged|0|w0a"
        states, faults = read_states(self.server.uri)
        return faults + settle(self.ledgers, states)

    def round(self, forge=None):
        faults = work_until(self.server, self.ledgers, f"{self.seed}/{self.done}", self.options.seconds, self.server.kill)
        faults += self.verify() + self.start() + self.compare(forge)
        if not faults:
            self.done += 1
            for ledger in self.ledgers:
                ledger.checkpoint()
            with open(self.path + ".new", "w", encoding="ascii") as file:
                json.dump({"seed": self.seed, "done": self.done, "slowest": self.slowest}, file)
            os.replace(self.path + ".new", self.path)
        return faults


def control(options, what, forge=None, **server):
    """Rounds of a server (or ledger) that is not sound, until it is found out."""
    directory = tempfile.mkdtemp(prefix="kauri-crash-control-")
    campaign = Campaign(options, directory, **server)
    faults, rounds = [], 0
    try:
        campaign.begin()
        while not faults and rounds < CONTROL_ROUNDS:
            faults = [fault for fault in campaign.round(forge) if forge is None or forge in fault]
            rounds += 1
    finally:
        campaign.server.close()
        shutil.rmtree(directory, ignore_errors=True)
    if faults:
        print(f"negative control, {what}: caught in round {rounds}: {faults[0][:150]}", flush=True)
    else:
        print(f"negative control, {what}: MISSED in {rounds} rounds", flush=True)
    return bool(faults)


def run(options, directory):
    campaign = Campaign(options, directory)
    ending = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ending.set())
    faults, began = [], time.monotonic()
    first = campaign.done
    try:
        campaign.begin()
        while not faults and campaign.done < options.rounds and not ending.is_set():
            faults = campaign.round()
            if campaign.done % 50 == 0 and not faults:
                print(f"  {campaign.done} rounds, {campaign.acknowledged()} writes", flush=True)
        if not faults:
            campaign.server.stop()
    finally:
        campaign.server.close()
    for fault in faults[:20]:
        print(f"round {campaign.done}: {fault}")
    minutes = (time.monotonic() - began) / 60
    print(f"kill rounds: {campaign.done} rounds ({(campaign.done - first) / minutes:.0f} a minute), "
          f"{campaign.acknowledged()} writes acknowledged, {sum(len(one.states) for one in campaign.ledgers)} entries and "
          f"sets at the end, slowest start {campaign.slowest:.2f} s, {len(faults)} faults, seed {campaign.seed}")
    print(f"{campaign.done} passed, {1 if faults else 0} failed")
    return not faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--tools", type=int, default=0, help="rounds of kill_tools.py behind them")
    parser.add_argument("--seconds", type=float, default=0.8, help="load before each kill, at the most, once writes are answered")
    parser.add_argument("--seed", default=str(time.time_ns()))
    parser.add_argument("--state", help="directory that a later run can go on from")
    parser.add_argument("--no-controls", action="store_true")
    options = parser.parse_args()
    print(f"kill rounds: {options.rounds} rounds, {WRITERS} writers, seed {options.seed}", flush=True)
    caught = options.no_controls or all([
        control(options, "a forged acknowledgement", forge="e:forged"),
        control(options, "answers before the commit", program="kaurid-planted",
                environment={"KAURI_PLANTED_FAULT": "answer-before-commit"})])
    directory = options.state or tempfile.mkdtemp(prefix="kauri-crash-")
    os.makedirs(directory, exist_ok=True)
    passed = run(options, directory)
    if passed and not options.state:
        shutil.rmtree(directory)
    elif not passed:
        print(f"data and ledger are kept in {directory}")
    if passed and options.tools:
        passed = kill_tools.campaign(options.bin, options.tools, options.seed)
    return 0 if passed and caught else 1


if __name__ == "__main__":
    sys.exit(main())
