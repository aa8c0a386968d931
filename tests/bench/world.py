"""What the cases share: running the command, a null responder, a server of ours with users in it."""
import json
import os
import subprocess
import tempfile
import unittest

from measured import configuration
from server import ADMIN_DN, ADMIN_PASSWORD, SUFFIX, Server

BIN = None  # run.py sets it
USERS = 50
CONFIG = configuration("relaxed")


def bench(*arguments, timeout=120):
    """-> (exit status, standard output, standard error) of `kauri bench ARGUMENTS`."""
    done = subprocess.run([os.path.join(BIN, "kauri"), "bench", *map(str, arguments)], capture_output=True, text=True,
                          timeout=timeout, check=False)
    return done.returncode, done.stdout, done.stderr


def result(*arguments, status=0, timeout=120):
    """-> the JSON of a run that ends with `status`."""
    code, out, err = bench(*arguments, "--json", timeout=timeout)
    if code != status:
        raise AssertionError(f"status {code} instead of {status}: {err or out}")
    return json.loads(out)


class Null:
    """`kauri bench null` on a port of its own."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([os.path.join(BIN, "kauri"), "bench", "null", "--listen", "127.0.0.1:0",
                                         *map(str, arguments)], stdout=subprocess.PIPE, text=True)
        self.uri = self.process.stdout.readline().split()[-1]

    @property
    def pid(self):
        return self.process.pid

    def close(self):
        self.process.terminate()
        code = self.process.wait(timeout=30)
        self.process.stdout.close()
        return code


class NullCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.null = Null()

    @classmethod
    def tearDownClass(cls):
        assert cls.null.close() == 0


def user_records():
    yield f"dn: {SUFFIX}\nobjectClass: top\nobjectClass: domain\ndc: example\n"
    for unit in ("People", "Other"):
        yield f"dn: ou={unit},{SUFFIX}\nobjectClass: top\nobjectClass: organizationalUnit\nou: {unit}\n"
    for i in range(USERS):
        yield (f"dn: uid=user.{i},ou=People,{SUFFIX}\nobjectClass: top\nobjectClass: person\n"
               f"objectClass: organizationalPerson\nobjectClass: inetOrgPerson\nuid: user.{i}\ncn: User {i}\n"
               f"sn: Name {i % 5}\nuserPassword: secret{i}\n")


class ServerCase(unittest.TestCase):
    """A kaurid with USERS users below ou=People. `self.admin`: arguments that bind as its administrator."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server(BIN, config=CONFIG)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "users.ldif")
            with open(path, "w", encoding="ascii") as file:
                file.write("\n".join(user_records()))
            done = cls.server.tool("import", "--data", cls.server.data, "--config",
                                   os.path.join(cls.server.root, "kauri.toml"), path)
            if done.returncode != 0:
                raise RuntimeError(done.stderr)
        cls.server.start()
        cls.admin = ["--bind-dn", ADMIN_DN, "--password", ADMIN_PASSWORD]
        cls.users = ["--range", f"0:{USERS - 1}"]

    @classmethod
    def tearDownClass(cls):
        code = cls.server.stop()
        cls.server.close()
        assert code == 0, code

    def run_bench(self, kind, *arguments, status=0):
        return result(kind, "--uri", self.server.uri, *arguments, status=status)

    def count(self, filter_text):
        """-> how many entries below the suffix match, asked by a bench of one search."""
        found = self.run_bench("search", "--filter", filter_text, "--count", 1, *self.admin)
        return found["entries"]
