"""Debian's slapd as the other opinion: installed if need be, configured, started and ended in a directory of its own.

It listens on a socket in that directory alone, so that no port is taken, and never as a service of the machine.
"""
import os
import shutil
import socket
import subprocess
import tempfile
import time

import schema_files

SLAPD = "/usr/sbin/slapd"
POLICY = "/usr/sbin/policy-rc.d"

_CONFIG = """
{includes}
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile {root}/slapd.pid
argsfile {root}/slapd.args
loglevel 0
sizelimit unlimited
timelimit unlimited
threads 4
attributeoptions lang- x-
database mdb
suffix "{suffix}"
rootdn "{admin}"
rootpw {password}
directory {root}/db
maxsize 1073741824
dbnosync
{indexes}
{access}
"""


def installed():
    """Installs the package where it is missing; nothing that it brings is started. -> whether slapd is there now."""
    if os.path.exists(SLAPD):
        return True
    if os.geteuid() != 0:
        return False
    ours = not os.path.exists(POLICY)
    if ours:
        with open(os.open(POLICY, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o755), "w", encoding="ascii") as file:
            file.write("#!/bin/sh\nexit 101\n")
    try:
        apt = ["apt-get", "-qq", "-y", "-o", "DPkg::Lock::Timeout=900"]
        environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
        for command in (["install"], ["update"], ["install"]):
            more = ["--no-install-recommends", "slapd"] if command == ["install"] else []
            done = subprocess.run([*apt, *command, *more], env=environment, capture_output=True, check=False)
            if os.path.exists(SLAPD):
                return True
            if command == ["update"] and done.returncode:
                return False
    finally:
        if ours:
            os.remove(POLICY)
    return os.path.exists(SLAPD)


class Slapd:
    def __init__(self, suffix, admin, password, rules, indexes):
        self.root = tempfile.mkdtemp(prefix="kauri-slapd-")
        os.mkdir(os.path.join(self.root, "db"), 0o700)
        self.address = os.path.join(self.root, "ldapi")
        self.process = None
        text = _CONFIG.format(
            root=self.root, suffix=suffix, admin=admin, password=password,
            includes="\n".join(f"include {path}" for path in schema_files.for_slapd()),
            indexes="\n".join(f"index {attribute} {','.join(kinds)}" for attribute, kinds in indexes),
            access="\n".join("access " + rule for rule in rules))
        self.config = os.path.join(self.root, "slapd.conf")
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(text)

    def gone(self):
        """Whether it has ended. A lost connection is noticed before its process has ended."""
        if self.process is None:
            return True
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            return False
        return True

    def start(self, wait_seconds=30):
        self.log = open(os.path.join(self.root, "slapd.log"), "ab")
        # "-d 0": in the foreground, and quiet.
        self.process = subprocess.Popen(
            [SLAPD, "-f", self.config, "-h", "ldapi://" + self.address.replace("/", "%2F"), "-d", "0"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        end = time.monotonic() + wait_seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
                try:
                    probe.connect(self.address)
                    return self
                except (FileNotFoundError, ConnectionRefusedError):
                    pass
            time.sleep(0.01)
        text = self.errors()
        self.close()
        raise RuntimeError(f"slapd did not start: {text}")

    def errors(self):
        with open(os.path.join(self.root, "slapd.log"), encoding="utf-8", errors="replace") as file:
            return file.read()[-2000:]

    def close(self):
        if self.process is not None:
            self.process.terminate()
            try:
                self.process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process = None
            self.log.close()
        shutil.rmtree(self.root, ignore_errors=True)
