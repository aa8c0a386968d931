"""Plays scenarios in the size of CI or of a release, each again with its fault planted, and counts.

What the machine cannot give (a tmpfs, a memory cgroup, descriptors) leaves its scenario out: that is said and counted, and is
no failure."""
import argparse
import os
import random
import resource
import signal
import sys
import time
import traceback

import arena

# What a scenario says by, when a server is not as it should be.
FINDINGS = ("AssertionError", "Closed", "Silence", "ConnectionError", "ConnectionRefusedError", "ConnectionResetError",
            "BrokenPipeError", "RuntimeError", "TimeoutError")


def play(name, scenario, options, plant=None):
    """-> (whether it passed, what it says); None when the machine cannot play it."""
    try:
        return True, scenario(options, random.Random(f"{options.seed} {name}"), plant)
    except arena.Missing as error:
        return None, str(error)
    except Exception as error:  # every failure is one line, whatever it is
        where = traceback.extract_tb(error.__traceback__)[-1]
        return False, f"{type(error).__name__}: {error} ({os.path.basename(where.filename)}:{where.lineno})"


def play_control(name, scenario, control, options):
    """The scenario with a fault planted, or one in its place that has to fail. -> (whether the fault was found, why)"""
    if isinstance(control, str):
        missed, text = play(name, scenario, options, control)
    else:
        missed, text = play(name, control, options)
    # A scenario that breaks by itself has found nothing.
    return missed is False and text.startswith(FINDINGS), text[:200]


def main(scenarios, short, full, control_sizes, description, needs_root=False):
    """scenarios: (name, scenario, control or None); short and full: what becomes attributes of the options; control_sizes:
    the sizes at which a control finds its fault surely, and it ends then. -> exit code"""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="folder of kaurid and kauri")
    parser.add_argument("--full", action="store_true", help="the sizes of a release; without it those of CI")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--set", action="append", default=[], metavar="NAME=NUMBER", help=f"one size: {', '.join(full)}")
    parser.add_argument("--no-controls", action="store_true", help="without the planted faults")
    parser.add_argument("names", nargs="*", help="scenarios whose name begins so")
    options = parser.parse_args()
    if needs_root:
        arena.become_root()
    sizes = dict(full if options.full else short)
    for text in options.set:
        name, number = text.split("=", 1)
        if name not in sizes:
            parser.error(f"--set {text}: no size has this name")
        sizes[name] = int(number)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    # Ended by a signal, it still ends its servers and takes its volumes away.
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    print(f"seed {options.seed}", flush=True)
    passed = failed = left_out = 0

    def report(good, text, began):
        nonlocal passed, failed
        print(f"{'ok  ' if good else 'FAIL'} {text} ({time.monotonic() - began:.1f} s)", flush=True)
        passed, failed = passed + good, failed + (not good)

    for name, scenario, control in scenarios:
        if options.names and not any(name.startswith(wanted) for wanted in options.names):
            continue
        vars(options).update(sizes)
        began = time.monotonic()
        good, text = play(name, scenario, options)
        if good is None:
            print(f"left out: {name}: {text}", flush=True)
            left_out += 1
            continue
        report(good, f"{name}: {text}", began)
        if control is None or options.no_controls:
            continue
        vars(options).update(control_sizes)
        began = time.monotonic()
        found, text = play_control(name, scenario, control, options)
        report(found, f"{name}, planted fault {'found' if found else 'NOT found'}: {text}", began)
    arena.forget_plant_library()
    print(f"{passed} passed, {failed} failed" + (f", {left_out} left out" if left_out else ""))
    return 1 if failed or not passed + left_out else 0
