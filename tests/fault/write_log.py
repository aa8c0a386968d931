#!/usr/bin/env python3
"""Every disk that a power failure could leave: the server's writes are logged, cut anywhere and put together again.

    write_log.py --bin DIR [--images 2000] [--seed N] [--commits 2500] [--dir DIR] [--only IMAGE]

A new server starts and runs with write_log.so before it (LD_PRELOAD), which logs every write and sync of data.mdb, while
the eight writers of tests/lib/write_load.py note where the log stood before each request and after each answer.
replay_write_log then builds images: at each flush, and at any other place with any part of the unflushed writes, in any
order and torn at sectors of 512 octets. Each must open, verify, and show a state between what was acknowledged at that
place and what had been asked for.

Negative control: the sync before each header page is left out of the same log. An image must fail then, or the run does.

--dir keeps log and ledger; with --only nothing is run again, one image of it is built and examined.
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
from server import Server  # noqa: E402
from write_load import WRITERS, Ledger, Writer, prepare  # noqa: E402

LOAD_SECONDS_MAX = 300


def memory_directory():
    """Where files cost no disk: thousands of images are written and read once."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


def record(options, directory):
    """Runs the server under load and leaves log and ledger in the directory. -> faults"""
    ledgers = [Ledger(number, history=[]) for number in range(WRITERS)]
    log = os.path.join(directory, "log")
    server = Server(options.bin, data=directory)
    server.environment = {**os.environ, "KAURI_WRITE_LOG": log,
                          "KAURI_WRITE_LOG_PLACE": os.path.join(server.data, "db", "data.mdb"),
                          "LD_PRELOAD": os.path.join(os.path.abspath(options.bin), "write_log.so")}
    try:
        server.start()
        prepare(server.uri, ledgers, lambda: os.stat(log).st_size)
        faults = load(options, server, ledgers, log)
        ended = server.kill()
        if ended != -9:
            faults.append(f"the server ended by itself with {ended}: {server.errors()}")
    finally:
        server.close()
    with open(os.path.join(directory, "ledger"), "w", encoding="ascii") as file:
        for step in (step for ledger in ledgers for step in ledger.history):
            file.write("\t".join("-" if field is None else str(field) for field in step) + "\n")
    return faults


def load(options, server, ledgers, log):
    left = [options.commits]
    ended = threading.Event()  # never set: nothing ends the server here, so each failure of a request is a fault
    ending = time.monotonic() + LOAD_SECONDS_MAX

    def pace():
        left[0] -= 1  # a write more or less is all the same
        return left[0] > 0 and time.monotonic() < ending

    writers = [Writer(ledger, server.uri, f"{options.seed}/{ledger.owner}", ended, pace=pace,
                      position=lambda: os.stat(log).st_size) for ledger in ledgers]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    return [f"writer {writer.ledger.owner}: {writer.error!r}" for writer in writers if writer.error is not None]


def replay(options, directory, *arguments):
    """-> (exit status, output) of replay_write_log, by one process for each core."""
    parts = 1 if options.only is not None else os.cpu_count()
    commands = [[os.path.join(options.bin, "replay_write_log"), "--log", os.path.join(directory, "log"),
                 "--ledger", os.path.join(directory, "ledger"),
                 "--work", os.path.join(directory, f"image-{part}"), "--images", str(options.images),
                 "--seed", str(options.seed), "--part", str(part), "--parts", str(parts), *arguments]
                for part in range(parts)]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
               for command in commands]
    outputs = [process.communicate()[0] for process in running]
    return [process.returncode for process in running], outputs


def total(outputs, name):
    """The sum of a figure of the last lines "images 10, at flushes 5, ..."."""
    figures = [dict(field.rsplit(" ", 1) for field in output.strip().split("\n")[-1].split(", ")) for output in outputs]
    return sum(int(one[name]) for one in figures), figures[0]


def control(options, directory):
    statuses, outputs = replay(options, directory, "--late-syncs", "--stop-at-first")
    caught = 1 in statuses and not set(statuses) - {0, 1}
    first = next((output.split("\n", 1)[0] for output in outputs if output.startswith("image ")), "".join(outputs))
    print(f"negative control, the sync before each header page left out: {'caught' if caught else 'MISSED'}: {first[:200]}")
    return caught


def campaign(options, directory):
    began = time.monotonic()
    statuses, outputs = replay(options, directory, *(["--only", str(options.only)] if options.only is not None else []))
    for output in outputs:
        print("\n".join(output.split("\n")[:-2][:40]), end="")
    if set(statuses) - {0, 1}:
        print("".join(outputs))
        return False
    images, figures = total(outputs, "images")
    failed = total(outputs, "failed")[0]
    seconds = time.monotonic() - began
    print(f"write log: {images} images in {seconds:.0f} s ({images / seconds:.0f}/s), {total(outputs, 'at flushes')[0]} at "
          f"flushes and the others between, of {figures['records']} records, {figures['requests']} requests, at most "
          f"{figures['most unflushed writes']} unflushed writes, seed {options.seed}")
    print(f"{images - failed} passed, {failed} failed")
    return failed == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--bin", required=True)
    parser.add_argument("--images", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 10**9)
    parser.add_argument("--commits", type=int, default=2500, help="requests of the load, about")
    parser.add_argument("--dir", help="where log and ledger are kept; else in memory, and removed")
    parser.add_argument("--only", type=int, help="one image of what lies in --dir")
    options = parser.parse_args()
    directory = options.dir or tempfile.mkdtemp(prefix="kauri-write-log-", dir=memory_directory())
    os.makedirs(directory, exist_ok=True)
    print(f"write log: {options.images} images, {WRITERS} writers, seed {options.seed}", flush=True)
    if options.only is not None:
        return 0 if campaign(options, directory) else 1
    faults = record(options, directory)
    for fault in faults:
        print(fault)
    passed = control(options, directory) and campaign(options, directory) and not faults
    if not options.dir and (passed or faults):
        shutil.rmtree(directory, ignore_errors=True)
    elif not passed:
        print(f"log and ledger are kept in {directory}; --dir and --only build one image again")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
