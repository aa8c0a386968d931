#!/usr/bin/env python3
"""Power failures: the file system under a working server loses all that was not flushed.

    power_fail.py --bin DIR [--cycles 100] [--tools 20] [--fs ext4|xfs] [--seconds 0.4] [--seed N]

The data lie on a file system of their own, in a file on a loop mount. In each cycle eight writers work
(tests/lib/write_load.py; their ledgers lie elsewhere) until the file system is shut down at a random moment without
flushing its journal. The server is killed, the file system mounted again, which replays its journal, and then: `kauri
verify` finds nothing, the server is ready within a second, and every entry and group is as the ledgers say. An answer given
after the failure counts like any other. Every twentieth cycle begins with an empty disk, and the power fails while the
server starts there for the first time.

--tools: as many cycles with `kauri import` and `kauri reindex` in place of the server. What they leave is the old database
or the new one, and the new one when they had said that they were done (tests/lib/tool_crash.py).

Negative control: the same with durability = "relaxed", which does not flush. It must lose acknowledged writes in more than
half of its cycles, or the run fails. Where there can be no loop mount, the run says why and ends.
"""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import ldap

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from loop_disk import LoopDisk, impossible  # noqa: E402
from server import SUFFIX, Server  # noqa: E402
from tool_crash import CASES, ToolCrash  # noqa: E402
from write_load import WRITERS, Ledger, prepare, read_states, settle, work_until  # noqa: E402

READY_SECONDS_MAX = 1.0
CONTROL_CYCLES = 8
NEW_DISK_EVERY = 20
FIRST_START_SECONDS = 0.25  # about what a first start takes
# The log of changes is kept short: verify reads all of it in each cycle.
LIMITS = "[limits]\nchange_log_records_max = 20000\n"
RELAXED = f'[[database]]\nsuffix = "{SUFFIX}"\ndurability = "relaxed"\n'


class Campaign:
    def __init__(self, options, config):
        self.options = options
        self.root = tempfile.mkdtemp(prefix="kauri-power-")
        self.files = tempfile.mkdtemp(prefix="kauri-power-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        self.server = Server(options.bin, config=config, data=self.root)
        self.disk = LoopDisk(self.files, self.server.data, options.fs)
        self.acknowledged, self.slowest = 0, 0.0
        self.ledgers = []

    def new_disk(self):
        self.server.stop()
        self.acknowledged += sum(ledger.acknowledged for ledger in self.ledgers)
        self.ledgers = [Ledger(number) for number in range(WRITERS)]
        self.disk.make()

    def first_start(self, seed):
        """The power fails while the server makes its database. -> faults"""
        self.new_disk()
        cut = threading.Timer(random.Random(seed).uniform(0, FIRST_START_SECONDS), self.disk.cut)
        cut.start()
        try:
            self.server.start()
        except RuntimeError:
            pass  # it found no disk
        cut.join()
        self.server.kill()
        self.disk.power_on()
        return self.start()

    def cut_and_kill(self, seed):
        self.disk.cut()
        # Some cycles let the server go on without its disk: what it answers then must be true as well.
        threading.Event().wait(max(0, random.Random(seed).uniform(-0.1, 0.1)))
        self.server.kill()

    def start(self):
        try:
            self.server.start()
        except RuntimeError as error:
            return [str(error)]
        self.slowest = max(self.slowest, self.server.ready_seconds)
        if self.server.ready_seconds <= READY_SECONDS_MAX:
            return []
        return [f"ready only after {self.server.ready_seconds:.2f} s; the limit is {READY_SECONDS_MAX} s"]

    def cycle(self, seed):
        faults = work_until(self.server, self.ledgers, seed, self.options.seconds, lambda: self.cut_and_kill(seed),
                            (ldap.LDAPError,))
        self.disk.power_on()
        verify = self.server.tool("verify", "--data", self.server.data)
        if verify.returncode != 0:
            faults.append(f"kauri verify: {verify.stdout[-500:]}{verify.stderr[-500:]}")
        faults += self.start()
        if self.server.running:
            states, broken = read_states(self.server.uri)
            faults += broken + settle(self.ledgers, states)
        return faults

    def close(self):
        self.server.close()
        self.disk.close()
        for directory in (self.root, self.files):
            shutil.rmtree(directory, ignore_errors=True)


class ToolCampaign:
    def __init__(self, options):
        self.root = tempfile.mkdtemp(prefix="kauri-power-")
        self.files = tempfile.mkdtemp(prefix="kauri-power-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        self.disk = LoopDisk(self.files, os.path.join(self.root, "disk"), options.fs)
        self.crash = ToolCrash(options.bin, self.root)
        for case in CASES:
            self.crash.learn(case)
        self.at_work = 0

    def cycle(self, case, seed):
        self.disk.make()
        data = os.path.join(self.disk.mount_point, "data")
        self.crash.prepare(case, data)
        self.disk.sync()
        tool = subprocess.Popen(self.crash.command(data, case.arguments), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # The power fails at a random moment, which is the point.
        threading.Event().wait(self.crash.moment(seed, case.seconds))
        self.at_work += tool.poll() is None
        self.disk.cut()
        finished = tool.wait() == 0  # what it says without its disk must be true as well
        self.disk.power_on()
        return self.crash.judge(case, data, finished)

    def close(self):
        self.disk.close()
        for directory in (self.root, self.files):
            shutil.rmtree(directory, ignore_errors=True)


def run_tools(options):
    campaign = ToolCampaign(options)
    faults, done, began = [], 0, time.monotonic()
    try:
        while done < options.tools and not faults:
            faults = campaign.cycle(CASES[done % len(CASES)], f"{options.seed}/tools/{done}")
            done += not faults
    finally:
        campaign.close()
    for fault in faults[:20]:
        print(f"tool cycle {done}: {fault}")
    print(f"power fail: {done} cycles of tools on {options.fs} in {time.monotonic() - began:.0f} s, {campaign.at_work} of them cut "
          f"at work, {len(faults)} faults, seed {options.seed}")
    print(f"{done} passed, {1 if faults else 0} failed")
    return not faults


def control(options):
    campaign = Campaign(options, LIMITS + RELAXED)
    lost, example = 0, ""
    try:
        for number in range(CONTROL_CYCLES):
            campaign.new_disk()
            campaign.server.start()
            prepare(campaign.server.uri, campaign.ledgers)
            campaign.disk.sync()
            faults = campaign.cycle(f"{options.seed}/control/{number}")
            lost += bool(faults)
            example = faults[0] if faults else example
    finally:
        campaign.close()
    caught = lost > CONTROL_CYCLES / 2
    print(f"negative control, nothing is flushed: {'caught' if caught else 'MISSED'}: {lost} of {CONTROL_CYCLES} cycles lost "
          f"acknowledged writes: {example[:120]}", flush=True)
    return caught


def run(options):
    campaign = Campaign(options, LIMITS)
    faults, done, began = [], 0, time.monotonic()
    try:
        while done < options.cycles and not faults:
            seed = f"{options.seed}/{done}"
            if done % NEW_DISK_EVERY == 0:
                faults = campaign.first_start(seed)
                if not faults:
                    prepare(campaign.server.uri, campaign.ledgers)
            faults = faults or campaign.cycle(seed)
            done += not faults
            if done % 50 == 0 and not faults:
                print(f"  {done} cycles", flush=True)
        campaign.new_disk()
    finally:
        campaign.close()
    for fault in faults[:20]:
        print(f"cycle {done}: {fault}")
    minutes = (time.monotonic() - began) / 60
    print(f"power fail: {done} cycles on {options.fs} ({done / minutes:.0f} a minute), {campaign.acknowledged} writes "
          f"acknowledged, slowest start {campaign.slowest:.2f} s, {len(faults)} faults, seed {options.seed}")
    print(f"{done} passed, {1 if faults else 0} failed")
    return not faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--cycles", type=int, default=100)
    parser.add_argument("--tools", type=int, default=20, help="cycles with tools in place of the server")
    parser.add_argument("--fs", choices=["ext4", "xfs"], default="ext4")
    parser.add_argument("--seconds", type=float, default=0.4, help="load before each failure, at the most, once writes are answered")
    parser.add_argument("--seed", default=str(time.time_ns()))
    options = parser.parse_args()
    reason = impossible(options.fs)
    if reason:
        print(f"power fail: skipped: {reason}")
        return 0
    print(f"power fail: {options.cycles} cycles, {WRITERS} writers, seed {options.seed}", flush=True)
    return 0 if control(options) and run(options) and run_tools(options) else 1


if __name__ == "__main__":
    sys.exit(main())
