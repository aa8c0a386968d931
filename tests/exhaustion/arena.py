"""A kaurid in straits: on a small volume, with few descriptors, in little memory, with faults planted into it. Built on the
world of the hostile cases, whose clients, fixture and watch it shares."""
import contextlib
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
for _folder in ("../hostile", "../lib"):
    sys.path.insert(0, os.path.join(HERE, _folder))

from server import Server  # noqa: E402
import wire  # noqa: E402
from world import CONFIG, HIDDEN, P, S, U, USER_PASSWORD, World, check, expect, person  # noqa: E402

KIB, MIB = 1 << 10, 1 << 20
HOSTILE = os.path.join(HERE, "..", "hostile")
CGROUPS = "/sys/fs/cgroup/memory"


class Missing(Exception):
    """The machine lacks what a scenario stands on."""


def become_root():
    """Mounting needs it; where nobody is root, a name space of one's own gives it, unless the kernel allows none."""
    if os.geteuid() == 0:
        return
    name_space = ["unshare", "--user", "--map-root-user", "--mount"]
    try:
        allowed = subprocess.run([*name_space, "true"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return
    if allowed:
        os.execvp("unshare", [*name_space, sys.executable, *sys.argv])


def need_descriptors(count):
    """A crowd of `count` takes as many here and in the server, which inherits the limit."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count + 200:
        raise Missing(f"{count} connections at the same time need {count + 200} descriptors, the limit here is {soft}")


@contextlib.contextmanager
def volume(path, size):
    """A tmpfs of `size` octets at `path`."""
    os.makedirs(path, exist_ok=True)
    if os.geteuid() != 0:
        raise Missing("a tmpfs needs root, or a kernel with user name spaces")
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "kauri-test", path], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        raise Missing(f"a tmpfs cannot be mounted: {done.stderr.strip()}")
    try:
        yield path
    finally:
        subprocess.run(["umount", "-l", path], check=False)


def free_octets(path):
    status = os.statvfs(path)
    return status.f_bavail * status.f_frsize


@contextlib.contextmanager
def memory_group(limit):
    """A memory cgroup of version 1. -> its folder."""
    path = os.path.join(CGROUPS, f"kauri-test-{os.getpid()}")
    try:
        os.mkdir(path)
        with open(os.path.join(path, "memory.limit_in_bytes"), "w", encoding="ascii") as file:
            file.write(str(limit))
    except OSError as error:
        raise Missing(f"there is no memory cgroup of version 1 to be had: {error}") from error
    try:
        yield path
    finally:
        end = time.monotonic() + 10
        while time.monotonic() < end:
            try:
                os.rmdir(path)
                break
            except OSError:
                time.sleep(0.05)


def group_value(path, name):
    with open(os.path.join(path, name), encoding="ascii") as file:
        return int(file.read().split()[0])


_plant_libraries = {}


def plant_library(source="plant.c"):
    """The library of that source, built once."""
    if source not in _plant_libraries:
        library = os.path.join(tempfile.mkdtemp(prefix="kauri-plant-"), "plant.so")
        _plant_libraries[source] = library
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-fexceptions", os.path.join(HERE, source), "-o", library, "-ldl"],
                       check=True)
    return _plant_libraries[source]


def forget_plant_library():
    for library in _plant_libraries.values():
        shutil.rmtree(os.path.dirname(library), ignore_errors=True)
    _plant_libraries.clear()


class Arena(World):
    """prologue: shell commands that the server's process runs before it becomes kaurid. limits: further [limits]."""

    @classmethod
    def make(cls, bin_dir, limits=None, seconds=86400, workers=0, access_log="off", plant=None, prologue=None, ready=None,
             password_scheme="ssha"):
        """`ready(root)` may lay out the directory before the start. Slow hashes are a subject of their own: here many clients
        log in at once."""
        environment = {"LD_PRELOAD": plant_library(), "KAURI_PLANT": plant} if plant else None
        own = Server(bin_dir, environment=environment)
        try:
            if ready is not None:
                ready(own.root)
            own.config = os.path.join(own.root, "kauri.toml")
            text = CONFIG.format(here=HOSTILE, hidden=HIDDEN, user=U, seconds=seconds, log=access_log.format(root=own.root))
            if password_scheme:
                text += f"\n[password]\nscheme = \"{password_scheme}\"\n"
            further = "".join(f"{name} = {value}\n" for name, value in (limits or {}).items())
            with open(own.config, "w", encoding="utf-8") as file:
                file.write((f"workers = {workers}\n" if workers else "") + text.replace("[limits]\n", "[limits]\n" + further))
            own.arguments += ["--config", own.config]
            if prologue:
                own.program = os.path.join(own.root, "kaurid")
                with open(own.program, "w", encoding="utf-8") as file:
                    file.write(f"#!/bin/sh\n{prologue}\nexec {os.path.join(own.bin_dir, 'kaurid')} \"$@\"\n")
                os.chmod(own.program, 0o755)
            own.start()
        except BaseException:
            own.close()
            raise
        return cls(own, seconds=seconds)

    def load_little(self):
        """Suffix, the branch of persons, and the user who logs in."""
        with self.as_admin(timeout=60) as admin:
            expect(admin.ask(wire.add(S, {"objectClass": ["top", "domain"], "dc": ["example"]})), 0, 68)
            expect(admin.ask(wire.add(P, {"objectClass": ["top", "organizationalUnit"], "ou": ["p"]})), 0, 68)
            expect(admin.ask(wire.add(U, person("a", userPassword=USER_PASSWORD))), 0, 68)
        self.renew_address()

    def forget_peak(self):
        """From now on peak() is that since here."""
        with open(f"/proc/{self.pid}/clear_refs", "w", encoding="ascii") as file:
            file.write("5")

    def peak(self):
        """The most memory that the process had, the mapped database included."""
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            return int(re.search(r"VmHWM:\s+(\d+)", file.read()).group(1)) * KIB

    def leave(self):
        """Ends the watch's own session."""
        if self.canary:
            self.canary.close()
            self.canary = None

    def restart(self):
        """Stops cleanly and starts again on the same data."""
        self.leave()
        code = self.own.stop()
        check(code == 0, f"the server ended with {code}: {self.own.errors()[-400:]}")
        self.own.start()
        self.renew_address()

    def renew_address(self):
        self.pid = self.own.pid
        host, port = self.own.uri.removeprefix("ldap://").rsplit(":", 1)
        self.address = (host, int(port))
        self.canary = self.connect()

    def verify(self):
        """Stops the server and has the tool look at what it left."""
        self.leave()
        if self.own.process is not None:
            code = self.own.stop()
            check(code == 0, f"the server ended with {code}: {self.own.errors()[-400:]}")
        done = self.own.tool("verify", "--data", self.own.data, "--config", self.own.config)
        check(done.returncode == 0, f"kauri verify: {done.stdout[-400:]}{done.stderr[-400:]}")
        return done.stdout

    def alive(self):
        code = self.own.process.poll()
        check(code is None, f"the server ended with {code}: {self.own.errors()[-400:]}")
