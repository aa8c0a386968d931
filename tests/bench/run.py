#!/usr/bin/env python3
"""Runs `kauri bench` against a null responder, a server of ours, and servers that misbehave.

    run.py --bin DIR [-v] [NAME...]     NAME: of test classes or cases, as unittest takes them

Nothing here looks at how fast anything was. README.md says what is asked.
"""
import argparse
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
sys.path.insert(0, HERE)
import world  # noqa: E402

MODULES = ["null_cases", "kaurid_cases", "hostile_cases", "manual_cases", "compare_cases"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("-v", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    world.BIN = os.path.abspath(options.bin)
    loader = unittest.TestLoader()
    if options.names:
        loader.testNamePatterns = [f"*{name}*" for name in options.names]
    suite = loader.loadTestsFromNames(MODULES)
    outcome = unittest.TextTestRunner(verbosity=2 if options.v else 1).run(suite)
    bad = len(outcome.failures) + len(outcome.errors)
    print(f"bench: {outcome.testsRun - bad} passed, {bad} failed")
    return 0 if outcome.wasSuccessful() and outcome.testsRun else 1


if __name__ == "__main__":
    sys.exit(main())
