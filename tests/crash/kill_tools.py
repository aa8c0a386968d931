#!/usr/bin/env python3
"""Kills `kauri import` and `kauri reindex` with SIGKILL anywhere: the database is the old one or the new one afterwards.

    kill_tools.py --bin DIR [--rounds 40] [--seed N]

Rounds go through the cases of tests/lib/tool_crash.py in turn. After each kill `kauri verify` finds nothing, and export and
the number of index keys are those of the old state or of the new one; then the tool is run again on what was left, and must
reach the new state (an import that had already happened rejects what is there).

Negative control: the judge is shown a database in which one entry more is missing than a state has.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from tool_crash import CASES, ToolCrash  # noqa: E402


def round_of(crash, case, seed, root):
    data = os.path.join(root, "data")
    crash.prepare(case, data)
    tool = subprocess.Popen(crash.command(data, case.arguments), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # The kill comes at a random moment, which is the point.
    threading.Event().wait(crash.moment(seed, case.seconds))
    tool.kill()
    finished = tool.wait() == 0
    faults = crash.judge(case, data, finished)
    if not faults:
        subprocess.run(crash.command(data, case.arguments), capture_output=True, check=False)
        state, faults = crash.state(data)
        if state != case.new and not faults:
            faults = [f"{case.name}: run again, it does not reach the new state"]
    shutil.rmtree(data)
    return faults, finished


def control(crash, root):
    """A database that lacks one entry of a state must not pass for it."""
    case = next(case for case in CASES if case.name == "reindex")
    data = os.path.join(root, "data")
    crash.prepare(case, data)
    kept = case.old, case.new
    case.old = case.new = kept[0].replace("\nsn: 17\n", "\nsn: 18\n", 1)
    faults = crash.judge(case, data, finished=False)
    case.old, case.new = kept
    shutil.rmtree(data)
    print(f"negative control, one value differs: {'caught' if faults else 'MISSED'}", flush=True)
    return bool(faults)


def campaign(bin_dir, rounds, seed):
    """-> whether nothing was found, and the negative control was."""
    root = tempfile.mkdtemp(prefix="kauri-tools-")
    began, done, ended_first, faults = time.monotonic(), 0, 0, []
    try:
        crash = ToolCrash(bin_dir, root)
        for case in CASES:
            crash.learn(case)
        caught = control(crash, root)
        while done < rounds and not faults:
            case = CASES[done % len(CASES)]
            faults, finished = round_of(crash, case, f"{seed}/{done}", root)
            done += not faults
            ended_first += finished
    finally:
        shutil.rmtree(root, ignore_errors=True)
    for fault in faults:
        print(f"round {done}: {fault}")
    print(f"kill tools: {done} rounds in {time.monotonic() - began:.0f} s, {done - ended_first} of them killed at work, "
          f"{len(faults)} faults, seed {seed}")
    print(f"{done} passed, {1 if faults else 0} failed")
    return caught and not faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--seed", default=str(time.time_ns()))
    options = parser.parse_args()
    return 0 if campaign(options.bin, options.rounds, options.seed) else 1


if __name__ == "__main__":
    sys.exit(main())
