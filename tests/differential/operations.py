"""The random stream: operations of every kind, most of them sensible, many of them not."""
import filters
import names
import values
import wire
from world import ALICE, BOB, CLEAR, GROUPS, HIDDEN, PEOPLE, SUFFIX, TEMPLATES, ADMIN_TEXT, first_entries

READS = ("search", "compare")
MANAGE = wire.controls((wire.MANAGE_DSA_IT, True, None))
MANAGE_SOFTLY = wire.controls((wire.MANAGE_DSA_IT, False, None))
PERMISSIVE = wire.controls((wire.PERMISSIVE, True, None))
UNKNOWN = wire.controls(("1.2.3.4.5.6", False, None))
UNKNOWN_CRITICAL = wire.controls(("1.2.3.4.5.6", True, None))
_CONTROL_NAMES = {b"": "", MANAGE: " +manageDsaIT", MANAGE_SOFTLY: " +manageDsaIT?", PERMISSIVE: " +permissive",
                  UNKNOWN: " +unknown", UNKNOWN_CRITICAL: " +unknown!"}


def _same(octets):
    return octets


_OPERATIONAL = {name.lower() for name in values.OPERATIONAL}
_SPELLED = {name.lower(): name for name in (*values.TYPES, *values.OPERATIONAL)}


class Operation:
    """kind; session: whose connection; body: for Kauri; other: for slapd; what else the rules look at is in `parts`.

    build: makes the octets, with a function that every name and value passes through. What slapd does not read and can
    be written otherwise goes to it in the other form: names in hexadecimal, and approximate equality as equality.
    """

    def __init__(self, kind, session, build, text, controls=b"", **parts):
        self.kind, self.session, self.controls = kind, session, controls
        self.body = build(_same)
        self.other = build(names.without_hex) if b"#04" in self.body or "~=" in text else self.body
        self.text, self.parts = text, parts

    def __str__(self):
        return f"{self.session}: {self.kind} {self.text}{_CONTROL_NAMES.get(self.controls, ' +controls')}"


def shown(octets):
    return octets.decode("utf-8", "backslashreplace") if isinstance(octets, bytes) else octets


def search(session, base, scope, tree, attributes=(), size=0, types_only=False, deref=0, controls=b"", dn=None):
    def build(form):
        return wire.search(form(base), scope, filters.encode(tree, form), attributes, size, 0, types_only, deref)
    text = (f"'{shown(base)}' {('base', 'one', 'sub', 'children')[scope]} {filters.text(tree)} {' '.join(attributes)}"
            f"{f' size={size}' if size else ''}{' typesOnly' if types_only else ''}{f' deref={deref}' if deref else ''}")
    return Operation("search", session, build, text, controls, dn=dn, base=base, scope=scope, filter=tree,
                     attributes=attributes, size=size, types_only=types_only, deref=deref)


def add(session, dn, text_dn, attributes, controls=b""):
    """attributes: [(description, [value])]"""
    def build(form):
        return wire.tlv(0x68, wire.octets(form(text_dn)),
                        wire.seq(*[wire.attribute(name, *map(form, found)) for name, found in attributes]))
    text = f"'{shown(text_dn)}' " + ", ".join(f"{name}: {found}" for name, found in attributes)
    return Operation("add", session, build, text, controls, dn=dn, name=text_dn, attributes=attributes)


class Generator:
    def __init__(self, rng, world, size=80):
        self.rng, self.world, self.size = rng, world, size
        # Which kinds of operation prevail is drawn anew for each stretch of the stream.
        self.weights, self.left = {}, 0

    # --- names ---

    def existing(self):
        known = self.world.list()
        return self.rng.choice(known) if known else SUFFIX

    def rdn(self, kinds=("cn", "uid", "ou", "sn", "dc", "o", "l", "kInt", "kExact", "mail", "description", "c")):
        rng = self.rng
        count = 1 if rng.random() < 0.85 else 2
        chosen = rng.sample(list(kinds), min(count, len(kinds)))
        return tuple((kind, values.value(rng, kind, self.world.values_of(kind)) if rng.random() < 0.9
                      else (b"%d" if values.kind_of(kind) in ("phone", "number", "integer") else b"n%d") % rng.randrange(50))
                     for kind in chosen)

    def naming_value(self, kind):
        """A value for a name. Names inside of names stay plain: slapd reads no hexadecimal form in them either."""
        if names.one_type(kind) in names.NAMES:
            return b"cn=x,o=%d" % self.rng.randrange(4)
        return values.value(self.rng, kind, self.world.values_of(kind))

    def missing(self):
        rng = self.rng
        choice = rng.random()
        if choice < 0.7:
            return (self.rdn(),) + self.existing()
        if choice < 0.85:
            return (self.rdn(), self.rdn()) + self.existing()
        return rng.choice(((self.rdn(),), (self.rdn(),) + SUFFIX[1:], (), SUFFIX[1:], ((("cn", b"Subschema"),),),
                           ((("cn", b"admin"),),) + SUFFIX))

    def target(self, present=0.9):
        """-> (DN or None, its octets)"""
        rng = self.rng
        choice = rng.random()
        if choice < 0.02:
            return None, names.broken(rng, self.existing())
        dn = self.existing() if choice < present else self.missing()
        return dn, names.spell(rng, dn)

    def session(self):
        return self.rng.choices(("admin", "alice", "bob", "anonymous", "roving"), (50, 22, 10, 6, 8))[0]

    def controls(self, update=False):
        choice = self.rng.random()
        if choice < 0.12:
            return MANAGE
        if choice < 0.15:
            return MANAGE_SOFTLY
        if choice < 0.18 and update:
            return PERMISSIVE
        if choice < 0.19:
            return UNKNOWN
        return UNKNOWN_CRITICAL if choice < 0.2 else b""

    # --- reads ---

    def make_search(self):
        rng = self.rng
        dn, base = self.target(0.93)
        scope = rng.choices((0, 1, 2, 3), (15, 20, 60, 5))[0]
        if dn is not None and scope != 0 and rng.random() < 0.35:
            dn = rng.choice((SUFFIX, SUFFIX, PEOPLE, GROUPS, HIDDEN))
            base = names.spell(rng, dn)
        tree = filters.tree(rng, self.world) if rng.random() < 0.93 else ("present", "objectClass")
        deref = rng.choices((0, 1, 2, 3), (70, 8, 8, 14))[0]
        return search(self.session(), base, scope, tree, self.selection(),
                      rng.choice((1, 2, 5, 20)) if rng.random() < 0.08 else 0, rng.random() < 0.08, deref,
                      self.controls(), dn)

    def selection(self):
        rng = self.rng
        choice = rng.random()
        if choice < 0.25:
            return ()
        if choice < 0.35:
            return ("*", "+")
        if choice < 0.45:
            return ("1.1",)
        found = []
        for _ in range(rng.choice((1, 1, 2, 3, 5))):
            kind = rng.random()
            if kind < 0.8:
                found.append(values.rename(rng, values.attribute(rng, 0.1)))
            elif kind < 0.9:
                found.append(rng.choice(("*", "+", "1.1", "1.1")))
            else:
                found.append("@" + rng.choice(("person", "kAux", "inetOrgPerson", "top", "nosuch", "extensibleObject",
                                               "PERSON", "2.5.6.6", "kThingMore", "alias")))
        return tuple(found)

    def make_compare(self):
        rng = self.rng
        dn, text = self.target(0.93)
        attribute, known = values.attribute(rng), ()
        own = self.world.attributes_of(dn) if dn is not None else {}
        if own and rng.random() < 0.75:
            attribute = rng.choice(list(own))
            known = own[attribute]
            attribute = _SPELLED.get(attribute, attribute)
        value = values.value(rng, attribute, known)
        spelled = values.rename(rng, attribute)
        return Operation("compare", self.session(), lambda form: wire.compare(form(text), spelled, form(value)),
                         f"'{shown(text)}' {spelled}: {value}", self.controls(), dn=dn, name=text, attribute=spelled,
                         value=value)

    def make_whoami(self):
        return Operation("whoami", self.session(), lambda form: wire.extended(wire.WHO_AM_I), "")

    def make_bind(self):
        rng = self.rng
        choice = rng.random()
        if choice < 0.3:
            dn = rng.choice((ALICE, BOB))
            name, password = names.spell(rng, dn), rng.choice((CLEAR[dn], CLEAR[dn], b"wrong", b""))
        elif choice < 0.4:
            name, password = rng.choice(((ADMIN_TEXT.encode(), b"admin-secret"), (ADMIN_TEXT.encode(), b"wrong"),
                                         (b"", b""), (b"", b"x"),
                                         (b" CN=Admin, " + names.plain(SUFFIX), b"admin-secret")))
        else:
            _, name = self.target(0.85)
            password = rng.choice((b"secret", b"alice-secret", b"x", b"", b"{SSHA}x"))
        version = 3 if rng.random() < 0.97 else rng.choice((1, 4, 2))
        return Operation("bind", "roving", lambda form: wire.bind(form(name), password, version),
                         f"'{shown(name)}' {password} v{version}", name=name, version=version)

    # --- updates ---

    def make_add(self):
        rng = self.rng
        if rng.random() < 0.03:
            dn, attributes = rng.choice(first_entries())
            return add("admin", dn, names.plain(dn), list(attributes.items()))
        choice = rng.random()
        if choice < 0.04:
            return self._add_alias()
        if choice < 0.07:
            return self._add_referral()
        classes, naming, must, may = rng.choice(TEMPLATES)
        parent = self.existing() if rng.random() < 0.95 else self.missing()
        if len(parent) > 6:
            parent = rng.choice((SUFFIX, PEOPLE, GROUPS, HIDDEN))
        plain_types = [name for name in may if values.kind_of(name) != "dn"]
        dn = (self.rdn(naming if rng.random() < 0.95 else plain_types),) + parent
        found = {"objectClass": [name.encode() for name in classes]}
        for name in must:
            if rng.random() < 0.97:
                found[name] = [values.good(rng, name)]
        for name in rng.sample(may, rng.randrange(min(len(may), 8) + 1)):
            count = 1 if values.TYPES[name][4] and rng.random() < 0.95 else rng.choice((1, 1, 1, 2, 3))
            spelled = values.tagged(rng, name) if rng.random() < 0.08 else name
            found.setdefault(spelled, []).extend(values.value(rng, name, odd=0.015) for _ in range(count))
        for kind, value in dn[0]:
            if values.TYPES[kind][4] and rng.random() < 0.8:
                found[kind] = [value]
            elif rng.random() < 0.6:
                found.setdefault(kind, []).append(values.respell(rng, kind, value) if rng.random() < 0.2 else value)
        self._spoil(found)
        attributes = [(values.rename(rng, name), found[name]) for name in found]
        rng.shuffle(attributes)
        text = names.broken(rng, parent) if rng.random() < 0.015 else names.spell(rng, dn)
        return add(self.session(), dn, text, attributes, self.controls())

    def _spoil(self, found):
        """Breaks an entry in one way, sometimes."""
        rng = self.rng
        choice = rng.random()
        if choice < 0.01:
            del found["objectClass"]
        elif choice < 0.03:
            found["objectClass"].append(rng.choice(values.CLASSES))
        elif choice < 0.05:
            name = values.attribute(rng, 0.4)
            if not name.startswith("userPassword"):  # in clear Kauri keeps a hash of it
                found[name] = [b"x"]
        elif choice < 0.055:
            found[rng.choice(list(found))] = []
        elif choice < 0.065:
            name = rng.choice(list(found))
            found[name] = found[name] + found[name][:1]
        elif choice < 0.08:
            name = rng.choice(list(values.OPERATIONAL))
            found[name] = [values.good(rng, name)]

    def _add_alias(self):
        rng = self.rng
        dn = ((("cn", b"alias%d" % rng.randrange(8)),),) + self.existing()
        target = self.existing() if rng.random() < 0.9 else self.missing()
        attributes = [("objectClass", [b"alias", b"extensibleObject"]), ("cn", [dn[0][0][1]]),
                      ("aliasedObjectName", [names.spell(rng, target)])]
        return add("admin", dn, names.spell(rng, dn), attributes, self.controls())

    def _add_referral(self):
        rng = self.rng
        dn = ((("cn", b"ref%d" % rng.randrange(5)),),) + self.existing()
        uri = rng.choice((b"ldap://other.example/ou=x,dc=other", b"ldap://other.example/", b"ldap://other.example",
                          b"ldap://a.example/cn=a%20b,dc=other??sub?(cn=x)", b"http://x/"))
        attributes = [("objectClass", [b"referral", b"extensibleObject"]), ("cn", [dn[0][0][1]]), ("ref", [uri])]
        return add("admin", dn, names.spell(rng, dn), attributes, MANAGE)

    def make_modify(self):
        rng = self.rng
        dn, text = self.target(0.96)
        own = self.world.attributes_of(dn) if dn is not None else {}
        changes = [self._change(own) for _ in range(rng.choice((1, 1, 1, 1, 2, 2, 3, 5)))]
        if rng.random() < 0.005:
            changes = []

        def build(form):
            return wire.tlv(0x66, wire.octets(form(text)), wire.seq(*[
                wire.seq(wire.enumerated(kind), wire.attribute(name, *map(form, found)))
                for kind, name, found in changes]))
        words = ("add", "delete", "replace", "increment")
        told = ", ".join(f"{words[kind]} {name}: {found}" for kind, name, found in changes)
        return Operation("modify", self.session(), build, f"'{shown(text)}' {told}", self.controls(True), dn=dn, name=text,
                         changes=changes)

    def _change(self, own):
        rng = self.rng
        kind = rng.choices((0, 1, 2, 3), (35, 25, 30, 10))[0]
        names_own = [name for name in own if name != "objectclass" and name not in _OPERATIONAL]
        classes = own.get("objectclass", ())
        names_fit = [name for template in TEMPLATES if template[0][-1].encode() in classes for name in template[3]]
        if kind == 3 and rng.random() < 0.7:
            name = rng.choice(("kInt", "kIntSub", "uidNumber", "gidNumber", "shadowMax", "KINT"))
            steps = (b"1", b"-1", b"5", b"99999999999999999999", b"x", b"0")
            return kind, name, [rng.choice(steps) for _ in range(rng.choices((1, 0, 2), (18, 1, 1))[0])]
        if names_own and rng.random() < 0.45:
            name = rng.choice(names_own)
            name = _SPELLED.get(name, name)
        elif names_fit and rng.random() < 0.75:
            name = rng.choice(names_fit)
        elif rng.random() < 0.2:
            name = "objectClass"
        else:
            name = values.attribute(rng, 0.05)
        known = own.get(name.split(";")[0].lower(), ())
        if ";" not in name and rng.random() < 0.04:
            name = values.tagged(rng, name)
        count = rng.choices((0, 1, 2, 3), (12, 65, 15, 8) if kind else (2, 70, 18, 10))[0]
        if name == "objectClass":
            found = [rng.choice(values.CLASSES) for _ in range(count)]
        else:
            found = [values.value(rng, name, known if kind == 1 or rng.random() < 0.2 else (), 0.03)
                     for _ in range(count)]
        return kind, values.rename(rng, name), found

    def make_delete(self):
        rng = self.rng
        leaves = self.world.leaves()
        if leaves and rng.random() < 0.8:
            dn = rng.choice(leaves)
            text = names.spell(rng, dn)
        else:
            dn, text = self.target(0.7)
        return Operation("delete", self.session(), lambda form: wire.delete(form(text)), f"'{shown(text)}'",
                         self.controls(), dn=dn, name=text)

    def make_rename(self):
        rng = self.rng
        dn, text = self.target(0.96)
        if dn and rng.random() < 0.35:
            kinds = [kind for kind, _ in dn[0]]
            rdn = tuple((kind, self.naming_value(kind)) for kind in kinds)
        elif dn and rng.random() < 0.25:
            rdn = tuple((kind, value if names.one_type(kind) in names.NAMES else values.respell(rng, kind, value))
                        for kind, value in dn[0])
        else:
            rdn = self.rdn()
        text_rdn = names.spell(rng, (rdn,))
        if rng.random() < 0.03:
            text_rdn = rng.choice((b"", b"x", b"cn=", b"cn=a,ou=b", b"nosuch=x", b"cn=a+cn=b", b"=a", b"cn=\\z", b" ",
                                   b"uidNumber=x", b"kNoEq=x", b"createTimestamp=20240101120000Z"))
            rdn = None
        superior, text_superior = None, None
        if rng.random() < 0.45:
            superior, text_superior = self.target(0.93)
            if superior is not None and len(superior) > 6:
                superior, text_superior = SUFFIX, names.plain(SUFFIX)
        elif dn:
            superior = dn[1:]
        drop = rng.random() < 0.6

        def build(form):
            return wire.rename(form(text), form(text_rdn), drop,
                               None if text_superior is None else form(text_superior))

        return Operation("rename", self.session(), build, f"'{shown(text)}' to '{shown(text_rdn)}'" +
                         (f" below '{shown(text_superior)}'" if text_superior is not None else "") +
                         (" deleteOldRDN" if drop else ""), self.controls(), dn=dn, name=text, rdn=rdn,
                         text_rdn=text_rdn, superior=superior, text_superior=text_superior,
                         new=(rdn,) + superior if rdn is not None and superior is not None else None, drop=drop)

    # --- the stream ---

    def _weights(self):
        if self.left == 0:
            rng = self.rng
            self.left = rng.randrange(100, 400)
            base = {"search": 52, "compare": 9, "whoami": 1, "bind": 3, "add": 13, "modify": 13, "delete": 4, "rename": 6}
            self.weights = {kind: weight * rng.choice((0.5, 1, 1, 2)) for kind, weight in base.items()}
        self.left -= 1
        weights = dict(self.weights)
        if len(self.world) > self.size:
            weights["delete"] *= 5
            weights["add"] *= 0.4
        elif len(self.world) < self.size // 2:
            weights["delete"] *= 0.3
            weights["add"] *= 2
        return weights

    def next(self):
        weights = self._weights()
        kind = self.rng.choices(list(weights), list(weights.values()))[0]
        return getattr(self, "make_" + kind)()
