#!/usr/bin/python3
"""Runs libFuzzer targets until each has used its share of CPU time, and prints what they did.

    cpu_minutes.py --bin DIR [--minutes 10] [--corpus DIR] [--seeds ROOT] [NAME...]

DIR has the targets as fuzz_NAME. Each runs in slices, so that wall time on a busy machine does not count, and keeps its
corpus between slices and runs. What was counted is kept beside the corpus as NAME.json, and a run that was ended goes on
from there as long as the program is the same octet for octet. A crash, a time-out of one input (--input-seconds of wall time), a leak or more than
--rss MiB of memory ends the run with exit code 1; the input is kept below the corpus directory. The table at the end has,
for each target, CPU seconds, executions, edges covered and inputs kept, and the greatest memory.
"""
import argparse
import hashlib
import json
import os
import pathlib
import re
import resource
import subprocess
import sys

SLICE_SECONDS = 60


def children_cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Target:
    def __init__(self, binary, corpus, seeds):
        self.binary = binary
        self.name = binary.name.removeprefix("fuzz_")
        self.corpus = corpus / binary.name
        self.corpus.mkdir(parents=True, exist_ok=True)
        self.seeds = seeds
        self.state = corpus / f"{self.name}.json"
        self.digest = hashlib.sha256(binary.read_bytes()).hexdigest()
        known = json.loads(self.state.read_text()) if self.state.exists() else {}
        if known.get("program") != self.digest:
            known = {}
        self.cpu = known.get("cpu", 0.0)
        self.executions = known.get("executions", 0)
        self.edges = known.get("edges", 0)
        self.inputs = known.get("inputs", 0)
        self.rss = known.get("rss", 0)

    def keep(self):
        counted = {"program": self.digest, "cpu": self.cpu, "executions": self.executions, "edges": self.edges,
                   "inputs": self.inputs, "rss": self.rss}
        fresh = self.state.with_suffix(".new")
        fresh.write_text(json.dumps(counted))
        fresh.replace(self.state)

    def slice(self, seconds, options):
        """One run of libFuzzer. -> whether it found nothing"""
        command = [
            str(self.binary),
            f"-max_total_time={max(1, int(seconds))}",
            f"-timeout={options.input_seconds}",
            f"-rss_limit_mb={options.rss}",
            "-print_final_stats=1",
            f"-artifact_prefix={self.corpus.parent}/{self.name}-",
            str(self.corpus),
        ]
        if self.seeds is not None:
            command.append(str(self.seeds))
        before = children_cpu()
        done = subprocess.run(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, errors="replace")
        self.cpu += children_cpu() - before
        self.take(done.stderr)
        if done.returncode == 0:
            self.keep()
            return True
        sys.stderr.write("\n".join(done.stderr.splitlines()[-40:]) + "\n")
        return False

    def take(self, log):
        executions = re.search(r"stat::number_of_executed_units:\s+(\d+)", log)
        rss = re.search(r"stat::peak_rss_mb:\s+(\d+)", log)
        self.executions += int(executions.group(1)) if executions else 0
        self.rss = max(self.rss, int(rss.group(1)) if rss else 0)
        covered = re.findall(r"cov: (\d+) .*corp: (\d+)/", log)
        if covered:
            self.edges = max(self.edges, int(covered[-1][0]))
            self.inputs = int(covered[-1][1])

    def line(self):
        return (f"| {self.name} | {self.cpu:.0f} | {self.executions:,} | {self.edges:,} | {self.inputs:,} "
                f"| {self.rss} |")


def find_targets(options):
    binaries = sorted(path for path in pathlib.Path(options.bin).glob("fuzz_*") if os.access(path, os.X_OK) and
                      path.suffix == "")
    seeds = {path.name.removesuffix(".in"): path for path in pathlib.Path(options.seeds).rglob("*.in") if path.is_dir()}
    targets = []
    for binary in binaries:
        name = binary.name.removeprefix("fuzz_")
        if options.names and name not in options.names:
            continue
        targets.append(Target(binary, pathlib.Path(options.corpus), seeds.get(name) or seeds.get(name + "_fuzz")))
    missing = set(options.names) - {target.name for target in targets}
    if missing or not targets:
        sys.exit(f"no fuzz target named {', '.join(sorted(missing)) or 'fuzz_*'} in {options.bin}")
    return targets


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--minutes", type=float, default=10.0, help="CPU minutes for each target")
    parser.add_argument("--corpus", default="build/fuzz/corpus")
    parser.add_argument("--seeds", default="src")
    parser.add_argument("--input-seconds", type=int, default=30, help="wall seconds that one input may take")
    parser.add_argument("--rss", type=int, default=2048, help="MiB")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    failed = []
    targets = find_targets(options)
    for target in targets:
        wanted = options.minutes * 60
        while target.cpu < wanted:
            if not target.slice(min(SLICE_SECONDS, wanted - target.cpu), options):
                failed.append(target.name)
                break
        print(target.line(), flush=True)
    print("\n| target | CPU s | executions | edges | inputs kept | memory MiB |\n|---|---:|---:|---:|---:|---:|")
    for target in targets:
        print(target.line())
    cpu = sum(target.cpu for target in targets)
    executions = sum(target.executions for target in targets)
    print(f"fuzz: {len(targets)} targets, {cpu:.0f} CPU s, {executions:,} executions, {len(failed)} failed"
          + (f": {', '.join(failed)}" if failed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
