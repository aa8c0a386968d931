#!/usr/bin/env python3
"""Runs the tour of README.md word for word against a demonstration server of its own, and compares what is promised.

In the README a tour step is a fenced block marked `sh tour`; a block marked `text` right behind it is its output, where
"..." stands for any text. `ldap://127.0.0.1:1389` is replaced by the port of the server under test.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))
from server import Server  # noqa: E402

README = os.path.join(HERE, "..", "..", "README.md")


def steps():
    with open(README, encoding="utf-8") as file:
        text = file.read()
    pattern = re.compile(r"```sh tour\n(.*?)```\n(?:\s*```text\n(.*?)```)?", re.S)
    return [(m.group(1), m.group(2)) for m in pattern.finditer(text)]


def matches(expected, actual):
    parts = [re.escape(part) for part in expected.strip("\n").split("...")]
    return re.fullmatch(".*".join(parts), actual.strip("\n"), re.S) is not None


class Tour(unittest.TestCase):
    def test_every_step(self):
        self.assertGreaterEqual(len(steps()), 5, "the README has lost its tour")
        folder = tempfile.mkdtemp(prefix="kauri-tour-")
        try:
            with Server(os.environ["KAURI_BIN"], ["--demo"]) as server:
                for command, expected in steps():
                    with self.subTest(step=command):
                        done = subprocess.run(["bash", "-c", command.replace("ldap://127.0.0.1:1389", server.uri)],
                                              cwd=folder, capture_output=True, text=True, timeout=60, check=False,
                                              env=dict(os.environ, LDAPNOINIT="1"))
                        if expected is not None:
                            self.assertTrue(matches(expected, done.stdout), f"{command}\n--- expected\n{expected}\n"
                                            f"--- got\n{done.stdout}{done.stderr}")
                        else:
                            self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        finally:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    unittest.main()
