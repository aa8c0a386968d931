"""What both servers are given, and what is known of the tree that they should hold."""
import answers
import names
from names import key_of

SUFFIX = ((("dc", b"example"),), (("dc", b"com"),))
SUFFIX_TEXT = "dc=example,dc=com"
PEOPLE = ((("ou", b"people"),),) + SUFFIX
GROUPS = ((("ou", b"groups"),),) + SUFFIX
HIDDEN = ((("ou", b"hidden"),),) + SUFFIX
ALICE = ((("uid", b"alice"),),) + PEOPLE
BOB = ((("uid", b"bob"),),) + PEOPLE
ADMIN_TEXT = f"cn=admin,{SUFFIX_TEXT}"
PASSWORDS = {ALICE: b"{SSHA}Ye2QsKnBQPZhaprcqPomYfFmh5NzYWx0", BOB: b"{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ="}
CLEAR = {ALICE: b"alice-secret", BOB: b"secret"}

# The first that fits decides, in both (slapd.access(5)).
RULES = [
    'to attrs=userPassword by self =xw by anonymous auth by * none',
    f'to dn.subtree="ou=hidden,{SUFFIX_TEXT}" by dn.exact="uid=alice,ou=people,{SUFFIX_TEXT}" write '
    f'by dn.exact="uid=bob,ou=people,{SUFFIX_TEXT}" search by * none',
    'to attrs=homePhone,pager by self write by dn.exact="uid=alice,ou=people,dc=example,dc=com" read by * none',
    'to attrs=title by users read by anonymous none',
    'to attrs=kSingle by users write by anonymous search',
    'to attrs=kExact by users compare by * none',
    f'to dn.children="ou=groups,{SUFFIX_TEXT}" attrs=member,uniqueMember by users write by * search',
    f'to dn.one="{SUFFIX_TEXT}" attrs=description by * disclose',
    f'to * by dn.exact="uid=alice,ou=people,{SUFFIX_TEXT}" write by self write by * read',
]
INDEXES = [("objectClass", ["eq"]), ("cn", ["pres", "eq", "sub"]), ("uid", ["eq", "sub"]), ("sn", ["eq", "sub"]),
           ("mail", ["eq", "sub"]), ("member", ["eq"]), ("kInt", ["pres", "eq"]), ("kNum", ["eq", "sub"]),
           ("kTime", ["eq"]), ("description", ["sub"]), ("telephoneNumber", ["eq", "sub"]), ("kSingle", ["pres"])]
SESSIONS = {"admin": None, "alice": ALICE, "bob": BOB, "anonymous": None}

# classes, types one of which names it, further types it must have, types it may have
TEMPLATES = [
    (["top", "person", "organizationalPerson", "inetOrgPerson"], ["cn", "uid", "sn", "mail", "givenName"], ["cn", "sn"],
     ["givenName", "title", "mail", "telephoneNumber", "homePhone", "pager", "description", "l", "st", "postalAddress",
      "employeeNumber", "employeeType", "initials", "displayName", "manager", "seeAlso", "userPassword", "jpegPhoto",
      "preferredDeliveryMethod", "labeledURI", "destinationIndicator", "x121Address", "facsimileTelephoneNumber", "ou",
      "o", "uid"]),
    (["person", "kAux"], ["cn", "sn", "kInt", "kExact", "kSingle"], ["cn", "sn"],
     ["kInt", "kIntSub", "kTime", "kBool", "kExact", "kNum", "kOct", "kSingle", "kNoEq", "kBits", "kUuid", "kPrint",
      "kIa5", "kOid", "kDn", "description", "telephoneNumber", "seeAlso", "userPassword"]),
    (["organizationalUnit"], ["ou"], ["ou"], ["description", "l", "telephoneNumber", "seeAlso", "x121Address",
                                              "destinationIndicator", "postalAddress"]),
    (["groupOfNames"], ["cn"], ["cn", "member"], ["description", "o", "ou", "seeAlso"]),
    (["groupOfUniqueNames", "top"], ["cn"], ["cn", "uniqueMember"], ["description", "o"]),
    (["account", "posixAccount"], ["uid", "cn", "uidNumber"], ["uid", "cn", "uidNumber", "gidNumber", "homeDirectory"],
     ["gecos", "description", "l", "ou"]),
    (["posixGroup"], ["cn", "gidNumber"], ["cn", "gidNumber"], ["memberUid", "description"]),
    (["device", "extensibleObject"], ["cn", "serialNumber", "mail", "c", "dc", "description"], ["cn"],
     ["serialNumber", "kInt", "mail", "title", "c", "dc", "name", "shadowMax", "kSingle", "labeledURI", "kDn"]),
    (["domain"], ["dc"], ["dc"], ["description", "l", "o"]),
    (["organization", "dcObject"], ["o", "dc"], ["o", "dc"], ["description", "st", "telephoneNumber"]),
    (["kThing"], ["cn"], ["cn"], ["description", "kInt", "seeAlso"]),
    (["kThing", "kThingMore"], ["cn", "kSingle"], ["cn", "kSingle"], ["kExact", "kNoEq", "description"]),
    (["kPlan", "kIdea"], ["ou", "kInt"], ["ou", "kInt"], ["description"]),
    (["country"], ["c"], ["c"], ["description"]),
]


class World:
    """The names that exist, and the values that were seen when the whole tree was last read."""

    def __init__(self):
        self.names = {}  # key -> DN
        self.parents = {}  # key -> number of entries directly below
        self._list, self._seen = None, {}
        self._attributes = {}  # key -> {type in small letters: [value]}

    def __len__(self):
        return len(self.names)

    def list(self):
        if self._list is None:
            self._list = list(self.names.values())
        return self._list

    def leaves(self):
        return [dn for key, dn in self.names.items() if not self.parents.get(key)]

    def has(self, dn):
        return key_of(dn) in self.names

    def values_of(self, attribute):
        return self._seen.get(attribute.split(";")[0].lower(), ())

    def attributes_of(self, dn):
        return self._attributes.get(key_of(dn), {})

    # --- what an acknowledged write does to the names ---

    def added(self, dn):
        key = key_of(dn)
        if key not in self.names:
            self.names[key] = dn
            self.parents[key[1:]] = self.parents.get(key[1:], 0) + 1
            self._list = None

    def deleted(self, dn):
        key = key_of(dn)
        if self.names.pop(key, None) is not None:
            self.parents[key[1:]] -= 1
            self._list = None

    def renamed(self, dn, new):
        old_key, new_key = key_of(dn), key_of(new)
        depth = len(old_key)
        moved = [(key, known) for key, known in self.names.items() if key[-depth:] == old_key]
        for key, known in moved:
            self.deleted(known)
        for _, known in sorted(moved, key=lambda pair: len(pair[0])):
            self.added(known[:len(known) - depth] + new)
        self.parents.pop(old_key, None)
        if new_key not in self.parents:
            self.parents[new_key] = sum(1 for key in self.names if key[1:] == new_key)

    def refresh(self, entries):
        """entries: (DN as octets, {attribute: [value]}) of the whole tree."""
        self.names, self.parents, self._list, self._seen, self._attributes = {}, {}, None, {}, {}
        for text, attributes in entries:
            dn = names.read(text)
            self.added(dn)
            own = self._attributes[key_of(dn)] = {}
            for name, found in attributes.items():
                base = name.split(";")[0].lower()
                if base in answers.OWN_VALUES:
                    continue
                own.setdefault(base, []).extend(found)
                self._seen.setdefault(base, []).extend(found)


def first_entries():
    """The fixed part of the tree, as (DN, attributes)."""
    def unit(dn):
        return dn, {"objectClass": [b"organizationalUnit"], "ou": [dn[0][0][1]]}

    def person(dn):
        uid = dn[0][0][1]
        return dn, {"objectClass": [b"top", b"person", b"organizationalPerson", b"inetOrgPerson"], "uid": [uid],
                    "cn": [uid], "sn": [b"x"], "userPassword": [PASSWORDS[dn]], "homePhone": [b"555"]}

    return [(SUFFIX, {"objectClass": [b"top", b"domain"], "dc": [b"example"]}), unit(PEOPLE), unit(GROUPS), unit(HIDDEN),
            person(ALICE), person(BOB)]
