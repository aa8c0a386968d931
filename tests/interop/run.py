#!/usr/bin/env python3
"""Runs foreign LDAP clients against a server of ours: Debian's ldap-utils, python3-ldap, python3-ldap3, npm's ldapts.

    run.py --bin DIR [NAME...]       NAME: ldap_utils python_ldap ldap3 ldapts tour (default: all)

Each client has its script beside this file; the server and its address reach it through the environment. The last line
counts the cases of all of them.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
from server import ADMIN_DN, ADMIN_PASSWORD, SUFFIX, Server  # noqa: E402

PYTHON_CLIENTS = {"ldap_utils": "ldap_utils_test.py", "python_ldap": "python_ldap_test.py", "ldap3": "ldap3_test.py",
                  "tour": "tour_test.py"}


def prepare_ldapts():
    """-> a reason why ldapts cannot run here, or None."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        return "node and npm are not installed"
    folder = os.path.join(HERE, "ldapts")
    if os.path.isdir(os.path.join(folder, "node_modules", "ldapts")):
        return None
    install = subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=folder, capture_output=True, text=True,
                             check=False)
    return None if install.returncode == 0 else "npm ci failed: " + install.stderr.strip()[-200:]


def run_client(name, server, bin_dir):
    """-> (passed, failed, skipped)"""
    environment = dict(os.environ, KAURI_URI=server.uri, KAURI_ADMIN_DN=ADMIN_DN, KAURI_ADMIN_PASSWORD=ADMIN_PASSWORD,
                       KAURI_BASE=SUFFIX, KAURI_BIN=os.path.abspath(bin_dir), KAURI_PASSWORD_FILE=server.password_file,
                       LDAPNOINIT="1")
    if name == "ldapts":
        reason = prepare_ldapts()
        if reason:
            print(f"interop ldapts: skipped: {reason}")
            return 0, 0, 1
        command = ["node", "--test", "--test-concurrency=1", "--test-reporter=tap", "ldapts_test.mjs"]
        run = subprocess.run(command, cwd=os.path.join(HERE, "ldapts"), env=environment, capture_output=True, text=True,
                             timeout=600, check=False)
        counts = {key: int(value) for key, value in re.findall(r"^# (pass|fail) (\d+)", run.stdout, re.M)}
        passed, failed = counts.get("pass", 0), counts.get("fail", 0)
        output = run.stdout
    else:
        command = [sys.executable, os.path.join(HERE, PYTHON_CLIENTS[name]), "-v"]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
        output = run.stderr
        total = re.search(r"^Ran (\d+) test", output, re.M)
        broken = sum(int(n) for n in re.findall(r"(?:failures|errors)=(\d+)", output))
        failed = broken if total else 1
        passed = int(total.group(1)) - broken if total else 0
    if run.returncode != 0 or failed or not passed:
        print(output[-6000:])
        failed = max(failed, 1)
    print(f"interop {name}: {passed} passed, {failed} failed")
    return passed, failed, 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    names = options.names or ["ldap_utils", "python_ldap", "ldap3", "ldapts", "tour"]
    totals = [0, 0, 0]
    for name in names:
        with Server(options.bin) as server:
            totals = [a + b for a, b in zip(totals, run_client(name, server, options.bin))]
    print(f"{totals[0]} passed, {totals[1]} failed, {totals[2]} skipped")
    return 1 if totals[1] else 0


if __name__ == "__main__":
    sys.exit(main())
