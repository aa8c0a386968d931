"""Attribute types, and values for each: few enough to meet again and again, and every kind that a syntax refuses."""
import names

# Plain text, the specials of DNs and filters, spaces, Unicode in several forms.
_TEXT = ["alpha", "Beta Two", "gamma, delta", "a+b=c", "#hash", "x  y   z", " lead", "trail ", "star*star", "back\\slash",
         "(par)", "<angle>;", '"quoted"', "Åse", "José", "Jose\u0301", "ﬁne", "Ａ１", "日本", "\U0001f600 smile",
         "abc", "ABCD", "ab", "a", "bca", "alphabet", "ALPHA", "-", "  ", "0", "é", "Ω"]
_NO_TEXT = [b"", b"\xff", b"a\xc3", b"\xed\xa0\x80"]

PEOPLE = [b"uid=alice,ou=people,dc=example,dc=com", b"uid=bob,ou=people,dc=example,dc=com",
          b"UID = Alice , OU=People,dc=EXAMPLE,dc=com", b"cn=x\\, y,dc=example,dc=com", b"cn=x\\2C  Y,DC=example,dc=com",
          b"cn=#0401 41,o=z".replace(b" ", b""), b"ou=people,dc=example,dc=com", b"o=a+cn=b,c=DE", b"cn=b+o=a,c=de",
          b"2.5.4.3=A,dc=example"]
_NO_DN = [b"not a dn", b"cn=a,", b"cn", b"=x", b"cn=a\\", b"cn=", b"nosuch=x,o=y"]


def _text(*more):
    return [text.encode() for text in _TEXT] + list(more)


# syntax -> (values that it takes, values that it does not)
KINDS = {
    "text": (_text(), _NO_TEXT),
    "ia5": ([b"a@example.com", b"A@Example.COM", b"b@example.org", b"x  y", b"http://e/", b"a", b"A", b"*", b"\\5c"],
            ["é".encode(), b"\xff", b""]),
    "print": ([b"abc", b"ABC", b"a b", b"A  B", b"1-2", b"(x)", b"de", b"q?", b"a,b"],
              [b"", b"a_b", b"a@b", "é".encode(), b"*"]),
    "phone": ([b"+1 234-567", b"+1234567", b"+1 23 4567", b"555", b"5-5 5", b"- 1"],
              [b"", "é".encode(), b"\xff"]),
    "number": ([b"1 2 3", b"123", b"12 3", b"0", b"00", b"987", b" 9"], [b"", b"12a", b"-1", b"1,2"]),
    "integer": ([b"0", b"1", b"9", b"10", b"-5", b"42", b"255", b"-1", b"2147483648", b"99999999999999999999",
                 b"-99999999999999999999", b"128", b"-128", b"-129"],
                [b"", b"01", b"-0", b"+1", b"1.0", b"abc", b"0x10", b" 1", b"--1", b"-"]),
    "time": ([b"20240101120000Z", b"20240101130000+0100", b"202401011200Z", b"2024010112Z", b"20240101120000.0Z",
              b"20240101120000.5Z", b"20240101120000,5Z", b"19991231235959Z", b"20240229000000Z", b"20250101000000-0530",
              b"20240101120000.50Z", b"20161231235960Z"],
             [b"", b"2024", b"20240101", b"20240101120000", b"20241301120000Z", b"20240230120000Z", b"20240101250000Z",
              b"20240101120000X", b"abc", b"20240101120000+01:00", b"20240101126000Z", b"20230229000000Z",
              b"2024010112.Z"]),
    "bool": ([b"TRUE", b"FALSE"], [b"true", b"1", b"", b"True", b"YES"]),
    "bits": ([b"'0101'B", b"''B", b"'01010'B", b"'1'B", b"'0'B", b"'00'B"], [b"", b"0101", b"'012'B", b"'01"]),
    "octets": ([b"\x00\x01\xff", b"abc", b"ABC", b"\x5c\x30", b"0", b"a*b", b"\x80", b"ab"], [b""]),
    "dn": (PEOPLE, _NO_DN),
    "uniquedn": (PEOPLE + [dn + b"#'0101'B" for dn in PEOPLE[:3]] + [PEOPLE[0] + b"#'01'B"],
                 _NO_DN + [PEOPLE[0] + b"#'012'B"]),
    "postal": ([b"1 Main St$City \\24 X$\\5C", b"1 main st$CITY \\24 x$\\5c", b"one", b"a$b$c", b"A $ B$c", "é$x".encode()],
               [b"", b"\xff", b"a\\zz"]),
    "uuid": ([b"597ae2f6-16a6-1027-98f4-d28b5365dc14", b"597AE2F6-16A6-1027-98F4-D28B5365DC14",
              b"00000000-0000-0000-0000-000000000000"], [b"", b"abc", b"597ae2f616a6102798f4d28b5365dc14", b"g" * 36]),
    "oid": ([b"cn", b"2.5.4.3", b"commonName", b"person", b"1.2.3.4", b"2.5.6.6", b"top"], [b"", b"1..2", b"a b", b"-a"]),
    "country": ([b"DE", b"de", b"US", b"FR"], [b"USA", b"D", b"", b"d1", "éé".encode()]),
    "csn": ([b"20240101120000.000000Z#000000#000#000000"], [b"", b"abc", b"20240101120000Z"]),
    "class": ([], []),  # values come from the templates
    "delivery": ([b"any", b"mhs $ telephone", b"telephone", b"physical"], [b"", b"pigeon", b"any $"]),
    "fax": ([b"+1 555", b"+1 555$a3Width", b"555"], [b"", b"+1$nosuch"]),
    "jpeg": ([b"\xff\xd8\xff\xe0\x00\x10JFIF", b"\xff\xd8\x00"], [b"", b"abc"]),
    "password": ([b"{SSHA}c7TcdTtW5CVeq6pqr6f1f6SrBTVzYWx0", b"{NOSUCH}x", b"{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ="], []),
    "uri": ([b"http://example.com/ a label", b"http://example.com/", b"ldap://h/"], [b"", b"\xff"]),
}

# type -> (kind, has equality, has ordering, has substrings, single value)
TYPES = {
    "cn": ("text", 1, 0, 1, 0), "sn": ("text", 1, 0, 1, 0), "givenName": ("text", 1, 0, 1, 0),
    "name": ("text", 1, 0, 1, 0), "description": ("text", 1, 0, 1, 0), "title": ("text", 1, 0, 1, 0),
    "ou": ("text", 1, 0, 1, 0), "o": ("text", 1, 0, 1, 0), "l": ("text", 1, 0, 1, 0), "st": ("text", 1, 0, 1, 0),
    "uid": ("text", 1, 0, 1, 0), "displayName": ("text", 1, 0, 1, 1), "employeeType": ("text", 1, 0, 1, 0),
    "mail": ("ia5", 1, 0, 1, 0), "dc": ("ia5", 1, 0, 1, 1), "labeledURI": ("uri", 1, 0, 0, 0),
    "telephoneNumber": ("phone", 1, 0, 1, 0), "homePhone": ("phone", 1, 0, 1, 0), "pager": ("phone", 1, 0, 1, 0),
    "facsimileTelephoneNumber": ("fax", 0, 0, 0, 0), "postalAddress": ("postal", 1, 0, 1, 0),
    "serialNumber": ("print", 1, 0, 1, 0), "destinationIndicator": ("print", 1, 0, 1, 0),
    "employeeNumber": ("text", 1, 0, 1, 1), "initials": ("text", 1, 0, 1, 0), "c": ("country", 1, 0, 1, 1),
    "member": ("dn", 1, 0, 0, 0), "seeAlso": ("dn", 1, 0, 0, 0), "manager": ("dn", 1, 0, 0, 0),
    "uniqueMember": ("uniquedn", 1, 0, 0, 0), "preferredDeliveryMethod": ("delivery", 0, 0, 0, 1),
    "x121Address": ("number", 1, 0, 1, 0), "jpegPhoto": ("jpeg", 0, 0, 0, 0), "userPassword": ("password", 1, 0, 0, 0),
    "uidNumber": ("integer", 1, 1, 0, 1), "gidNumber": ("integer", 1, 1, 0, 1), "homeDirectory": ("ia5", 1, 0, 0, 1),
    "shadowMax": ("integer", 1, 0, 0, 1), "memberUid": ("ia5", 1, 0, 1, 0), "gecos": ("ia5", 1, 0, 1, 1),
    "kInt": ("integer", 1, 1, 0, 0), "kIntSub": ("integer", 1, 1, 0, 0), "kTime": ("time", 1, 1, 0, 0),
    "kBool": ("bool", 1, 0, 0, 0), "kExact": ("text", 1, 1, 1, 0), "kNum": ("number", 1, 1, 1, 0),
    "kOct": ("octets", 1, 1, 0, 0), "kSingle": ("text", 1, 1, 1, 1), "kNoEq": ("text", 0, 0, 0, 0),
    "kBits": ("bits", 1, 0, 0, 0), "kUuid": ("uuid", 1, 1, 0, 0), "kPrint": ("print", 1, 0, 1, 0),
    "kIa5": ("ia5", 1, 0, 0, 0), "kOid": ("oid", 1, 0, 0, 0), "kDn": ("dn", 1, 0, 0, 1),
    "objectClass": ("class", 1, 0, 0, 0),
}
# Types that the server keeps: what may be asked of them.
OPERATIONAL = {
    "structuralObjectClass": "class", "entryUUID": "uuid", "creatorsName": "dn", "createTimestamp": "time",
    "modifiersName": "dn", "modifyTimestamp": "time", "entryCSN": "csn", "entryDN": "dn", "hasSubordinates": "bool",
    "subschemaSubentry": "dn",
}
DN_TYPES = {name.lower() for name, (kind, *_) in TYPES.items() if kind == "dn"} | {
    name.lower() for name, kind in OPERATIONAL.items() if kind == "dn"} | {"aliasedobjectname"}
CLASSES = [b"top", b"person", b"organizationalPerson", b"inetOrgPerson", b"organizationalUnit", b"groupOfNames", b"alias",
           b"kAux", b"kThing", b"kThingMore", b"posixAccount", b"extensibleObject", b"2.5.6.6", b"PERSON", b"referral",
           b"account", b"domain", b"organization", b"device", b"kIdea", b"kPlan", b"nosuchclass", b"groupOfUniqueNames",
           b"country", b"dcObject", b"posixGroup", b"9.9.9", b"", b"uidObject", b"simpleSecurityObject"]
_KIND_OF = {name.lower(): kind for name, (kind, *_) in TYPES.items()} | {
    name.lower(): kind for name, kind in OPERATIONAL.items()} | {"aliasedobjectname": "dn", "ref": "uri"}
OPTIONS = [";lang-en", ";lang-de", ";lang-en-us", ";LANG-EN", ";lang-de;lang-en", ";x-foo"]
NO_OPTIONS = [";binary", ";", ";lang-", ";;lang-en", ";lang-en;", ";nosuch"]
NO_TYPES = ["nosuch", "", "1.2.3.4.5", "cn cn", "-cn", "cn$", "kNoSuch", "9", "1.2.", "c_n"]


def kind_of(attribute):
    return _KIND_OF.get(attribute.split(";")[0].lower(), "text")


def good(rng, attribute):
    kind = kind_of(attribute)
    return rng.choice(CLASSES[:9] if kind == "class" else KINDS[kind][0])


def bad(rng, attribute):
    kind = kind_of(attribute)
    return rng.choice([b"nosuchclass", b"", b"9.9.9"] if kind == "class" else KINDS[kind][1] or [b"{SSHA}x"])


def respell(rng, attribute, value):
    """Often the same value to the attribute's rule, in other octets; sometimes a neighbour of it."""
    kind = kind_of(attribute)
    choice = rng.randrange(6)
    if kind in ("password", "uri", "csn"):
        return value
    if kind in ("dn", "uniquedn"):
        name, mark, bits = value.partition(b"#'")
        try:
            return names.spell(rng, names.read(name)) + mark + bits
        except names.NoName:
            return value
    try:
        text = value.decode()
    except UnicodeDecodeError:
        return value
    changed = [text, text.upper(), text.lower(), text.replace(" ", "  "), " " + text, text + " "][choice]
    return changed.encode()


def value(rng, attribute, known=(), odd=0.07):
    """known: values seen in the tree. Mostly good ones, often such as are there; odd: how often it is none."""
    if rng.random() < odd:
        return bad(rng, attribute)
    chosen = rng.choice(known) if known and rng.random() < 0.5 else good(rng, attribute)
    return respell(rng, attribute, chosen) if rng.random() < 0.35 else chosen


def attribute(rng, odd=0.06):
    """A description: a type, perhaps by another name, perhaps with options, perhaps none at all."""
    choice = rng.random()
    if choice < odd / 2:
        return rng.choice(NO_TYPES)
    if choice < odd:
        return rng.choice(list(TYPES)) + rng.choice(NO_OPTIONS)
    if choice < odd + 0.08:
        name = rng.choice(list(OPERATIONAL))
    else:
        name = rng.choice(list(TYPES))
    return tagged(rng, name) if rng.random() < 0.08 else name


def tagged(rng, name):
    """With an option, but for passwords: a tagged one lets its owner in at Kauri alone."""
    return name if name == "userPassword" else name + rng.choice(OPTIONS)


def rename(rng, name):
    """The same description by a number, an alias, or in another case."""
    base, *options = name.split(";")
    lower = base.lower()
    choice = rng.randrange(12)
    if choice == 0 and lower in names.OIDS:
        base = names.OIDS[lower]
    elif choice == 1 and lower in names.LONG:
        base = names.LONG[lower]
    elif choice == 2:
        base = base.upper()
    elif choice == 3:
        base = lower
    return ";".join([base, *options])
