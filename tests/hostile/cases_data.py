"""The cases of names, selection, filters, root DSE and schema, modify, add, delete and rename, on the wire.

Each function is one table of small inputs with the right answer; codes are those of RFC 4511, Appendix A.
"""
import wire
from wire import ADD, BASE, DELETE, INCREMENT, ONE, REPLACE, SUB
from world import MANY, P, S, U, check, expect, person, registry

CASES, case = registry()

DESCRIPTION = "( 1.3.6.1.4.1.32473.1.99 NAME 'zz' DESC 'a' EQUALITY 2.5.13.2 SYNTAX 1.3.6.1.4.1.1466.115.121.1.15{64} )"


def find(connection, matching, base=P, scope=SUB, attributes=("1.1",)):
    return expect(connection.ask(wire.search(base, scope, matching, attributes)), 0)


def table(connection, rows, base=P, scope=SUB):
    for matching, names in rows:
        got = find(connection, matching, base, scope).names()
        check(got == names, f"{matching}: {got!r}, expected {names!r}")


def values(connection, dn, name):
    reply = expect(connection.ask(wire.search(dn, BASE, attributes=[name])), 0)
    found = {key.lower(): value for key, value in reply.entries[next(iter(reply.entries))].items()}
    return sorted(found.get(name.lower(), []))


@case("A names on the wire", changes=True)
def _(world):
    with world.as_admin() as admin:
        expect(admin.ask(wire.add(f"cn=John Smith,{P}", {"objectClass": ["person"], "sn": ["x"],
                                                          "userPassword": ["pw-j"]})), 0)  # A01
        check(len(admin.ask(wire.search(f"cn=John\\20Smith,{P}", BASE)).entries) == 1, "A01 search")
        with world.connect() as other:
            expect(other.ask(wire.bind(f"cn=John\\20Smith,{P}", "pw-j")), 0)
        expect(admin.ask(wire.add(f"cn=T\\\\,{P}", {"objectClass": ["person"], "sn": ["x"]})), 0)  # A04
        check(values(admin, f"cn=T\\5C,{P}", "cn") == [b"T\\"], "A04")
        expect(admin.ask(wire.add(f"cn=g,{P}", {"objectClass": ["groupOfNames"],
                                                 "member": ["uid=a, ou=p, dc=example, dc=com"]})), 0)  # A05
        table(admin, [("(member=UID=A,OU=P,DC=example,DC=com)", "g")])
        expect(admin.ask(wire.add(f"cn=x+cn=y,{P}", {"objectClass": ["person"], "sn": ["x"]})), 34, 64)  # A06
        expect(admin.ask(wire.rename(f"uid=b,{P}", "uid=x,ou=y")), 34)  # A08
        table(admin, [("(uid=b)", "b"), ("(cn=x)", "")])
        expect(admin.ask(wire.search(f"cn=,{P}", BASE)), 34, 32)  # A09
        expect(admin.ask(wire.rename(f"uid=b,{P}", "cn=")), 34, 21)
        expect(admin.ask(wire.add(f"cn=a#b,{P}", {"objectClass": ["person"], "sn": ["x"]})), 0)  # A11
        expect(admin.ask(wire.search(f"cn=\\#x,{P}", BASE)), 32)
        expect(admin.ask(wire.search(f"cn=#x,{P}", BASE)), 34)
        expect(admin.ask(wire.search("uid=a,", BASE)), 34)  # A15
        expect(admin.ask(wire.search(f"uid=a,{P},", BASE)), 34)
        reply = expect(admin.ask(wire.search(f"uid=a\\00,{P}", BASE)), 32)  # A16
        check(reply.matched.lower() == P, f"{reply!r}")
        expect(admin.ask(wire.search(f"uid=a\0,{P}", BASE)), 34, 32)


@case("B selection on the wire", changes=True)
def _(world):
    with world.connect() as client:
        def read(*names, types_only=False):
            reply = client.ask(wire.search(U, BASE, attributes=names, types_only=types_only))
            return {name.lower(): value for name, value in expect(reply, 0).entries[U].items()}
        check(read("1.1") == {}, "B01")
        check(read("1.1", "uid") == {"uid": [b"a"]}, "B01 with another")
        every = read("*", "+", "nosuch")
        check({"uid", "entryuuid", "createtimestamp"} <= set(every), f"B02 {sorted(every)}")
        check("userpassword" not in every and "homephone" not in every, "hidden attributes")
        check(read("", "uid") == {"uid": [b"a"]}, "B05")
        check(read("uid", "mail", types_only=True) == {"uid": [], "mail": []}, "B06")
        table(client, [("(givenName=cee)", "c"), ("(givenName;lang-en=cee)", "c"), ("(givenName;lang-fr=cee)", "")])
        found = find(client, "(kInt=9)", P, SUB, ["cn"])
        check(found.entries == {U: {"cn": [b"A"]}}, f"B11 {found.entries}")
    with world.as_admin() as admin:
        expect(admin.ask(wire.modify(U, (ADD, "cn;binary", b"\x30\x00"))), 17, 21)  # B10


@case("C filters on the wire", changes=True)
def _(world):
    with world.as_admin() as admin:
        expect(admin.ask(wire.modify(U, (ADD, "seeAlso", "cn=Smith\\, J,dc=example,dc=com"),
                                     (ADD, "kOct", b"\x5c01\xff\x00"), (ADD, "postalAddress", "1 Main St$City \\24 X$\\5C"))),
               0)
        table(admin, [
            ("(|(uid=a)(&(objectClass=inetOrgPerson)(!(|(uid=a)(uid=b)))))", "a,c"),
            ("(givenName=*)", "b,c"),
            ("(seeAlso=CN=smith\\5c2c  j, DC=Example,dc=com)", "a"),
            ("(nosuch=x)", ""), ("(!(nosuch=x))", ""), ("(|(nosuch=x)(uid=a))", "a"), ("(&(!(nosuch=x))(uid=a))", ""),
            ("(description=  babs is a BIG fan )", "a"), ("(description=*is a big*)", "a"),
            ("(telephoneNumber=+1-234 567)", "a"), ("(telephoneNumber= - )", ""),
            ("(kInt>=9)", "a,b"), ("(kInt<=9)", "a,c"), ("(kTime=20240101120000Z)", "a,b"),
            ("(kInt:1.2.840.113556.1.4.803:=2)", "b,c"),
            ("(cn:caseExactMatch:=a)", ""), ("(cn:2.5.13.5:=A)", "a"), ("(:caseIgnoreMatch:=a)", "a"),
            ("(kOct=\\5c01\\ff\\00)", "a"), ("(kNum=12 3)", "a"), ("(kNum=1*3)", "a"), ("(kNum=12a)", ""),
            ("(postalAddress=1 main st$city \\5c24 x$\\5c5c)", "a")])
        table(admin, [("(!(mail=*))", "b,c")], scope=ONE)
        reply = admin.ask(wire.search(P, SUB, wire.extensible(value=b"a")))
        check(not reply.entries, f"C24 {reply!r}")
        for parts in ([(0, "")], [], [(0, "A"), (0, "A")], [(2, "A"), (1, "A")], [(0, "A"), (2, "A"), (2, "A")]):
            reply = admin.ask(wire.search(P, SUB, wire.substrings("cn", *parts)))
            check(not reply.entries, f"C27 {parts}: {reply!r}")
        expect(admin.ask(wire.modify(U, (REPLACE, "description", "Jose\u0301"))), 0)  # C28
        table(admin, [("(description=jos\u00e9)", "a")])
        expect(admin.ask(wire.modify(U, (REPLACE, "description", "\ufb01ne \uff21"))), 0)
        table(admin, [("(description=fine a)", "a")])
        for length, value in enumerate(("A", "AB", "ABC", "ABCD")):  # C26
            expect(admin.ask(wire.add(f"cn={value},{P}", {"objectClass": ["person"], "sn": [f"q{length}"]})), 0)
        table(admin, [("(&(sn=q*)(cn=A*))", "a,ab,abc,abcd"), ("(&(sn=q*)(cn=*D))", "abcd"),
                      ("(&(sn=q*)(cn=*B*))", "ab,abc,abcd"), ("(&(sn=q*)(cn=A*D))", "abcd")])


@case("C16 C36 ranges and one-level filters over many entries")
def _(world):
    with world.connect(timeout=30) as client:
        count = world.many_count
        check(len(find(client, "(kInt>=1)", MANY, ONE).entries) == count, "C16 all")
        check(len(find(client, "(&(kInt>=500)(kInt<=501))", MANY, ONE).entries) == 2, "C16 two")
        for matching in ("(description=none)", "(&(objectClass=*)(description=none))", "(kNoEq=none*)", "(!(objectClass=*))"):
            check(not find(client, matching, MANY, ONE).entries, f"C36 {matching}")


@case("D root DSE, schema, missing bases on the wire", changes=True)
def _(world):
    with world.connect() as client:
        names = ["namingContexts", "subschemaSubentry", "supportedControl", "supportedExtension", "supportedFeatures",
                 "supportedLDAPVersion"]
        root = expect(client.ask(wire.search("", BASE, attributes=names)), 0).entries[""]
        check(set(name.lower() for name in root) == set(name.lower() for name in names), f"D01 {sorted(root)}")
        user = expect(client.ask(wire.search("", BASE)), 0).entries[""]
        check("namingContexts" not in user, f"D01 operational by default: {sorted(user)}")
        subschema = root["subschemaSubentry"][0].decode()
        names = ["attributeTypes", "objectClasses", "ldapSyntaxes", "matchingRules", "matchingRuleUse"]
        reply = client.ask(wire.search(subschema, BASE, "(objectClass=subschema)", names))
        entry = expect(reply, 0).entries[next(iter(reply.entries))]
        check(len(entry) == 5 and all(entry.values()), f"D03 {sorted(entry)}")
        reply = expect(client.ask(wire.search(subschema, BASE, "(objectClass=subschema)")), 0)
        names = {name.lower() for name in reply.entries[next(iter(reply.entries))]}
        check(names <= {"objectclass", "cn"}, f"D03 {names}")
        reply = expect(client.ask(wire.search(f"uid=zz,{P}", BASE)), 32)
        check(reply.matched.lower() == P, f"D04 {reply!r}")
    with world.as_admin() as admin:
        for length in range(1, len(DESCRIPTION) - 1):  # D07
            expect(admin.ask(wire.modify(subschema, (ADD, "attributeTypes", DESCRIPTION[:length]))), 21, 53, 17, 19, 50)
        for value in (f"( 1.2.3 NAME 'x' SUP {'a' * 100000} )", "( " * 50000, "'" * 100000, "(" + " " * 200000):  # D09
            expect(admin.ask(wire.modify(subschema, (ADD, "objectClasses", value))), "refused")


@case("E modify and compare on the wire", changes=True)
def _(world):
    permissive = wire.controls((wire.PERMISSIVE, True, None))
    with world.as_admin() as admin:
        def change(*changes, trailing=b"", dn=U):
            return admin.ask(wire.modify(dn, *changes), trailing)
        expect(change((DELETE, "description", "zzz")), 16)  # E01
        expect(change((DELETE, "pager")), 16)
        expect(change((DELETE, "description", "zzz"), trailing=permissive), 0, 12)
        expect(change((DELETE, "pager"), trailing=permissive), 0, 12)
        expect(change((REPLACE, "pager")), 0)  # E02
        expect(change((ADD, "pager", "1")), 0)
        expect(change((REPLACE, "pager")), 0)
        check(values(admin, U, "pager") == [], "E02")
        expect(change((ADD, "kIntSub", "5")), 0)  # E04
        expect(change((INCREMENT, "kIntSub", "1")), 0)
        check(values(admin, U, "kIntSub") == [b"6"], "E04")
        expect(change((DELETE, "sn"), (ADD, "sn", "new")), 0)  # E07
        expect(change((ADD, "kSingle", "1"), (ADD, "kSingle", "2")), 19)
        check(values(admin, U, "kSingle") == [], "E07")
        for changes, codes in (((DELETE, "sn"), (65,)), ((ADD, "dc", "x"), (65,)), ((ADD, "nosuch", "x"), (17,)),
                               ((REPLACE, "createTimestamp", "20240101000000Z"), (19,)),
                               ((ADD, "objectClass", "organization"), (65, 69)), ((ADD, "objectClass", "nosuch"), (21, 17)),
                               ((REPLACE, "description", ""), (21,)), ((REPLACE, "postalAddress", ""), (21, 0)),
                               ((ADD, "kInt", "12abc"), (21,)), ((ADD, "kInt", ""), (21,)),
                               ((REPLACE, "seeAlso", "cn=X, dc=example", "CN=x,dc=EXAMPLE"), (20,)),
                               ((REPLACE, "seeAlso", "not a dn"), (21,))):
            expect(change(changes), *codes)
        expect(change((REPLACE, "description", "   ")), 0, 21)  # E11
        if values(admin, U, "description") == [b"   "]:
            table(admin, [("(description= )", "a")])
        expect(change((REPLACE, "description", "\U0001f600")), 0)  # E13
        table(admin, [("(description=\U0001f600)", "a")])
        expect(admin.ask(wire.rename(f"uid=c,{P}", "cn=\U0001f600", False)), 0)
        table(admin, [("(uid=c)", "\U0001f600")])
        for name, value, codes in (("cn", "  a ", (6,)), ("cn", "x", (5,)), ("pager", "x", (16,)), ("nosuch", "x", (17, 16)),
                                   ("kInt", "abc", (21, 18))):  # E16
            expect(admin.ask(wire.compare(U, name, value)), *codes)
        expect(admin.ask(wire.compare(f"uid=zz,{P}", "cn", "x")), 32)
        expect(change((REPLACE, "description", "1"), (ADD, "description", "2"), (DELETE, "description", "1")), 0)  # E21
        check(values(admin, U, "description") == [b"2"], "E21")
    with world.as_user() as user:
        expect(user.ask(wire.modify(U, (REPLACE, "pager"))), 50)  # E02 without the right
        expect(user.ask(wire.modify(U, (REPLACE, "description", "mine"))), 0)


@case("F add, delete and rename on the wire", changes=True)
def _(world):
    with world.as_admin() as admin:
        expect(admin.ask(wire.add(f"cn=imp,{P}", {"objectClass": ["person"], "sn": ["x"]})), 0)  # F01
        check(values(admin, f"cn=imp,{P}", "cn") == [b"imp"], "F01")
        expect(admin.ask(wire.add(f"cn=e,{P}", {"objectClass": ["person"], "sn": ["x"], "description": []})), 2)  # F02
        reply = expect(admin.ask(wire.add(f"uid=q,ou=none,{S}", person("q"))), 32)  # F05
        check(reply.matched.lower() == S, f"F05 {reply!r}")
        expect(admin.ask(wire.add("dc=org", {"objectClass": ["domain"], "dc": ["org"]})), 32, 53, 10)
        expect(admin.ask(wire.add(U, person("a"))), 68)
        expect(admin.ask(wire.delete(P)), 66)  # F06
        reply = expect(admin.ask(wire.delete(f"uid=zz,ou=q,{P}")), 32)
        check(reply.matched.lower() == P, f"F06 {reply!r}")
        expect(admin.ask(wire.add(f"uid=r1,{P}", person("r1"))), 0)  # F07
        expect(admin.ask(wire.rename(f"uid=r1,{P}", "uid=r2", False)), 0)
        check(values(admin, f"uid=r2,{P}", "uid") == [b"r1", b"r2"], "F07 kept")
        expect(admin.ask(wire.rename(f"uid=r2,{P}", "uid=r3", True)), 0)
        check(values(admin, f"uid=r3,{P}", "uid") == [b"r1", b"r3"], "F07 deleted")
        expect(admin.ask(wire.rename(f"uid=b,{P}", "uid=b2", True, S)), 0)  # F09
        check(values(admin, f"uid=b2,{S}", "uid") == [b"b2"], "F09")
        expect(admin.ask(wire.delete(f"uid=b2,{S}")), 0)
        expect(admin.ask(wire.rename(U, "uid=A")), 0)  # F12
        check(values(admin, U, "uid") == [b"A"], "F12")
        expect(admin.ask(wire.rename(U, "uid=A")), 0)
        expect(admin.ask(wire.rename(U, "uid=c")), 68)  # F13
        expect(admin.ask(wire.rename(U, "uid=a", True, f"ou=none,{S}")), 32)
        expect(admin.ask(wire.rename(U, "dc=x", False)), 65)
        expect(admin.ask(wire.rename(U, "")), 34)
        expect(admin.ask(wire.add(f"cn=g,{P}", {"objectClass": ["groupOfNames"], "member": [U]})), 0)  # F17
        expect(admin.ask(wire.modify(f"cn=g,{P}", (DELETE, "member", U))), 65)
        expect(admin.ask(wire.rename(P, "ou=p", True, f"uid=c,{P}")), "refused")  # below itself
        expect(admin.ask(wire.rename(S, "dc=other")), "refused")
        expect(admin.ask(wire.rename("", "dc=other")), "refused")
        expect(admin.ask(wire.delete("")), "refused")


@case("CVE-2010-0211 CVE-2020-25692 renames that cannot be normalised", changes=True)
def _(world):
    with world.as_admin() as admin:
        for rdn in (b"uid=\xff\xfe", b"uid=\\ff", "kNoEq=x", "1.2.3.4=x", "uid;lang-en=x", "kInt=abc", "=x", "uid=a+uid=b",
                    "uid=a+", "jpegPhoto=x", "objectClass=person", "createTimestamp=20240101000000Z", b"cn=\xf4\x90\x80\x80",
                    "cn=#04", "cn=#0401", "cn=#1403414243", "cn=" + "\\00" * 10, "cn=" + "a" * 9000):
            for delete_old in (True, False):
                reply = admin.ask(wire.rename(f"uid=c,{P}", rdn, delete_old))
                if reply.code == 0:  # a legal name: it comes back the same way
                    moved = find(admin, "(&(sn=Sc))").entries
                    check(len(moved) == 1, f"{rdn!r}: {moved}")
                    expect(admin.ask(wire.rename(next(iter(moved)), "uid=c", True)), 0)
                    expect(admin.ask(wire.modify(f"uid=c,{P}", (REPLACE, "cn", "C"))), 0)
                else:
                    expect(reply, 34, 21, 64, 65, 17, 18, 19, 69)
        table(admin, [("(uid=c)", "c")])


@case("CVE-2011-4079 CVE-2020-25709 odd values of every syntax", changes=True)
def _(world):
    odd = [b"", b" ", b"\x00", b"\xff", b"\x30\x80", b"\x30\x84\xff\xff\xff\xff", b"{", b"{ ", b"{ serialNumber 1, issuer",
           b"{ serialNumber 1, issuer rdnSequence:\"", b"#", b"'", b"'0'", b"(", b"( ", b"$", b"\\", b"a\\", b"+", b"-", b"-0",
           b"2024", b"20240230000000Z", b"99999999999999Z", b"ldap://%", b"u:", b"dn:", b"1.", b"." * 300, b"9" * 5000,
           "\u200b".encode(), "\ufeff".encode(), "\u00ad".encode(), b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80"]
    names = ["description", "postalAddress", "seeAlso", "kInt", "kTime", "kBool", "kNum", "kOct", "kBits", "kExact", "kNoEq",
             "telephoneNumber", "mail", "x121Address", "facsimileTelephoneNumber", "teletexTerminalIdentifier",
             "preferredDeliveryMethod", "userCertificate;binary", "jpegPhoto", "labeledURI", "audio", "userSMIMECertificate",
             "internationaliSDNNumber", "telexNumber", "destinationIndicator", "registeredAddress", "userPassword",
             "x500UniqueIdentifier", "preferredLanguage"]
    with world.as_admin() as admin:
        for name in names:
            for value in odd:
                reply = admin.ask(wire.modify(f"uid=c,{P}", (REPLACE, name, value)))
                expect(reply, 0, 21, 19, 17, 65, 18)
                if reply.code == 0 and name not in ("userPassword",):
                    stored = values(admin, f"uid=c,{P}", name)
                    check(stored == [value], f"{name} {value!r} is stored as {stored}")
                for operation in (wire.search(P, SUB, wire.equal(name, value), ["1.1"]),
                                  wire.search(P, SUB, wire.negated(wire.tlv(0xA5, wire.octets(name), wire.octets(value)))),
                                  wire.search(P, SUB, wire.substrings(name, (1, value)), ["1.1"])):
                    expect(admin.ask(operation), 0, 2)
                expect(admin.ask(wire.compare(f"uid=c,{P}", name, value)), 5, 6, 16, 17, 18, 21)
            expect(admin.ask(wire.modify(f"uid=c,{P}", (REPLACE, name))), 0)
