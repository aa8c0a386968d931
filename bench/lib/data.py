"""The data set of a comparison and the questions that are asked of it, each with the number of entries it has to find."""
import bisect
import os
import random
import re
import subprocess

from server import SUFFIX

PEOPLE = f"ou=People,{SUFFIX}"
GROUPS = f"ou=Groups,{SUFFIX}"
SMALL_GROUP = 100  # members
LINES = 400        # questions of each kind
LATE = 20          # entries that are added after the load in each run, for a range of times

# One entry of the size and with the attributes of the data set, as a pattern of `kauri bench add`.
ENTRY = f"""dn: uid=added.{{n}},{PEOPLE}
objectClass: top
objectClass: person
objectClass: organizationalPerson
objectClass: inetOrgPerson
uid: added.{{n}}
cn: Added Person {{n}}
sn: Person{{n:07}}
givenName: Added
initials: AP
mail: added.{{n}}@example.com
employeeNumber: 9{{n:09}}
telephoneNumber: +1 555 010 0000
homePhone: +1 555 010 0001
mobile: +1 555 010 0002
pager: +1 555 010 0003
street: 12345 Benchmark Avenue
l: Springfield
st: IL
postalCode: 62701
postalAddress: Added Person$12345 Benchmark Avenue$Springfield, IL  62701
title: Principal Network Engineer
ou: Product Testing
userPassword: {{{{SSHA}}W6ph5Mm5Pz8GgiULbPgzG37mj9gAAAAAAAAAAA==
description: One of the entries that a row of adds has made, as long as those of the data set are, which tell
 of accounts, agendas, balances, branches, budgets, buildings, cabinets, campuses, carriers and channels.
"""


def group(name, members):
    return (f"dn: cn={name},{GROUPS}\nobjectClass: top\nobjectClass: groupOfNames\ncn: {name}\n"
            + "".join(f"member: uid=user.{n},{PEOPLE}\n" for n in range(members)) + "\n")


class Data:
    """users-N.ldif in `folder`: what gen-users writes, with every second user a pkiUser too, and two more groups,
    cn=large with all users as members and cn=small with 100 of them. `questions[kind]`: a file for --values."""

    def __init__(self, scripts, folder, entries):
        self.entries = entries
        self.groups = entries // 100 + 2
        self.folder = folder
        self.ldif = os.path.join(folder, f"users-{entries}.ldif")
        self.entry_file = os.path.join(folder, "entry.ldif")
        self.cn, self.sn = [], []
        with open(self.entry_file, "w", encoding="ascii") as file:
            file.write(ENTRY)
        self.write_ldif(os.path.join(scripts, "gen-users"))
        self.questions = {}
        self.write_questions()

    def write_ldif(self, generator):
        raw = self.ldif + ".raw"
        subprocess.run([generator, str(self.entries), raw], check=True)
        user = None
        with open(raw, encoding="utf-8") as source, open(self.ldif + ".new", "w", encoding="utf-8") as out:
            for line in source:
                out.write(line)
                if line.startswith("dn: "):
                    found = re.match(r"dn: uid=user\.(\d+),", line)
                    user = int(found[1]) if found else None
                elif user is not None and line.startswith("cn: "):
                    self.cn.append(line[4:].strip().lower())
                elif user is not None and line.startswith("sn: "):
                    self.sn.append(line[4:].strip().lower())
                elif user is not None and user % 2 == 0 and line == "objectClass: inetOrgPerson\n":
                    out.write("objectClass: pkiUser\n")
            out.write(group("large", self.entries) + group("small", min(SMALL_GROUP, self.entries)))
        os.remove(raw)
        os.replace(self.ldif + ".new", self.ldif)
        if len(self.cn) != self.entries or len(self.sn) != self.entries:
            raise RuntimeError(f"{generator} wrote {len(self.cn)} users instead of {self.entries}")

    def write_questions(self):
        draw = random.Random(1)
        users = [draw.randrange(self.entries) for _ in range(LINES)]
        ordered = sorted(self.cn)
        each = {}
        for name in self.sn:
            each[name] = each.get(name, 0) + 1
        # The name's first word, a space and three letters.
        prefixes = [self.cn[n][:self.cn[n].index(" ") + 4] for n in users]
        middles = [self.cn[n][2:-3] for n in users[:LINES // 4]]
        self.keep("prefix", [(f"(cn={text}*)", bisect.bisect_left(ordered, text + "\x7f") - bisect.bisect_left(ordered, text))
                             for text in prefixes])
        self.keep("middle", [(f"(cn=*{text}*)", sum(text in name for name in self.cn)) for text in middles])
        self.keep("and-half", [(f"(&(objectClass=pkiUser)(uid=user.{n // 2 * 2}))", 1) for n in users])
        self.keep("or-200", [("(|" + "".join(f"(uid=user.{n})" for n in draw.sample(range(self.entries),
                                                                                    min(200, self.entries))) + ")",
                              min(200, self.entries)) for _ in range(LINES)])
        self.keep("not", [(f"(&(sn={self.sn[n]})(!(uid=user.{n})))", each[self.sn[n]] - 1) for n in users])
        self.keep("presence", [(f"(&(sn={self.sn[n]})(telephoneNumber=*))", each[self.sn[n]]) for n in users])

    def keep(self, kind, lines):
        self.questions[kind] = os.path.join(self.folder, f"questions-{kind}")
        with open(self.questions[kind], "w", encoding="utf-8") as file:
            file.writelines(f"{text}\t{count}\n" for text, count in lines)
