"""LDAP octet by octet: a BER encoder that can also lie about lengths, and a client that takes whatever comes back.

Standard library only, and nothing shared with the server's own decoders, so that a fault in one does not hide in both.
"""
import re
import socket
import struct
import time

# --- BER -----------------------------------------------------------------------------------------------------------------


def length_octets(length, form=0):
    """form 0: the shortest; n: the long form with n octets, leading zeros where needed."""
    if form == 0:
        if length < 128:
            return bytes([length])
        form = (length.bit_length() + 7) // 8
    return bytes([0x80 | form]) + length.to_bytes(form, "big")


def tlv(tag, *contents, form=0, claim=None):
    """claim: the length to write, whatever the truth is."""
    body = b"".join(contents)
    return bytes([tag]) + length_octets(len(body) if claim is None else claim, form) + body


def seq(*contents, **options):
    return tlv(0x30, *contents, **options)


def octets(value, tag=0x04):
    return tlv(tag, value.encode() if isinstance(value, str) else value)


def integer(value, tag=0x02):
    size = 1
    while not -(1 << (8 * size - 1)) <= value < 1 << (8 * size - 1):
        size += 1
    return tlv(tag, value.to_bytes(size, "big", signed=True))


def enumerated(value):
    return integer(value, 0x0A)


def boolean(value):
    return tlv(0x01, b"\xff" if value else b"\x00")


# --- filters --------------------------------------------------------------------------------------------------------------


def unescape(text):
    raw = text.encode() if isinstance(text, str) else text
    return re.sub(rb"\\([0-9a-fA-F]{2})", lambda match: bytes([int(match.group(1), 16)]), raw)


def equal(attribute, value):
    return tlv(0xA3, octets(attribute), octets(value))


def present(attribute):
    return octets(attribute, 0x87)


def substrings(attribute, *parts):
    """parts: (0 initial | 1 any | 2 final, value)"""
    return tlv(0xA4, octets(attribute), seq(*[octets(value, 0x80 | kind) for kind, value in parts]))


def extensible(rule=None, attribute=None, value=b"", dn=False):
    parts = [] if rule is None else [octets(rule, 0x81)]
    parts += [] if attribute is None else [octets(attribute, 0x82)]
    return tlv(0xA9, *parts, octets(value, 0x83), *([tlv(0x84, b"\xff")] if dn else []))


def both(*parts):
    return tlv(0xA0, *parts)


def either(*parts):
    return tlv(0xA1, *parts)


def negated(part):
    return tlv(0xA2, part)


def _item(text):
    match = re.match(r"^([^=]*?)(:=|>=|<=|~=|=)(.*)$", text, re.S)
    name, kind, value = match.groups()
    if kind == ":=":
        attribute, *rest = name.split(":")
        dn = "dn" in rest
        rules = [part for part in rest if part != "dn"]
        return extensible(rules[0] if rules else None, attribute or None, unescape(value), dn)
    if kind == "=" and value == "*":
        return present(name)
    if kind == "=" and "*" in value:
        first, *middle, last = value.split("*")
        parts = ([(0, unescape(first))] if first else []) + [(1, unescape(part)) for part in middle if part]
        return substrings(name, *parts, *([(2, unescape(last))] if last else []))
    return tlv({"=": 0xA3, ">=": 0xA5, "<=": 0xA6, "~=": 0xA8}[kind], octets(name), octets(unescape(value)))


def parse_filter(text):
    """RFC 4515 text -> BER. Only for the well-formed filters of the tests."""

    def at(position):
        assert text[position] == "(", text
        position += 1
        if text[position] in "&|!":
            kind = {"&": 0xA0, "|": 0xA1, "!": 0xA2}[text[position]]
            position += 1
            parts = []
            while text[position] == "(":
                part, position = at(position)
                parts.append(part)
            return tlv(kind, *parts), position + 1
        end = text.index(")", position)
        return _item(text[position:end]), end + 1

    return at(0)[0]


# --- requests -------------------------------------------------------------------------------------------------------------

ALL = present("objectClass")
BASE, ONE, SUB = 0, 1, 2
PAGED = "1.2.840.113556.1.4.319"
PERMISSIVE = "1.2.840.113556.1.4.1413"
MANAGE_DSA_IT = "2.16.840.1.113730.3.4.2"
WHO_AM_I = "1.3.6.1.4.1.4203.1.11.3"
PASSWORD_MODIFY = "1.3.6.1.4.1.4203.1.11.1"
CANCEL = "1.3.6.1.1.8"
START_TLS = "1.3.6.1.4.1.1466.20037"
NOTICE = b"1.3.6.1.4.1.1466.20036"
UNBIND = b"\x42\x00"


def message(message_id, operation, controls=b""):
    return seq(integer(message_id), operation, controls)


def controls(*each):
    """each: (oid, critical, value or None)"""
    return tlv(0xA0, *[seq(octets(oid), boolean(critical), *([] if value is None else [octets(value)]))
                       for oid, critical, value in each])


def paged(size, cookie=b"", critical=True):
    return (PAGED, critical, seq(integer(size), octets(cookie)))


def bind(dn, password, version=3):
    return tlv(0x60, integer(version), octets(dn), octets(password, 0x80))


def search(base, scope=SUB, matching=ALL, attributes=(), size=0, seconds=0, types_only=False, deref=0):
    matching = parse_filter(matching) if isinstance(matching, str) else matching
    return tlv(0x63, octets(base), enumerated(scope), enumerated(deref), integer(size), integer(seconds),
               boolean(types_only), matching, seq(*[octets(name) for name in attributes]))


def attribute(name, *values):
    return seq(octets(name), tlv(0x31, *[octets(value) for value in values]))


def add(dn, attributes):
    return tlv(0x68, octets(dn), seq(*[attribute(name, *values) for name, values in attributes.items()]))


ADD, DELETE, REPLACE, INCREMENT = 0, 1, 2, 3


def modify(dn, *changes):
    """changes: (kind, name, value...)"""
    return tlv(0x66, octets(dn), seq(*[seq(enumerated(kind), attribute(name, *values))
                                       for kind, name, *values in changes]))


def delete(dn):
    return octets(dn, 0x4A)


def rename(dn, rdn, delete_old=True, superior=None):
    return tlv(0x6C, octets(dn), octets(rdn), boolean(delete_old),
               *([] if superior is None else [octets(superior, 0x80)]))


def compare(dn, name, value):
    return tlv(0x6E, octets(dn), seq(octets(name), octets(value)))


def abandon(message_id):
    return integer(message_id, 0x50)


def extended(oid, value=None):
    return tlv(0x77, octets(oid, 0x80), *([] if value is None else [octets(value, 0x81)]))


def cancel(message_id):
    return extended(CANCEL, seq(integer(message_id)))


# --- responses ------------------------------------------------------------------------------------------------------------


class Closed(Exception):
    """The server ended the connection."""


class Silence(Exception):
    """Nothing whole came in time."""


def take(data, position=0):
    """-> (tag, content, position behind it), or None while octets are missing."""
    if len(data) < position + 2:
        return None
    size, start = data[position + 1], position + 2
    if size & 0x80:
        count = size & 0x7F
        if len(data) < start + count:
            return None
        size, start = int.from_bytes(data[start:start + count], "big"), start + count
    if len(data) < start + size:
        return None
    return data[position], bytes(data[start:start + size]), start + size


def elements(data):
    position, found = 0, []
    while position < len(data):
        tag, content, position = take(data, position)
        found.append((tag, content))
    return found


def read_entry(content):
    """-> (dn, {attribute: [value]})"""
    (_, dn), (_, body) = elements(content)
    found = {}
    for _, one in elements(body):
        (_, name), (_, values) = elements(one)
        found[name.decode()] = [value for _, value in elements(values)]
    return dn.decode(), found


class Reply:
    """All that came for one request. code is None where the connection ended without a result."""

    def __init__(self):
        self.code, self.matched, self.text, self.value, self.cookie = None, "", "", None, None
        self.entries, self.references, self.referrals = {}, [], []
        self.notice = self.closed = False
        self.tag = None

    def result(self, tag, content, trailing):
        parts = elements(content)
        self.tag, self.code = tag, int.from_bytes(parts[0][1], "big")
        self.matched, self.text = (part[1].decode(errors="replace") for part in parts[1:3])
        for kind, value in parts[3:]:
            if kind == 0xA3:
                self.referrals = [uri.decode() for _, uri in elements(value)]
            elif kind == 0x8A:
                self.notice = self.notice or value == NOTICE
            elif kind == 0x8B:
                self.value = value
        for kind, value in trailing:
            for _, one in elements(value) if kind == 0xA0 else []:
                fields = elements(one)
                if fields[0][1] == PAGED.encode():
                    self.cookie = elements(elements(fields[-1][1])[0][1])[1][1]

    @property
    def refused(self):
        """A code that is no success, or the end of the connection."""
        return self.closed or self.notice or self.code not in (None, 0)

    def names(self):
        """The values of the first RDN of each entry, sorted: "a,c"."""
        return ",".join(sorted(dn.split(",")[0].split("=", 1)[-1].lower() for dn in self.entries))

    def __repr__(self):
        return (f"<{self.code} {self.text[:200]!r} matched={self.matched!r} entries={self.names()[:60]!r}"
                f"{' notice' if self.notice else ''}{' closed' if self.closed else ''}>")


class Connection:
    def __init__(self, address, timeout=10, receive_buffer=None):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.settimeout(timeout)
        self.socket.connect(address)
        self.timeout, self.data, self.last_id = timeout, bytearray(), 0

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def next_id(self):
        self.last_id += 1
        return self.last_id

    def send(self, data):
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError) as error:
            raise Closed(str(error)) from error

    def message(self, timeout=None):
        """-> (id, tag, content, [what follows]). Raises Closed or Silence."""
        end = time.monotonic() + (self.timeout if timeout is None else timeout)
        while (found := take(self.data)) is None:
            left = end - time.monotonic()
            if left <= 0:
                raise Silence(f"{len(self.data)} octets of an answer came")
            self.socket.settimeout(left)
            try:
                more = self.socket.recv(262144)
            except socket.timeout as error:
                raise Silence(f"{len(self.data)} octets of an answer came") from error
            except ConnectionResetError as error:
                raise Closed("reset") from error
            finally:
                self.socket.settimeout(self.timeout)
            if not more:
                raise Closed(f"end of stream after {len(self.data)} octets")
            self.data += more
        _, content, size = found
        del self.data[:size]
        (_, message_id), (tag, body), *rest = elements(content)
        return int.from_bytes(message_id, "big", signed=True), tag, body, rest

    def replies(self, message_ids, timeout=None):
        """What comes for these requests, in whatever order; or the notice, or the end of the connection for all."""
        found = {message_id: Reply() for message_id in message_ids}
        while any(reply.code is None for reply in found.values()):
            try:
                got, tag, content, rest = self.message(timeout)
            except Closed:
                for reply in found.values():
                    reply.closed = reply.closed or reply.code is None
                break
            if got == 0:
                for reply in found.values():
                    if reply.code is None:
                        reply.result(tag, content, rest)
                break
            if got not in found:
                raise AssertionError(f"an answer for message {got} where {list(found)} wait")
            reply = found[got]
            if reply.code is not None:
                raise AssertionError(f"one more answer for message {got} behind its result")
            if tag == 0x64:
                dn, attributes = read_entry(content)
                assert dn not in reply.entries, f"{dn} came twice"
                reply.entries[dn] = attributes
            elif tag == 0x73:
                reply.references.append([uri.decode() for _, uri in elements(content)])
            elif tag != 0x79:
                reply.result(tag, content, rest)
        return [found[message_id] for message_id in message_ids]

    def reply(self, message_id, timeout=None):
        return self.replies([message_id], timeout)[0]

    def ask(self, operation, trailing=b"", timeout=None):
        message_id = self.next_id()
        try:
            self.send(message(message_id, operation, trailing))
        except Closed:
            pass  # what the server said before it closed is still to be read
        return self.reply(message_id, timeout)

    def raw(self, data, message_id=1, timeout=None):
        """Sends octets as they are."""
        try:
            self.send(data)
        except Closed:
            pass
        return self.reply(message_id, timeout)

    def ended(self, timeout):
        """Whether the server ends the connection in time; drops what comes before."""
        end = time.monotonic() + timeout
        try:
            while True:
                self.message(max(0.01, end - time.monotonic()))
        except Closed:
            return True
        except Silence:
            return False

    def half_close(self):
        self.socket.shutdown(socket.SHUT_WR)

    def reset(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def close(self):
        self.socket.close()
