"""docs/reference/bench.md: its examples run, and it has every option that there is."""
import os
import re
import shlex
import subprocess
import tempfile

import world
from world import SUFFIX, USERS, ServerCase

MANUAL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "reference", "bench.md")
COMMANDS = ["search", "bind", "modify", "add", "compare", "delete", "modrdn", "mixed", "null"]


def examples():
    with open(MANUAL, encoding="utf-8") as file:
        text = file.read()
    return [line for block in re.findall(r"```sh\n(.*?)```", text, re.S) for line in block.splitlines()]


def help_options(command):
    done = subprocess.run([os.path.join(world.BIN, "kauri"), "bench", command, "--help"], capture_output=True, text=True,
                          check=True)
    return set(re.findall(r"^  (?:-h,)?(--[a-z-]+)", done.stdout, re.M)) - {"--help"}


class Manual(ServerCase):
    # What an example says, and what stands for it here: a small directory and short runs.
    SMALLER = {"--duration": "0.2", "--warmup": "0.1", "--range": f"0:{USERS - 1}", "--rate": "300", "--count": "20"}

    def shorten(self, words):
        given = {"--uri": self.server.uri, "--server-pid": str(self.server.pid), "--password-file":
                 self.server.password_file, **self.SMALLER}
        out = [given.get(words[i - 1], word) for i, word in enumerate(words)]
        if "--duration" in out or "--count" in out:
            return out[1:]
        # What takes each number once ends with them, and what comes after it counts on that.
        once = words[2] in ("add", "delete") or "--keep-name" in words or "--change" in words
        return out[1:] + ["--duration", "60" if once else "0.2"]

    def test_the_examples_run(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "filters.tsv"), "w", encoding="ascii") as file:
                file.write(f"(sn=Name 1)\t{USERS // 5}\n(uid=user.1)\t1\n")
            with open(os.path.join(folder, "entry.ldif"), "w", encoding="ascii") as file:
                file.write(f"dn: cn=added {{n}},ou=Other,{SUFFIX}\nobjectClass: person\ncn: added {{n}}\nsn: {{s}}\n")
            ran = 0
            for line in examples():
                words = shlex.split(line)
                self.assertEqual(words[:2], ["kauri", "bench"], line)
                if words[2] == "null":
                    continue
                with self.subTest(example=line):
                    done = subprocess.run([os.path.join(world.BIN, "kauri"), *self.shorten(words)], cwd=folder,
                                          capture_output=True, text=True, timeout=120, check=False)
                    # Whether a busy machine keeps an objective is not asked here.
                    allowed = (0, 1) if "--find-max" in words else (0,)
                    self.assertIn(done.returncode, allowed, done.stderr)
                    self.assertNotEqual(done.stdout, "", done.stderr)
                ran += 1
            self.assertGreater(ran, 10)

    def test_every_option_is_told_of_and_exists(self):
        with open(MANUAL, encoding="utf-8") as file:
            told = set(re.findall(r"--[a-z][a-z-]*[a-z]", file.read()))
        there = set().union(*map(help_options, COMMANDS))
        self.assertEqual(there - told, set(), "not told of")
        self.assertEqual(told - there - {"--help"}, set(), "not there")

    def test_every_option_has_an_example(self):
        shown = {word for line in examples() for word in shlex.split(line) if word.startswith("--")}
        there = set().union(*map(help_options, COMMANDS))
        self.assertEqual(there - shown, set())
