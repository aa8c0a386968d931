#!/usr/bin/env python3
"""Hostile and odd input against a running server: it must answer rightly or refuse, and go on serving everybody else.

    run.py --bin DIR [NAME...]                    a kaurid of its own from DIR; NAME: cases whose name begins so
    run.py --uri URI --bind-dn DN --password-file FILE [--pid PID] [NAME...]
                                                  any LDAP server with the suffix and access rules of world.py and the
                                                  types of ../fixture/fixture.schema; with --pid its memory is watched too

Each case is named. After each one the process must live, a session opened at the start must be answered, and a new one
too. The last line counts. Exit code 1 when anything failed.
"""
import argparse
import os
import resource
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import cases_access  # noqa: E402
import cases_data  # noqa: E402
import cases_framing  # noqa: E402
import cases_load  # noqa: E402
import cases_session  # noqa: E402
from world import World  # noqa: E402

MODULES = (cases_framing, cases_data, cases_access, cases_session, cases_load)


def run_case(world, name, function):
    """-> whether it passed"""
    began = time.monotonic()
    try:
        if getattr(function, "changes", False):
            world.restore()
        function(world)
        world.well()
    except Exception as error:  # every failure is one line, whatever it is
        where = traceback.extract_tb(error.__traceback__)[-1]
        print(f"FAIL {name}: {type(error).__name__}: {error} ({os.path.basename(where.filename)}:{where.lineno})",
              flush=True)
        return False
    print(f"ok   {name} ({time.monotonic() - began:.2f} s)", flush=True)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", help="folder of kaurid and kauri")
    parser.add_argument("--uri", help="ldap://HOST:PORT of a server that runs already")
    parser.add_argument("--bind-dn", help="its administrator")
    parser.add_argument("--password-file", help="the administrator's password")
    parser.add_argument("--pid", type=int, help="its process")
    parser.add_argument("--seconds", type=int, default=3, help="the deadlines of the server's [limits]")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # before the server starts: it inherits this
    if options.uri:
        with open(options.password_file, encoding="utf-8") as file:
            admin = (options.bind_dn, file.read().strip())
        world = World(uri=options.uri, admin=admin, pid=options.pid, seconds=options.seconds)
    elif options.bin:
        world = World.start(options.bin, options.seconds)
    else:
        parser.error("--bin or --uri is required")
    passed = failed = 0
    try:
        world.load()
        for module in MODULES:
            for name, function in module.CASES:
                if options.names and not any(name.startswith(wanted) for wanted in options.names):
                    continue
                if run_case(world, name, function):
                    passed += 1
                else:
                    failed += 1
                    world.renew()
        if world.own and world.own.process.poll() is None:
            code = world.own.stop()
            print(f"{'ok  ' if code == 0 else 'FAIL'} the server stops cleanly (exit code {code})")
            passed, failed = passed + (code == 0), failed + (code != 0)
    except OSError as error:
        print(f"FAIL the server cannot be reached any more: {error}")
        failed += 1
    finally:
        world.close()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
