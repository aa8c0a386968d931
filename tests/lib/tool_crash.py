"""Offline tools of kauri that are ended in the middle: what they leave is the old database or the new one, never a mixture.

A case prepares a directory, names the tool's command line, and judges what is left. How the tool is ended (SIGKILL, power
failure) is the business of who calls.
"""
import json
import os
import random
import shutil
import subprocess
import time

from server import SUFFIX

PEOPLE = 12000      # of one file; more than one transaction of an import holds
GROUP_MEMBERS = 3000


def ldif(ou, top):
    """People and one large group below an ou; with the entries above where `top`."""
    parts = [f"dn: {SUFFIX}\nobjectClass: domain\ndc: example\n"] if top else []
    parts.append(f"dn: ou={ou},{SUFFIX}\nobjectClass: organizationalUnit\nou: {ou}\n")
    parts += [f"dn: uid={ou}{number},ou={ou},{SUFFIX}\nobjectClass: inetOrgPerson\nuid: {ou}{number}\ncn: {ou} {number}\n"
              f"sn: {number % 97}\nmail: {ou}{number}@example.com\ntelephoneNumber: +64 {number}\n"
              for number in range(PEOPLE)]
    members = "\n".join(f"member: uid={ou}{number},ou={ou},{SUFFIX}" for number in range(GROUP_MEMBERS))
    parts.append(f"dn: cn=group,ou={ou},{SUFFIX}\nobjectClass: groupOfNames\ncn: group\n{members}\n")
    return "\n".join(parts)


class ToolCase:
    """`arguments`: of kauri, behind --data DIR. `before`: names of the files imported first; `empty`: only an empty database."""

    def __init__(self, name, arguments, before=(), init=False):
        self.name = name
        self.arguments = arguments
        self.before = before
        self.init = init
        self.old = self.new = None      # what export and verify say of the two states; None: no database
        self.seconds = None             # that the tool takes


CASES = [
    ToolCase("import into a new directory", ["import", "first.ldif"]),
    ToolCase("import into an empty database", ["import", "first.ldif"], init=True),
    ToolCase("import into a database with entries", ["import", "second.ldif"], before=["first.ldif"]),
    ToolCase("reindex", ["reindex"], before=["first.ldif"]),
]


class ToolCrash:
    def __init__(self, bin_dir, directory):
        """`directory`: for what must survive (LDIF files, the prepared databases)."""
        self.kauri = os.path.join(os.path.abspath(bin_dir), "kauri")
        self.directory = directory
        for name, top in (("first", True), ("second", False)):
            with open(os.path.join(directory, f"{name}.ldif"), "w", encoding="ascii") as file:
                file.write(ldif(name, top))

    def command(self, data, arguments):
        return [self.kauri, arguments[0], "--data", data,
                *[os.path.join(self.directory, one) if one.endswith(".ldif") else one for one in arguments[1:]]]

    def run(self, data, arguments):
        done = subprocess.run(self.command(data, arguments), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"kauri {' '.join(arguments)}: {done.stdout[-300:]}{done.stderr[-300:]}")

    def learn(self, case):
        """Makes the case's old state, learns what it and the new one hold, and how long the tool takes."""
        prepared = os.path.join(self.directory, case.name)
        os.makedirs(prepared)
        if case.init:
            self.run(prepared, ["init", "--suffix", SUFFIX])
        for name in case.before:
            self.run(prepared, ["import", name])
        case.old = self.state(prepared)[0]
        data = os.path.join(self.directory, "learning")
        shutil.copytree(prepared, data)
        began = time.monotonic()
        self.run(data, case.arguments)
        case.seconds = time.monotonic() - began
        case.new = self.state(data)[0]
        shutil.rmtree(data)

    def prepare(self, case, data):
        """The old state, in a directory that is not there yet or is empty."""
        shutil.copytree(os.path.join(self.directory, case.name), data, dirs_exist_ok=True)

    def state(self, data):
        """-> (what a database holds, faults). Equal states are equal texts; None where there is no database."""
        verify = subprocess.run([self.kauri, "verify", "--data", data, "--json"], capture_output=True, text=True, check=False)
        if verify.returncode != 0 and "there is no database" in verify.stderr:
            return None, []
        if verify.returncode != 0:
            return "damaged", [f"kauri verify: {verify.stdout[-300:]}{verify.stderr[-300:]}"]
        export = subprocess.run([self.kauri, "export", "--data", data, "--no-operational"], capture_output=True, text=True,
                                check=False)
        if export.returncode != 0:
            return "damaged", [f"kauri export: {export.stderr[-300:]}"]
        # The number of keys tells an index that is not there, or not whole, from one that is.
        return f"{json.loads(verify.stdout)['index_keys']} index keys\n{export.stdout}", []

    def judge(self, case, data, finished):
        """-> faults of what an ended tool left. `finished`: it had ended by itself, with success."""
        state, faults = self.state(data)
        if faults or state == case.new or (state == case.old and not finished):
            return faults
        entries = -1 if state is None else state.count("\ndn: ")
        return [f"{case.name}: {'it had finished, and ' if finished else ''}the database is neither the old one nor the new: "
                f"{entries} entries, {(state or '').split(chr(10), 1)[0]}"]

    @staticmethod
    def moment(seed, seconds):
        """When to end a tool that takes so long: any time, and sometimes just behind its end."""
        return random.Random(seed).uniform(0, seconds * 1.1)
