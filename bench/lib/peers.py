"""The servers that are compared: how each is loaded, started, asked and stopped.

A peer is driven by its script in bench/peers (or --scripts), whose head says which variables it takes; all it writes is
below $PEER_DIR. A server that cannot be had raises RuntimeError with the reason.
"""
import os
import re
import shutil
import socket
import subprocess
import time

from measured import configuration
from server import ADMIN_DN, ADMIN_PASSWORD, SUFFIX, Server

# By number of indexes: (equality, of these with substrings too).
BASE = ("objectClass", "uid", "employeeNumber", "member", "createTimestamp", "cn", "sn", "mail")
MORE = ("givenName", "initials", "telephoneNumber", "homePhone", "mobile", "pager", "street", "l", "st", "postalCode",
        "title", "ou", "description")
INDEXES = {3: (("objectClass", "uid", "member"), ()), 8: (BASE, ("cn", "sn", "mail")),
           21: (BASE + MORE, ("cn", "sn", "mail"))}
DEFAULT_INDEXES = 8


def run(command, **options):
    """-> stdout; raises with what the command said."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {(done.stderr or done.stdout)[-2000:].strip()}")
    return done.stdout


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def disk_bytes(path):
    total = 0
    for folder, _, files in os.walk(path):
        total += sum(os.stat(os.path.join(folder, name)).st_blocks * 512 for name in files)
    return total


def forget_page_cache(path):
    """As after a reboot: a bulk load leaves large folios, which make later writes of single pages dearer."""
    os.sync()
    for folder, _, files in os.walk(path):
        for name in files:
            fd = os.open(os.path.join(folder, name), os.O_RDONLY)
            os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(fd)


class Peer:
    """A server through its script."""

    key = name = script = None
    offline_load = True
    idle_max = 4000    # connections that its limit of descriptors lets it hold
    warm_seconds = 0   # of searches, after one for every user

    def __init__(self, options):
        self.script = os.path.join(options.scripts, self.script)
        self.options = options
        self.port = free_port()
        self.bind, self.facts = [], {}
        self.set_indexes(DEFAULT_INDEXES)

    def set_indexes(self, number):
        equality, substring = INDEXES[number]
        self.environment = dict(
            os.environ, PEER_DIR=os.path.join(self.options.work, "peers"), BASE=SUFFIX, PORT=str(self.port),
            NOSYNC="1" if self.options.durability == "relaxed" else "0",
            INDEX_EQ=" ".join(name for name in equality if name not in substring), INDEX_SUB=" ".join(substring))

    def verb(self, *words):
        return run([self.script, *words], env=self.environment).strip()

    def version(self):
        done = subprocess.run(self.version_command, capture_output=True, text=True, check=False)
        lines = [line for line in (done.stdout + done.stderr).splitlines() if re.search(r"\d\.\d", line)]
        return lines[0].strip() if lines else "version unknown"

    def load(self, ldif, indexes=DEFAULT_INDEXES):
        self.set_indexes(indexes)
        said = self.verb("load", ldif)
        values = {key: float(value) for key, value in re.findall(r"(\w+)=([\d.]+)", said)}
        return {"wall_s": values["wall_s"], "cpu_s": values["cpu_s"], "peak_mb": values.get("peak_rss_mb"),
                "size_mb": self.size_mb(), "command": f"{self.script} load {ldif}"}

    def start(self):
        self.verb("start")
        login = re.match(r"-D (.*) -w (.*)", self.verb("login"))
        self.bind = ["--bind-dn", login.group(1), "--password", login.group(2)]
        self.uri = f"ldap://127.0.0.1:{self.port}"
        self.pid = int(self.verb("pid"))

    def stop(self):
        self.verb("stop")

    def size_mb(self):
        return float(self.verb("size")) / 1e6


class Slapd(Peer):
    key, name, script = "slapd", "slapd", "slapd.sh"
    version_command = ["/usr/sbin/slapd", "-VV"]
    durability = {"durable": "each commit synced (back_mdb's default)", "relaxed": "dbnosync, checkpoint 1024 1"}


class Ds389(Peer):
    key, name, script = "389ds", "389 DS", "389ds.sh"
    version_command = ["/usr/sbin/ns-slapd", "--version"]
    durability = {"durable": "nsslapd-db-durable-transaction on (default)", "relaxed": "nsslapd-db-durable-transaction off"}


class ApacheDs(Peer):
    key, name, script = "apacheds", "ApacheDS", "apacheds.sh"
    version_command = ["dpkg-query", "-W", "-f", "ApacheDS ${Version}\n", "apacheds"]
    offline_load = False
    warm_seconds = 20  # its compiler needs the load
    durability = {"durable": "ads-partitionsynconwrite TRUE", "relaxed": "ads-partitionsynconwrite FALSE"}


PEERS = {peer.key: peer for peer in (Slapd, Ds389, ApacheDs)}


class Kauri:
    """kaurid and kauri of --bin."""

    key, name = "kauri", "Kauri"
    offline_load = True
    idle_max = 10_000
    warm_seconds = 0
    durability = {"durable": 'durability = "durable"', "relaxed": 'durability = "relaxed"'}

    def __init__(self, options):
        self.options = options
        self.bind, self.facts = ["--bind-dn", ADMIN_DN, "--password", ADMIN_PASSWORD], {}
        self.server = self.make(DEFAULT_INDEXES)

    def make(self, indexes):
        root = os.path.join(self.options.work, f"kauri-{indexes}")
        shutil.rmtree(root, ignore_errors=True)
        return Server(self.options.bin, config=configuration(self.options.durability, *INDEXES[indexes]), data=root)

    def version(self):
        return run([os.path.join(self.options.bin, "kaurid"), "--version"]).strip()

    def load(self, ldif, indexes=DEFAULT_INDEXES):
        server = self.server if indexes == DEFAULT_INDEXES else self.make(indexes)
        command = [os.path.join(self.options.bin, "kauri"), "import", "--data", server.data, "--config",
                   os.path.join(server.root, "kauri.toml"), ldif]
        log_path = os.path.join(server.root, "import.log")
        began = time.monotonic()
        with open(log_path, "wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
            _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            with open(log_path, encoding="utf-8", errors="replace") as log:
                raise RuntimeError(f"kauri import ended with {process.returncode}: {log.read()[-2000:]}")
        forget_page_cache(server.data)
        out = {"wall_s": wall, "cpu_s": usage.ru_utime + usage.ru_stime, "peak_mb": usage.ru_maxrss / 1024,
               "size_mb": disk_bytes(server.data) / 1e6, "command": " ".join(command)}
        if server is not self.server:
            shutil.rmtree(server.root)
        return out

    def start(self):
        self.server.start()
        self.uri = self.server.uri
        self.pid = self.server.pid

    def stop(self):
        code = self.server.stop()
        if code not in (0, None):
            raise RuntimeError(f"kaurid ended with {code}: {self.server.errors()}")

    def size_mb(self):
        return disk_bytes(self.server.data) / 1e6
