"""What every case stands on: the server under test, its fixture, and the watch that says whether it is still well."""
import os
import re
import sys
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))

import wire  # noqa: E402
from server import ADMIN_DN, ADMIN_PASSWORD, SUFFIX, Server  # noqa: E402

S = SUFFIX
P = f"ou=p,{S}"
U = f"uid=a,{P}"
HIDDEN = f"ou=hidden,{S}"
MANY = f"ou=many,{S}"
USER_PASSWORD = "pw-a"
MIB = 1 << 20

CONFIG = """
[schema]
files = ["{here}/../fixture/fixture.schema"]

[access]
rules = [
  "to dn.subtree=\\"{hidden}\\" by * none",
  "to attrs=homePhone,initials by * none",
  "to attrs=userPassword by self =wx by anonymous auth by * none",
  "to dn.base=\\"{user}\\" attrs=description by self write by * read",
  "to * by * read",
]

[limits]
first_request_seconds_max = {seconds}
message_seconds_max = {seconds}
output_stall_seconds_max = {seconds}

[log]
access = "{log}"
"""

_KINDS = ["top", "person", "organizationalPerson", "inetOrgPerson", "kAux"]


def person(uid, **more):
    found = {"objectClass": _KINDS, "uid": [uid], "cn": [uid], "sn": ["x"]}
    for name, value in more.items():
        found[name.replace("_", ";", 1).replace("_", "-")] = value if isinstance(value, list) else [value]
    return found


FIXTURE = {
    "a": person("a", cn="A", sn="Sa", mail="A@Example.com", telephoneNumber="+1 234-567", homePhone="555", initials="HID", homePhone_lang_en="777",
                description="Babs   is a   big  fan", kInt="9", kTime="20240101120000Z", kBool="TRUE", kNum="1 2 3",
                userPassword=USER_PASSWORD),
    "b": person("b", cn="B", sn="Sb", givenName="Bob", kInt="10", kTime="20240101130000+0100"),
    "c": person("c", cn="C", sn="Sc", givenName_lang_en="Cee", kInt="-5", kExact="CaSe"),
}


def check(condition, text):
    if not condition:
        raise AssertionError(text)


def expect(reply, *codes):
    """Each code is a number, or "refused"; a close counts as refused."""
    good = (reply.refused if "refused" in codes else False) or (not reply.closed and reply.code in codes)
    check(good, f"got {reply!r}, expected {' or '.join(str(code) for code in codes)}")
    return reply


def registry():
    """-> (list of (name, function), decorator). changes=True: the case begins with the fixture as it was loaded."""
    cases = []

    def case(name, changes=False):
        def keep(function):
            function.changes = changes
            cases.append((name, function))
            return function
        return keep

    return cases, case


class World:
    """own=None: the server of somebody else, at `address`."""

    def __init__(self, own=None, uri=None, admin=(ADMIN_DN, ADMIN_PASSWORD), pid=None, seconds=30):
        self.own, self.admin, self.seconds = own, admin, seconds
        parts = urllib.parse.urlparse(uri or own.uri)
        self.address = (parts.hostname, parts.port or 389)
        self.pid = own.pid if own else pid
        self.canary = None
        self.slack = 1  # how many times slower than a release build the server may be
        self.memory_slack = 0  # octets that a sanitizer keeps back

    @classmethod
    def start(cls, bin_dir, seconds):
        own = Server(bin_dir)
        log = os.path.join(own.root, "access.log")
        path = os.path.join(own.root, "kauri.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(CONFIG.format(here=HERE, hidden=HIDDEN, user=U, seconds=seconds, log=log))
        own.arguments += ["--config", path]
        own.start()
        world = cls(own, seconds=seconds)
        world.log = log
        with open(os.path.join(bin_dir, "kaurid"), "rb") as file:
            octets = file.read()
            if any(name in octets for name in (b"__asan_init", b"__tsan_init")):
                world.slack, world.memory_slack = 20, 256 * MIB
        return world

    # --- connections ---

    def connect(self, **options):
        return wire.Connection(self.address, **options)

    def as_admin(self, **options):
        connection = self.connect(**options)
        expect(connection.ask(wire.bind(*self.admin)), 0)
        return connection

    def as_user(self, **options):
        connection = self.connect(**options)
        expect(connection.ask(wire.bind(U, USER_PASSWORD)), 0)
        return connection

    # --- data ---

    def load(self):
        """Suffix, fixture, the hidden branch, and a branch of many entries with about ten MB in all."""
        with self.as_admin(timeout=60) as admin:
            dc = S.split(",", 1)[0].split("=")[1]
            expect(admin.ask(wire.add(S, {"objectClass": ["top", "domain"], "dc": [dc]})), 0, 68)
            for dn in (P, HIDDEN, MANY):
                ou = dn.split(",", 1)[0].split("=")[1]
                expect(admin.ask(wire.add(dn, {"objectClass": ["top", "organizationalUnit"], "ou": [ou]})), 0, 68)
            expect(admin.ask(wire.add(f"uid=h,{HIDDEN}", person("h", userPassword="pw-h"))), 0, 68)
            self.many(admin)
        self.restore()
        self.canary = self.connect()
        self.base_rss = self.rss()

    many_count = 2500

    def many(self, admin):
        text = "x" * 4000
        first = admin.last_id + 1
        for number in range(self.many_count):
            entry = person(f"m{number}", kInt=str(number + 1), kNoEq=f"{number} {text}")
            admin.send(wire.message(admin.next_id(), wire.add(f"uid=m{number},{MANY}", entry)))
            if number % 200 == 199:
                for message_id in range(first, admin.last_id + 1):
                    got, tag, content, _ = admin.message(60)
                    reply = wire.Reply()
                    reply.result(tag, content, [])
                    expect(reply, 0, 68)
                first = admin.last_id + 1
        for _ in range(first, admin.last_id + 1):
            admin.message(60)

    def restore(self):
        """Fixture F below P, and nothing else there."""
        with self.as_admin() as admin:
            reply = expect(admin.ask(wire.search(P, wire.SUB, attributes=["1.1"]),
                                     wire.controls((wire.MANAGE_DSA_IT, False, None))), 0)
            for dn in sorted(reply.entries, key=len, reverse=True):
                if dn.lower() != P.lower():
                    expect(admin.ask(wire.delete(dn), wire.controls((wire.MANAGE_DSA_IT, True, None))), 0)
            for uid, entry in FIXTURE.items():
                expect(admin.ask(wire.add(f"uid={uid},{P}", entry)), 0)

    # --- the watch ---

    def rss(self):
        if not self.pid:
            return 0
        with open(f"/proc/{self.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def anonymous_memory(self):
        """Memory of the process itself: without the mapped database."""
        if not self.pid:
            return 0
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            return int(re.search(r"RssAnon:\s+(\d+)", file.read()).group(1)) * 1024

    def cpu_seconds(self):
        if not self.pid:
            return 0.0
        with open(f"/proc/{self.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd")) if self.pid else 0

    def well(self, within=10.0):
        """The process lives, a session opened long ago is answered, and so is a new one."""
        if self.own:
            code = self.own.process.poll()
            check(code is None, f"the server ended with {code}: {self.own.errors()[-600:]}")
        began = time.monotonic()
        reply = self.canary.ask(wire.search(U, wire.BASE, attributes=["cn"]), timeout=within)
        check(reply.code == 0 and not reply.closed, f"the old session got {reply!r}")
        with self.connect(timeout=within) as fresh:
            expect(fresh.ask(wire.search("", wire.BASE, attributes=["1.1"]), timeout=within), 0)
        took = time.monotonic() - began
        check(took < within, f"other sessions waited {took:.1f} s")

    def renew(self):
        """After a failure: a server that runs, and a session that is known to be good."""
        if self.canary:
            self.canary.close()
        if self.own and self.own.process.poll() is not None:
            self.own.kill()
            self.own.start()
            self.pid = self.own.pid
            parts = urllib.parse.urlparse(self.own.uri)
            self.address = (parts.hostname, parts.port)
        self.canary = self.connect()

    def settle(self, condition, seconds, text):
        """Waits until the condition holds."""
        end = time.monotonic() + seconds
        while not condition():
            check(time.monotonic() < end, text() if callable(text) else text)
            time.sleep(0.02)

    def close(self):
        if self.canary:
            self.canary.close()
        if self.own:
            self.own.close()
