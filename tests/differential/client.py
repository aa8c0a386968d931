"""A client that asks much at once and reads answers as octets: what is in an entry is looked at only when it is new."""
import os
import socket
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "hostile"))

import wire  # noqa: E402

CLOSED = -1  # as a code: the server ended the connection


class Answer:
    """What came for one request. entries: the octets of each SearchResultEntry's content."""

    __slots__ = ("code", "matched", "text", "entries", "references", "referrals", "tag", "value")

    def __init__(self):
        self.code, self.matched, self.text, self.tag, self.value = None, b"", b"", None, None
        self.entries, self.references, self.referrals = [], [], []

    def __repr__(self):
        text = self.text.decode("utf-8", "replace")
        return (f"code {self.code} matched {self.matched!r} \"{text[:300]}\" {len(self.entries)} entries "
                f"{len(self.references)} references {self.referrals if self.referrals else ''}")


def _element(data, at):
    """-> (tag, begin of the content, end of it)"""
    size = data[at + 1]
    begin = at + 2
    if size & 0x80:
        count = size & 0x7F
        size = int.from_bytes(data[begin:begin + count], "big")
        begin += count
    return data[at], begin, begin + size


class Session:
    """One connection. address: a path, or (host, port)."""

    def __init__(self, address, timeout=60):
        family = socket.AF_UNIX if isinstance(address, str) else socket.AF_INET
        self.socket = socket.socket(family, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        self.socket.connect(address)
        if family == socket.AF_INET:
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.data, self.last_id, self.closed = bytearray(), 0, False

    def send(self, operations):
        """operations: (operation, controls or b"") each. -> their message ids"""
        ids, out = [], []
        for operation, controls in operations:
            self.last_id += 1
            ids.append(self.last_id)
            out.append(wire.message(self.last_id, operation, controls))
        try:
            self.socket.sendall(b"".join(out))
        except (BrokenPipeError, ConnectionResetError):
            self.closed = True
        return ids

    def receive(self, ids):
        """-> an Answer for each id"""
        answers = {one: Answer() for one in ids}
        waiting = len(ids)
        while waiting and not self.closed:
            at, data = 0, self.data
            while (end := self._whole(at)) is not None:
                waiting -= self._take(bytes(data[at:end]), answers)
                at = end
            del data[:at]
            if waiting:
                self._read_more()
        for answer in answers.values():
            if answer.code is None:
                answer.code = CLOSED
        return [answers[one] for one in ids]

    def ask(self, operation, controls=b""):
        return self.receive(self.send([(operation, controls)]))[0]

    def close(self):
        self.socket.close()

    def _whole(self, at):
        """-> where the message at `at` ends, or None while octets are missing"""
        data = self.data
        left = len(data) - at
        if left < 2 or (data[at + 1] & 0x80 and left < 2 + (data[at + 1] & 0x7F)):
            return None
        _, _, end = _element(data, at)
        return end if end <= len(data) else None

    def _read_more(self):
        try:
            more = self.socket.recv(1 << 18)
        except ConnectionResetError:
            more = b""
        if not more:
            self.closed = True
        self.data += more

    @staticmethod
    def _take(message, answers):
        """-> 1 when it was a result"""
        _, at, end = _element(message, 0)
        _, id_begin, id_end = _element(message, at)
        message_id = int.from_bytes(message[id_begin:id_end], "big", signed=True)
        tag, begin, stop = _element(message, id_end)
        if message_id == 0:
            return 0
        answer = answers[message_id]
        if answer.code is not None:
            raise AssertionError(f"one more answer for message {message_id} behind its result")
        if tag == 0x64:
            answer.entries.append(message[begin:stop])
            return 0
        if tag == 0x73:
            answer.references.append(message[begin:stop])
            return 0
        if tag == 0x79:
            return 0
        answer.tag = tag
        _, a, b = _element(message, begin)
        answer.code = int.from_bytes(message[a:b], "big")
        _, a, b = _element(message, b)
        answer.matched = message[a:b]
        _, a, b = _element(message, b)
        answer.text = message[a:b]
        while b < stop:
            kind, a, b = _element(message, b)
            if kind == 0xA3:
                answer.referrals = [uri for _, uri in wire.elements(message[a:b])]
            elif kind == 0x8B:
                answer.value = message[a:b]
        return 1
