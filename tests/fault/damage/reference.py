"""The database that the campaign damages, and what it answers while it is whole."""
import base64
import os
import random
import shutil
import tempfile

import ldap

from server import ADMIN_DN, ADMIN_PASSWORD, SUFFIX, Server

PEOPLE = 2000
GROUPS = {"all": 1500, "half": 700, "few": 250}
PHOTO = "jpegPhoto"


def person(number):
    """LDIF of one person. Some have values that need pages of their own."""
    chance = random.Random(f"person {number}")
    lines = [f"dn: uid=p{number},ou=u{number % 3},{SUFFIX}", "objectClass: inetOrgPerson", f"uid: p{number}",
             f"cn: Person Number {number}", f"sn: Sn{chance.randrange(200)}", f"mail: p{number}@example.com",
             f"employeeNumber: {number}", f"telephoneNumber: +1 555 {number:07d}",
             f"description: first {chance.randrange(10**9)}"]
    lines.append(f"userPassword: {password_of(number)}")
    if number % 40 == 1:
        lines.append("description: " + "long " * chance.randrange(300, 900) + "end")
    if number % 100 == 2:
        photo = b"\xff\xd8\xff" + chance.randbytes(chance.randrange(3000, 30000))
        lines.append(f"{PHOTO}:: " + base64.b64encode(photo).decode())
    return "\n".join(lines) + "\n"


def ldif():
    parts = [f"dn: {SUFFIX}\nobjectClass: domain\ndc: example\n"]
    parts += [f"dn: ou=u{i},{SUFFIX}\nobjectClass: organizationalUnit\nou: u{i}\n" for i in range(3)]
    parts += [person(number) for number in range(PEOPLE)]
    for name, count in GROUPS.items():
        members = "".join(f"member: uid=p{i},ou=u{i % 3},{SUFFIX}\n" for i in range(count))
        parts.append(f"dn: cn={name},{SUFFIX}\nobjectClass: groupOfNames\ncn: {name}\n{members}")
    return "\n".join(parts)


def password_of(number):
    return f"secret-{number}"


def dn_of(number):
    return f"uid=p{number},ou=u{number % 3},{SUFFIX}"


def connect(uri):
    connection = ldap.initialize(uri)
    connection.set_option(ldap.OPT_NETWORK_TIMEOUT, 20)
    connection.set_option(ldap.OPT_TIMEOUT, 60)
    return connection


def changes(uri, begin):
    """A history: modifications, a rename, a subtree that moves, deletions, additions."""
    connection = connect(uri)
    connection.simple_bind_s(ADMIN_DN, ADMIN_PASSWORD)
    for number in range(begin, PEOPLE, 40):
        connection.modify_s(dn_of(number), [(ldap.MOD_REPLACE, "description", [f"later {number} {begin}".encode()])])
    for name in GROUPS:
        for number in range(PEOPLE - 20 * begin, PEOPLE - 20 * begin + 20):
            connection.modify_s(f"cn={name},{SUFFIX}", [(ldap.MOD_ADD, "member", [dn_of(number).encode()])])
    connection.add_s(f"ou=new{begin},{SUFFIX}", [("objectClass", [b"organizationalUnit"]), ("ou", [b"new%d" % begin])])
    for number in range(30):
        connection.add_s(f"uid=n{begin}-{number},ou=new{begin},{SUFFIX}", [
            ("objectClass", [b"inetOrgPerson"]), ("cn", [b"New"]), ("sn", [b"New"]), ("description", [b"x" * (60 * number + 1)])])
    for number in range(0, 30, 3):
        connection.delete_s(f"uid=n{begin}-{number},ou=new{begin},{SUFFIX}")
    connection.rename_s(f"uid=n{begin}-1,ou=new{begin},{SUFFIX}", f"uid=renamed{begin}")
    connection.rename_s(f"ou=new{begin},{SUFFIX}", f"ou=moved{begin}", newsuperior=f"ou=u0,{SUFFIX}", delold=1)
    connection.unbind_s()


class Reference:
    """data/db is whole; `older` and `current` are its data file at two moments."""

    def __init__(self, bin_dir):
        # In memory where that can be: each image is written several times.
        tempfile.tempdir = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.server = Server(bin_dir)
        self.data_file = os.path.join(self.server.data, "db", "data.mdb")
        try:
            self.build()
        except BaseException:
            self.server.close()
            raise

    def build(self):
        source = os.path.join(self.server.root, "in.ldif")
        with open(source, "w", encoding="utf-8") as file:
            file.write(ldif())
        imported = self.server.tool("import", "--data", self.server.data, "--password-scheme", "ssha", source)
        if imported.returncode != 0:
            raise RuntimeError(f"kauri import: {imported.stderr}")
        self.server.start()
        changes(self.server.uri, 3)
        self.stop()
        self.older, older_ldif = self.read_file(), self.export()
        self.server.start()
        changes(self.server.uri, 4)
        self.answers = ask_all(self.server.uri)
        self.stop()
        self.current, current_ldif = self.read_file(), self.export()
        self.entries = {"older": parse_ldif(older_ldif), "current": parse_ldif(current_ldif)}
        verified = self.server.tool("verify", "--data", self.server.data)
        if verified.returncode != 0:
            raise RuntimeError(f"kauri verify of the sound database: {verified.stdout}{verified.stderr}")

    def stop(self):
        if self.server.stop() != 0:
            raise RuntimeError(f"kaurid ended badly: {self.server.errors()}")

    def read_file(self):
        with open(self.data_file, "rb") as file:
            return file.read()

    def export(self):
        exported = self.server.tool("export", "--data", self.server.data)
        if exported.returncode != 0:
            raise RuntimeError(f"kauri export: {exported.stderr}")
        return exported.stdout

    def put(self, data):
        """The damaged file, and nothing else in its directory."""
        directory = os.path.dirname(self.data_file)
        shutil.rmtree(directory)
        os.mkdir(directory)
        with open(self.data_file, "wb") as file:
            file.write(data)

    def close(self):
        self.server.close()


# --- What is asked ---

def search(base, scope, filter_text, attributes=("*", "+")):
    name = f"search {base} {scope} {filter_text}"
    return name, lambda connection: {
        dn: {attribute: sorted(values) for attribute, values in found.items()}
        for dn, found in connection.search_s(base, scope, filter_text, list(attributes))}


def compare(dn, attribute, value):
    return f"compare {dn} {attribute}={value}", lambda connection: connection.compare_s(dn, attribute, value.encode())


def bind(dn, password):
    def run(connection):
        other = connect(connection.get_option(ldap.OPT_URI))
        try:
            other.simple_bind_s(dn, password)
            return "bound"
        except ldap.INVALID_CREDENTIALS:
            return "refused"
        finally:
            other.unbind_s()
    return f"bind {dn}", run


def questions():
    base, one, sub = ldap.SCOPE_BASE, ldap.SCOPE_ONELEVEL, ldap.SCOPE_SUBTREE
    out = [search("", base, "(objectClass=*)", ("namingContexts",)), search(SUFFIX, base, "(objectClass=*)")]
    out += [search(dn_of(number), base, "(objectClass=*)") for number in (0, 1, 2, 41, 102, 777, 1999)]
    out += [search(SUFFIX, sub, f"(uid=p{number})") for number in (5, 500, 1001, 1202, 1998)]
    out += [search(f"cn={name},{SUFFIX}", base, "(objectClass=*)") for name in GROUPS]
    out += [search(SUFFIX, sub, filter_text) for filter_text in (
        f"(member={dn_of(11)})", "(&(sn=sn17)(employeeNumber>=1000))", "(mail=p12*)", "(cn=*ber 19*)",
        "(|(uid=p3)(uid=p4)(uid=renamed4))", "(!(objectClass=inetOrgPerson))", f"({PHOTO}=*)", "(description=later*)")]
    out += [search(SUFFIX, one, "(objectClass=*)"), search(f"ou=u0,{SUFFIX}", one, "(uid=p15*)"),
            search(f"ou=moved4,ou=u0,{SUFFIX}", sub, "(objectClass=*)"), search(SUFFIX, sub, "(objectClass=*)")]
    out += [compare(f"cn=all,{SUFFIX}", "member", dn_of(1400)), compare(f"cn=few,{SUFFIX}", "member", dn_of(700)),
            compare(dn_of(33), "sn", "nobody")]
    out += [bind(dn_of(50), password_of(50)), bind(dn_of(100), password_of(50))]
    return out


def questions_of(dn, entry):
    """What leads to one entry. -> [(name, question, the right answer)]"""
    attribute, _, value = dn.partition(",")[0].partition("=")
    base, sub = ldap.SCOPE_BASE, ldap.SCOPE_SUBTREE
    out = [(*search(dn, base, "(objectClass=*)"), {dn: entry}),
           (*search(SUFFIX, sub, f"({attribute}={value})"), {dn: entry}),
           (*compare(dn, attribute, value), True)]
    if attribute == "uid" and value.startswith("p"):
        number = int(value[1:])
        out += [(*bind(dn, password_of(number)), "bound")]
        out += [(*bind(dn, password_of(number ^ 1 << bit)), "refused") for bit in range(2)]
    return out


QUESTIONS = questions()


def ask_all(uri):
    connection = connect(uri)
    connection.simple_bind_s(ADMIN_DN, ADMIN_PASSWORD)
    answers = {name: ask(connection) for name, ask in QUESTIONS}
    connection.unbind_s()
    return answers


def parse_ldif(text):
    """-> {dn: {attribute: sorted values}}"""
    entries = {}
    lines = text.replace("\n ", "").split("\n")
    dn = None
    for line in lines:
        if not line or line.startswith("version:"):
            continue
        name, _, value = line.partition(":")
        value = base64.b64decode(value[1:]) if value.startswith(":") else value.strip().encode()
        if name == "dn":
            dn = value.decode()
            if dn in entries:
                raise ValueError(f"the export has {dn} twice")
            entries[dn] = {}
        else:
            entries[dn].setdefault(name, []).append(value)
    return {dn: {name: sorted(values) for name, values in found.items()} for dn, found in entries.items()}
