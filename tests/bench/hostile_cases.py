"""`kauri bench` against servers that break the protocol: it names what they did, and always ends."""
import itertools
import socket
import threading
import time
import unittest

from world import bench, result

SEARCH_DONE = 0x65
BIND_DONE = 0x61
STALL = 0.2


def message(message_id, tag, body=b"\x0a\x01\x00\x04\x00\x04\x00"):
    content = b"\x02\x04" + message_id.to_bytes(4, "big") + bytes([tag, len(body)]) + body
    return bytes([0x30, len(content)]) + content


def entry(message_id):
    return message(message_id, 0x64, b"\x04\x04cn=x\x30\x00")


def id_of(request):
    """The message ID of the request at the head of these octets; the client's own have four octets."""
    at = 2 if request[1] < 0x80 else 2 + (request[1] & 0x7F)
    size = request[at + 1]
    return int.from_bytes(request[at + 2:at + 2 + size], "big")


class Hostile:
    """Answers each request of each connection by `answer(message id)`: octets, or None to close."""

    def __init__(self, answer, probes=1):
        self.answer = answer
        self.probes = probes  # connections at the start that only ask for the root DSE
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.uri = f"ldap://127.0.0.1:{self.listener.getsockname()[1]}"
        self.threads = []
        self.accepting = threading.Thread(target=self.accept)
        self.accepting.start()

    def accept(self):
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            probe = self.probes > 0
            self.probes -= 1
            thread = threading.Thread(target=self.serve, args=(peer, probe))
            thread.start()
            self.threads.append(thread)

    def serve(self, peer, probe):
        with peer:
            try:
                while request := peer.recv(65536):
                    octets = message(id_of(request), SEARCH_DONE) if probe else self.answer(id_of(request))
                    if octets is None:
                        return
                    peer.sendall(octets)
            except OSError:
                return

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.accepting.join()
        for thread in self.threads:
            thread.join()


class Servers(unittest.TestCase):
    SEARCH = ["search", "--range", "0:99"]
    # Where silence is what is tried; elsewhere a busy machine has its time.
    IMPATIENT = [*SEARCH, "--timeout", 1]

    def test_what_they_do_is_named(self):
        table = {
            "closes": (lambda i: None, "lost", "the server closed the connection"),
            "garbage": (lambda i: b"HTTP/1.1 200 OK\r\n\r\n", "broken_answer", "not an LDAP message"),
            "indefinite length": (lambda i: b"\x30\x80\x02\x01\x01\x00\x00", "broken_answer", "not an LDAP message"),
            "two gigabytes": (lambda i: b"\x30\x84\x7f\xff\xff\xff", "broken_answer", "not an LDAP message"),
            "wrong id": (lambda i: message(i + 1, SEARCH_DONE), "broken_answer", "which no request waits for"),
            "another answer": (lambda i: message(i, BIND_DONE), "broken_answer", "protocolOp tag 1 instead of 5"),
            "too many entries": (lambda i: entry(i) * 500 + message(i, SEARCH_DONE), "wrong_entries",
                                 "returned 500 entries; 1 were expected"),
            "no entry": (lambda i: message(i, SEARCH_DONE), "wrong_entries", "returned 0 entries"),
            "silence": (lambda i: b"", "no_answer", "no answer within 1"),
            "half a message": (lambda i: message(i, SEARCH_DONE)[:5], "no_answer", "no answer within 1"),
            "the end": (lambda i: message(0, 0x78, b"\x0a\x01\x34\x04\x00\x04\x04gone"), "lost", "unavailable (gone)"),
        }
        for name, (answer, counter, words) in table.items():
            for more in ([], ["--reconnect"], ["--rate", "50", "--connections", "2"]):
                with self.subTest(server=name, more=more), Hostile(answer, probes=1 + ("--reconnect" in more)) as server:
                    search = self.IMPATIENT if counter == "no_answer" else self.SEARCH
                    found = result(*search, "--uri", server.uri, "--expect-entries", 1, "--max-errors", 2,
                                   "--duration", 30, *more, status=1)
                    self.assertGreater(found["errors"][counter], 0, found["errors"])
                    self.assertIn(words, found["errors"]["first"])

    def test_each_request_is_one_error(self):
        table = {"broken_answer": lambda i: b"HTTP/1.1 200 OK\r\n\r\n", "no_answer": lambda i: b"", "lost": lambda i: None}
        for counter, answer in table.items():
            with self.subTest(counter=counter), Hostile(answer) as server:
                found = result(*self.IMPATIENT, "--uri", server.uri, "--duration", 30, status=1)
                self.assertEqual((found["errors"][counter], found["errors"]["total"]), (1, 1), found["errors"])

    def test_a_run_that_ends_early_says_so(self):
        answered = iter(range(20))

        def answer(i):
            return message(i, SEARCH_DONE) if next(answered, None) is not None else None
        with Hostile(answer) as server:
            found = result(*self.SEARCH, "--uri", server.uri, "--duration", 600, status=1)
        self.assertEqual((found["operations"], found["connections_lost"]), (20, 1))
        self.assertLess(found["seconds"], 300)
        self.assertRegex("\n".join(found["warnings"]),
                         r"the run ended early, after 20 operations in \d+\.\d{3} s instead of 600 s: no connection was left")
        # One connection of two: the other goes on to the end, with less load than was asked for.
        numbers = itertools.count()
        with Hostile(lambda i: message(i, SEARCH_DONE) if next(numbers) else None) as server:
            found = result(*self.SEARCH, "--uri", server.uri, "--duration", 0.3, "--connections", 2, status=1)
        self.assertEqual((found["connections_lost"], found["errors"]["total"]), (1, 1))
        self.assertIn("1 of 2 connections were lost and not made again", found["warnings"][-1])
        # Each operation makes its own connection: nothing is lost for good.
        numbers = itertools.count()
        with Hostile(lambda i: message(i, SEARCH_DONE) if next(numbers) else None, probes=2) as server:
            found = result(*self.SEARCH, "--uri", server.uri, "--count", 10, "--reconnect", status=1)
        self.assertEqual((found["connections_lost"], found["operations"]), (0, 9))

    def test_answers_that_come_twice(self):
        with Hostile(lambda i: message(i, SEARCH_DONE) * 2) as server:
            found = result(*self.SEARCH, "--uri", server.uri, "--count", 10, status=1)
            self.assertEqual(found["errors"]["broken_answer"], 1)
        with Hostile(lambda i: message(i, SEARCH_DONE) * 2, probes=2) as server:
            found = result(*self.SEARCH, "--uri", server.uri, "--count", 3, "--reconnect", status=1)
            self.assertIn("more messages followed", found["errors"]["first"])

    def test_a_stream_of_entries_without_an_end(self):
        def endless(i):
            return entry(i) * 200_000
        with Hostile(endless) as server:
            found = result(*self.IMPATIENT, "--uri", server.uri, "--count", 5, status=1)
            self.assertEqual(found["errors"]["no_answer"], 1, found["errors"])

    def test_a_bind_that_is_refused_or_not_answered(self):
        refused = b"\x0a\x01\x31\x04\x00\x04\x05go on"
        with Hostile(lambda i: message(i, BIND_DONE, refused)) as server:
            for more in ([], ["--reconnect"]):
                code, out, err = bench(*self.SEARCH, "--uri", server.uri, "--bind-dn", "cn=x", *more)
                server.probes = 1
                self.assertEqual((code, out), (1, ""))
                self.assertIn("the bind as 'cn=x' was answered with invalidCredentials (go on)", err)
        for answer in (lambda i: b"", lambda i: None, lambda i: b"\xff" * 100):
            with Hostile(answer) as server:
                code, out, err = bench(*self.IMPATIENT, "--uri", server.uri, "--bind-dn", "cn=x")
                self.assertEqual((code, out), (1, ""))
                self.assertIn("bind", err)

    def test_a_root_dse_that_is_kept_back_changes_nothing(self):
        with Hostile(lambda i: message(i, SEARCH_DONE), probes=0) as server:
            self.assertEqual(result(*self.SEARCH, "--uri", server.uri, "--count", 10)["operations"], 10)
        refused = b"\x0a\x01\x32\x04\x00\x04\x00"
        answers = iter([message(1, SEARCH_DONE, refused)])
        with Hostile(lambda i: next(answers, None) or message(i, SEARCH_DONE), probes=0) as server:
            found = result(*self.SEARCH, "--uri", server.uri, "--count", 10)
            self.assertEqual(found["server_software"], {"vendor": "", "version": ""})

    def test_a_stall_shows_in_the_open_loop_only(self):
        """A server that does nothing for 0.2 s: 100 of 1,000 requests were due meanwhile, or one was on its way."""
        def answers():
            for number in itertools.count():
                if number == 300:
                    time.sleep(STALL)
                yield
        p99 = {}
        for loop, more in (("closed", []), ("open", ["--rate", 500])):
            served = answers()
            with Hostile(lambda i, served=served: next(served) or message(i, SEARCH_DONE)) as server:
                found = result(*self.SEARCH, "--uri", server.uri, "--count", 1000, *more)
            self.assertEqual(found["operations"], 1000)
            self.assertGreaterEqual(found["latency_us"]["max"], STALL * 1e6)
            p99[loop] = found["latency_us"]["p99"]
        # Those due in the first half of the stall, 5 % of all, have waited for half of it and more.
        self.assertGreaterEqual(p99["open"], STALL / 2 * 1e6)
        # Ten of the closed loop's 1,000 requests would have to be as slow.
        self.assertLess(p99["closed"], STALL / 2 * 1e6)

    def test_nobody_is_there(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            uri = f"ldap://127.0.0.1:{listener.getsockname()[1]}"
        for more in ([], ["--reconnect"], ["--find-max", "--slo", "p99=1ms"]):
            code, out, err = bench(*self.SEARCH, "--uri", uri, *more)
            self.assertEqual((code, out), (1, ""))
            self.assertIn(f"cannot connect to {uri}", err)
