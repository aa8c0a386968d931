#!/usr/bin/env python3
"""Debian's ldap-utils against the server named by the environment: every tool, every kind of change, every scope and
filter kind, paged results."""
import os
import re
import subprocess
import unittest

URI, ADMIN, PASSWORD_FILE, SUFFIX = (os.environ[k] for k in ("KAURI_URI", "KAURI_ADMIN_DN", "KAURI_PASSWORD_FILE",
                                                             "KAURI_BASE"))
BASE = f"ou=utils,{SUFFIX}"
LOGIN = ["-x", "-H", URI, "-o", "nettimeout=10", "-D", ADMIN, "-y", PASSWORD_FILE]
ANONYMOUS = ["-x", "-H", URI, "-o", "nettimeout=10"]


def run(tool, *arguments, stdin="", login=None, expect=0):
    done = subprocess.run([tool, *(LOGIN if login is None else login), *arguments], input=stdin, capture_output=True,
                          text=True, check=False, timeout=120)
    if expect is not None and done.returncode != expect:
        raise AssertionError(f"{tool} {' '.join(arguments)}: exit {done.returncode}, expected {expect}\n"
                             f"{done.stdout[-1500:]}{done.stderr[-1500:]}")
    return done


def names(*arguments, **options):
    out = run("ldapsearch", "-LLL", "-o", "ldif_wrap=no", *arguments, "1.1", **options).stdout
    return sorted(line[4:].split(",")[0] for line in out.splitlines() if line.startswith("dn: "))


def search(*arguments, **options):
    return run("ldapsearch", "-LLL", "-o", "ldif_wrap=no", *arguments, **options).stdout


TREE = f"""dn: {SUFFIX}
objectClass: domain
dc: example

dn: {BASE}
objectClass: organizationalUnit
ou: utils

dn: ou=people,{BASE}
objectClass: organizationalUnit
ou: people

dn: ou=archive,{BASE}
objectClass: organizationalUnit
ou: archive

""" + "".join(f"""dn: uid=u{i},ou=people,{BASE}
objectClass: inetOrgPerson
objectClass: posixAccount
uid: u{i}
cn: User {i}
sn: {"Odd" if i % 2 else "Even"}
mail: u{i}@example.com
uidNumber: {1000 + i}
gidNumber: 100
homeDirectory: /home/u{i}

""" for i in range(12))


class LdapUtils(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        run("ldapadd", "-c", stdin=TREE, expect=None)

    def test_a_add_refuses_what_is_there(self):
        done = run("ldapadd", stdin=f"dn: {BASE}\nobjectClass: organizationalUnit\nou: utils\n", expect=68)
        self.assertIn("Already exists", done.stderr)

    def test_b_scopes(self):
        self.assertEqual(names("-b", BASE, "-s", "base"), ["ou=utils"])
        self.assertEqual(names("-b", BASE, "-s", "one"), ["ou=archive", "ou=people"])
        self.assertEqual(len(names("-b", BASE, "-s", "sub")), 15)
        self.assertEqual(len(names("-b", BASE, "-s", "children")), 14)

    def test_c_filters(self):
        people = ["-b", f"ou=people,{BASE}", "-s", "one"]
        cases = {
            "(uid=U3)": 1, "(uid=none)": 0, "(sn=odd)": 6, "(&(sn=odd)(uid=u1))": 1, "(|(uid=u1)(uid=u2)(uid=u3))": 3,
            "(!(sn=odd))": 6, "(cn=User*)": 12, "(cn=*1*)": 3, "(mail=u1*example.com)": 3, "(cn=*11)": 1,
            "(uidNumber>=1010)": 2, "(uidNumber<=1001)": 2, "(mail=*)": 12, "(description=*)": 0, "(sn~=odd)": 6,
            "(cn:caseExactMatch:=User 1)": 1, "(cn:caseExactMatch:=user 1)": 0, "(ou:dn:=people)": 12,
            "(uidNumber:1.2.840.113556.1.4.803:=1000)": 8, "(nosuch=x)": 0, "(!(nosuch=x))": 0, "(&)": 12, "(|)": 0,
            "(objectClass=person)": 12, "(cn=User \\31)": 1,
        }
        for text, count in cases.items():
            with self.subTest(filter=text):
                self.assertEqual(len(names(*people, text)), count)

    def test_d_paged(self):
        self.assertEqual(len(names("-b", BASE, "-E", "pr=4/noprompt")), 15)
        self.assertEqual(len(names("-b", BASE, "-E", "!pr=100/noprompt")), 15)

    def test_e_attribute_selection(self):
        entry = ["-b", f"uid=u1,ou=people,{BASE}", "-s", "base", "(objectClass=*)"]
        self.assertNotIn("entryUUID", search(*entry))
        everything = search(*entry, "*", "+")
        for name in ("entryUUID", "createTimestamp", "creatorsName", "modifyTimestamp", "entryCSN", "entryDN",
                     "structuralObjectClass: inetOrgPerson", "subschemaSubentry", "hasSubordinates: FALSE"):
            self.assertIn(name, everything)
        self.assertEqual(re.findall(r"^(\w+):", search(*entry, "cn", "nosuch"), re.M), ["dn", "cn"])
        self.assertEqual(set(re.findall(r"^(\w+):", search("-A", *entry, "cn", "sn"), re.M)), {"dn", "cn", "sn"})

    def test_f_modify_kinds(self):
        dn = f"uid=u5,ou=people,{BASE}"
        run("ldapmodify", stdin=f"dn: {dn}\nchangetype: modify\nadd: description\ndescription: a\ndescription: b\n-\n"
                                f"replace: sn\nsn: New\n-\ndelete: description\ndescription: a\n-\n"
                                f"increment: uidNumber\nuidNumber: 500\n")
        out = search("-b", dn, "-s", "base", "(objectClass=*)", "description", "sn", "uidNumber")
        self.assertEqual(sorted(out.split("\n")[1:4]), ["description: b", "sn: New", "uidNumber: 1505"])
        run("ldapmodify", stdin=f"dn: {dn}\nchangetype: modify\ndelete: description\ndescription: x\n", expect=16)
        run("ldapmodify", stdin=f"dn: {dn}\nchangetype: modify\nadd: sn\nsn: NEW\n", expect=20)
        run("ldapmodify", stdin=f"dn: {dn}\nchangetype: modify\nadd: nosuch\nnosuch: x\n", expect=17)
        run("ldapmodify", stdin=f"dn: {dn}\nchangetype: modify\nreplace: sn\nsn: Odd\n-\nreplace: uidNumber\n"
                                f"uidNumber: 1005\n")

    def test_g_rename_and_move(self):
        dn = f"uid=u7,ou=people,{BASE}"
        run("ldapmodrdn", "-r", dn, "uid=u7x")
        self.assertEqual(search("-b", f"uid=u7x,ou=people,{BASE}", "-s", "base", "(uid=*)", "uid").split("\n")[1], "uid: u7x")
        run("ldapmodrdn", "-r", "-s", f"ou=archive,{BASE}", f"uid=u7x,ou=people,{BASE}", "uid=u7x")
        self.assertEqual(names("-b", f"ou=archive,{BASE}", "-s", "one"), ["uid=u7x"])
        run("ldapmodrdn", "-r", "-s", f"ou=people,{BASE}", f"ou=archive,{BASE}", "ou=archive")
        self.assertEqual(names("-b", f"ou=archive,ou=people,{BASE}", "-s", "sub"), ["ou=archive", "uid=u7x"])
        run("ldapmodrdn", "-r", "-s", BASE, f"ou=archive,ou=people,{BASE}", "ou=archive")
        run("ldapmodrdn", "-r", "-s", f"ou=people,{BASE}", f"uid=u7x,ou=archive,{BASE}", "uid=u7")
        run("ldapmodrdn", "-r", f"uid=u7,ou=people,{BASE}", "uid=u8", expect=68)

    def test_h_compare(self):
        dn = f"uid=u2,ou=people,{BASE}"
        run("ldapcompare", dn, "cn:USER 2", expect=6)
        run("ldapcompare", dn, "cn:other", expect=5)
        run("ldapcompare", dn, "pager:1", expect=16)
        run("ldapcompare", f"uid=zz,ou=people,{BASE}", "cn:x", expect=32)

    def test_i_whoami_and_password(self):
        self.assertEqual(run("ldapwhoami").stdout.strip().lower(), f"dn:{ADMIN}".lower())
        self.assertEqual(run("ldapwhoami", login=ANONYMOUS).stdout.strip(), "anonymous")
        dn = f"uid=u9,ou=people,{BASE}"
        run("ldappasswd", "-s", "first-secret", dn)
        user = ANONYMOUS + ["-D", dn, "-w", "first-secret"]
        self.assertEqual(run("ldapwhoami", login=user).stdout.strip().lower(), f"dn:{dn}".lower())
        run("ldappasswd", "-a", "first-secret", "-s", "second-secret", login=user)
        run("ldapwhoami", login=user, expect=49)
        made = run("ldappasswd", dn).stdout
        password = re.search(r"New password: (\S+)", made).group(1)
        run("ldapwhoami", login=ANONYMOUS + ["-D", dn, "-w", password])

    def test_j_access_defaults(self):
        self.assertIn("namingContexts", search("-b", "", "-s", "base", "+", login=ANONYMOUS))
        out = run("ldapsearch", "-LLL", "-b", BASE, login=ANONYMOUS, expect=None)
        self.assertNotIn("dn:", out.stdout)

    def test_k_errors_teach(self):
        unfolded = ("-o", "ldif_wrap=no", "-b")
        done = run("ldapsearch", *unfolded, "dc=elsewhere", expect=32)
        self.assertIn(SUFFIX, done.stdout + done.stderr)
        done = run("ldapsearch", *unfolded, f"uid=zz,ou=people,{BASE}", expect=32)
        self.assertIn(f"ou=people,{BASE}", done.stdout + done.stderr)
        run("ldapsearch", "-b", "not a dn", expect=34)
        run("ldapsearch", "-b", BASE, "-z", "3", login=LOGIN, expect=4)

    def test_l_subtree_moved_and_deleted(self):
        lines = [f"dn: ou=big,{BASE}\nobjectClass: organizationalUnit\nou: big\n"]
        lines += [f"dn: ou=n{i},ou=big,{BASE}\nobjectClass: organizationalUnit\nou: n{i}\n" for i in range(300)]
        run("ldapadd", stdin="\n".join(lines))
        run("ldapmodrdn", "-r", "-s", f"ou=archive,{BASE}", f"ou=big,{BASE}", "ou=bigger")
        self.assertEqual(len(names("-b", f"ou=bigger,ou=archive,{BASE}")), 301)
        run("ldapdelete", f"ou=bigger,ou=archive,{BASE}", expect=66)
        run("ldapdelete", "-r", f"ou=bigger,ou=archive,{BASE}")
        self.assertEqual(names("-b", f"ou=archive,{BASE}", "-s", "one"), [])

    def test_m_delete(self):
        run("ldapdelete", f"uid=u11,ou=people,{BASE}")
        run("ldapdelete", f"uid=u11,ou=people,{BASE}", expect=32)


if __name__ == "__main__":
    unittest.main()
