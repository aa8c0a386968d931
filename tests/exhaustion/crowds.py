"""Crowds of clients, as cheap here as can be: plain sockets of which nobody reads what comes."""
import contextlib
import random
import selectors
import socket
import struct
import threading
import time

import wire


class Crowd:
    """Sockets that are opened quickly. Source addresses vary, so that ports last for a churn."""

    def __init__(self, address):
        self.address, self.sockets, self.opened = address, [], 0

    def open(self, octets=b"", receive_buffer=None):
        one = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        if receive_buffer:
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.opened += 1
        one.bind((f"127.0.{1 + self.opened % 200}.{1 + self.opened // 200 % 200}", 0))
        one.settimeout(10)
        one.connect(self.address)
        if octets:
            one.sendall(octets)
        self.sockets.append(one)
        return one

    def receive_each(self, size):
        """Waits until so many octets came on each socket."""
        for one in self.sockets:
            got = 0
            while got < size:
                part = one.recv(size - got)
                if not part:
                    raise AssertionError("a connection of the crowd ended")
                got += len(part)

    def ended(self, within):
        """How many the server ends in time; what comes before is thrown away."""
        end, count = time.monotonic() + within, 0
        with selectors.DefaultSelector() as waiting:
            for one in self.sockets:
                one.setblocking(False)
                waiting.register(one, selectors.EVENT_READ)
            while waiting.get_map() and time.monotonic() < end:
                for key, _ in waiting.select(max(0.0, end - time.monotonic())):
                    with contextlib.suppress(BlockingIOError):
                        try:
                            if key.fileobj.recv(65536):
                                continue
                        except ConnectionError:
                            pass
                        count += 1
                        waiting.unregister(key.fileobj)
        return count

    def close(self, reset_share=0.0, generator=random.Random(0)):
        for one in self.sockets:
            if generator.random() < reset_share:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            one.close()
        self.sockets.clear()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


class SlowWriters(threading.Thread):
    """Keeps a crowd writing one octet each every `seconds`; a message each that is longer than they will ever get."""

    def __init__(self, crowd, seconds):
        super().__init__(daemon=True)
        self.crowd, self.seconds, self.end, self.lost = crowd, seconds, threading.Event(), 0
        self.data = wire.message(1, wire.search("", wire.BASE, attributes=["x" * 100] * 100))

    def run(self):
        position, waited = 0, 0.0
        while not self.end.wait(waited):
            began = time.monotonic()
            for one in self.crowd.sockets:
                try:
                    one.send(self.data[position:position + 1])
                except OSError:
                    self.lost += 1
            position += 1
            waited = max(0.0, self.seconds - (time.monotonic() - began))

    def stop(self):
        self.end.set()
        self.join()


def kernel_socket_memory():
    """Octets that the kernel holds for all TCP sockets of this machine."""
    with open("/proc/net/sockstat", encoding="ascii") as file:
        for line in file:
            if line.startswith("TCP:"):
                return int(line.split()[-1]) * 4096
    return 0
