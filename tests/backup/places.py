"""Calls of kauri, and the places where databases and files of a run lie."""
import json
import os
import subprocess
import sys

COMPARE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "roundtrip", "compare_ldif.py")


class Tally:
    """What passed and what did not."""

    def __init__(self):
        self.passed, self.faults = 0, []

    def add(self, what, found):
        self.passed += not found
        self.faults += [f"{what}: {fault}" for fault in found]

    def control(self, what, caught):
        """A fault that was planted has to be found."""
        self.add("negative control", [] if caught else [f"{what}: MISSED"])


class Tool:
    def __init__(self, bin_dir, root):
        self.bin_dir = os.path.abspath(bin_dir)
        self.kauri = os.path.join(self.bin_dir, "kauri")
        self.root = root
        self.places = 0

    def path(self, name):
        return os.path.join(self.root, name)

    def place(self):
        """A new directory: what restores to it lies in "data" in it, as tests/lib/server.py has it."""
        self.places += 1
        root = self.path(f"place-{self.places}")
        os.makedirs(root)
        return root

    def command(self, *arguments):
        return [self.kauri, *arguments]

    def call(self, *arguments):
        return subprocess.run(self.command(*arguments), capture_output=True, text=True, check=False)

    def must(self, *arguments):
        """-> the report of a command that has to succeed."""
        done = self.call(*arguments, "--json")
        if done.returncode != 0:
            raise RuntimeError(f"kauri {' '.join(arguments)}: {done.stdout[-500:]}{done.stderr[-500:]}")
        return json.loads(done.stdout)

    def restore(self, backup, *arguments):
        """-> (root of the place, faults)"""
        root = self.place()
        done = self.call("restore", "--data", os.path.join(root, "data"), "--from", backup, *arguments)
        if done.returncode != 0:
            return root, [f"restore {' '.join(arguments)}: {done.stderr.strip()[-500:]}"]
        return root, self.verify(os.path.join(root, "data"))

    def verify(self, data):
        done = self.call("verify", "--data", data)
        return [] if done.returncode == 0 else [f"verify: {done.stdout.strip()[-400:]}{done.stderr.strip()[-400:]}"]

    def export(self, data, name):
        """-> path of the LDIF."""
        path = self.path(name)
        done = self.call("export", "--data", data, "--output", path)
        if done.returncode != 0:
            raise RuntimeError(f"export of {data}: {done.stderr.strip()[-500:]}")
        return path

    def state(self, data):
        """What a database holds, as a text: equal states are equal texts. None where there is no database."""
        verify = self.call("verify", "--data", data, "--json")
        if verify.returncode != 0 and "there is no database" in verify.stderr:
            return None
        if verify.returncode != 0:
            return f"damaged: {verify.stdout[-300:]}{verify.stderr[-300:]}"
        export = self.call("export", "--data", data)
        if export.returncode != 0:
            return f"damaged: {export.stderr[-300:]}"
        # The number of keys tells an index that is not whole from one that is.
        return f"{json.loads(verify.stdout)['index_keys']} index keys\n{export.stdout}"


def compare(wanted, found, *options):
    """-> faults"""
    done = subprocess.run([sys.executable, COMPARE, *options, wanted, found], capture_output=True, text=True, check=False)
    return [] if done.returncode == 0 else [(done.stdout + done.stderr).strip().replace("\n", "; ")[-600:]]
