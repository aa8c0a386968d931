"""The server under load, the backups that are made of it, and the moments at which its writers paused."""
import base64
import datetime
import os
import random
import threading
import time

import ldap
from server import SUFFIX, Server
from write_load import WRITERS, Ledger, Writer, connect, prepare

OPERATIONAL = ["entryUUID", "entryCSN", "createTimestamp", "modifyTimestamp", "creatorsName", "modifiersName",
               "structuralObjectClass"]


class Gate:
    """Writers pass it before each step; closed, it holds them, and tells when all are held."""

    def __init__(self, writers):
        self.condition = threading.Condition()
        self.writers = writers
        self.closed = self.ended = False
        self.held = 0

    def passing(self):
        with self.condition:
            if self.closed:
                self.held += 1
                self.condition.notify_all()
                self.condition.wait_for(lambda: not self.closed)
                self.held -= 1
            return not self.ended

    def close(self):
        with self.condition:
            self.closed = True
            if not self.condition.wait_for(lambda: self.held == self.writers, timeout=60):
                raise RuntimeError("the writers do not pause")

    def open(self, ended=False):
        with self.condition:
            self.closed, self.ended = False, ended
            self.condition.notify_all()


class Backup:
    def __init__(self, report, began, ended):
        self.path, self.csn = report["file"], report["csn"]
        self.entries, self.records = report["entries"], report["records"]
        self.began, self.ended = began, ended


class Pause:
    """Nobody wrote: what LDAP showed, and the time it was."""

    def __init__(self, ldif, moment):
        self.ldif = ldif
        self.moment = moment


class Load:
    def __init__(self, bin_dir, root, seed):
        self.root = root
        self.seed = seed
        os.makedirs(os.path.join(root, "server"), exist_ok=True)
        self.server = Server(bin_dir, data=os.path.join(root, "server"))
        self.ledgers = [Ledger(number, history=[]) for number in range(WRITERS)]
        self.stopping = threading.Event()
        self.gate = Gate(WRITERS)
        self.writers = []
        self.backups, self.pauses = [], []
        self.changes = self.whole = None    # after the first backup; of the end

    def acknowledged(self):
        return sum(ledger.acknowledged for ledger in self.ledgers)

    def histories(self):
        return {ledger.owner: ledger.history for ledger in self.ledgers}

    def run(self, tool, sizes):
        self.server.start()
        prepare(self.server.uri, self.ledgers, time.monotonic)
        self.begin_work()
        os.makedirs(tool.path("backups"))
        chance = random.Random(self.seed)
        pauses = set(chance.sample(range(sizes.backups), sizes.pauses))
        for number in range(sizes.backups):
            self.work_for(chance.uniform(0.5, 1.0) * sizes.seconds_between)
            self.backups.append(self.backup(tool))
            if number in pauses:
                self.pauses.append(self.pause(tool, number))
        self.work_for(0.2)
        self.gate.close()
        self.changes = tool.must("backup", "--data", self.server.data, "--to", tool.path("since.changes"),
                                 "--changes-after", self.backups[0].path)["file"]

    def begin_work(self):
        self.writers = [Writer(ledger, self.server.uri, f"{self.seed}/{ledger.owner}", self.stopping,
                               position=time.monotonic, pace=self.gate.passing) for ledger in self.ledgers]
        for writer in self.writers:
            writer.start()

    def work_for(self, seconds):
        """Until the writers have done some work, and so long; a test may not depend on how much that is."""
        threading.Event().wait(seconds)
        self.check()

    def check(self):
        for writer in self.writers:
            if writer.error is not None:
                raise RuntimeError(f"writer {writer.ledger.owner}: {writer.error!r}; {self.server.errors()}")

    def backup(self, tool):
        began = time.monotonic()
        report = tool.must("backup", "--data", self.server.data, "--to", tool.path("backups"))
        if not report["online"]:
            raise RuntimeError("the backup was not made by the server")
        return Backup(report, began, time.monotonic())

    def pause(self, tool, number):
        """What LDAP shows while nobody writes, and a time that lies in the pause: CSNs are finer than its microseconds."""
        self.gate.close()
        try:
            path = tool.path(f"pause-{number}.ldif")
            dump(self.server.uri, path)
            moment = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        finally:
            self.gate.open()
        return Pause(path, moment)

    def end_work(self):
        """No more writers; all that they asked for is answered."""
        self.gate.close()
        self.gate.open(ended=True)
        for writer in self.writers:
            writer.join()
        self.check()

    def close(self):
        self.stopping.set()
        self.server.close()


def dump(uri, path):
    """The whole tree as LDAP shows it to the administrator, in LDIF."""
    connection = connect(uri)
    with open(path, "w", encoding="ascii") as file:
        for dn, attributes in connection.search_s(SUFFIX, ldap.SCOPE_SUBTREE, "(objectClass=*)", ["*", *OPERATIONAL]):
            file.write(f"dn:: {base64.b64encode(dn.encode()).decode()}\n")
            for type_, values in attributes.items():
                for value in values:
                    file.write(f"{type_}:: {base64.b64encode(value).decode()}\n")
            file.write("\n")
    connection.unbind_s()
