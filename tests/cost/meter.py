"""What one request costs a server: processor time, memory, and how long it keeps the others waiting.

Processor time and not time of day: the machine may be busy with other things. The clock of a process counts all its threads
to the nanosecond, and the busiest thread is told by schedstat, since /proc/PID/stat counts in ticks of 10 ms.
"""
import os
import re
import threading
import time


def process_nanos(pid):
    """Nanoseconds of processor time of all threads, the running ones included (the process's own CPU clock)."""
    return time.clock_gettime_ns((~pid << 3) | 2)


def thread_nanos(pid):
    """Nanoseconds that each thread has run, by its number; of one that runs now, up to its last tick."""
    found = {}
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="ascii") as file:
                found[thread] = int(file.read().split()[0])
        except FileNotFoundError:
            continue
    return found


def thread_name(pid, thread):
    try:
        with open(f"/proc/{pid}/task/{thread}/comm", encoding="ascii") as file:
            return file.read().strip()
    except FileNotFoundError:
        return "ended"


def running(pid):
    """Whether any thread runs or wants to."""
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/stat", encoding="ascii") as file:
                if file.read().rsplit(")", 1)[1].split()[0] in "RD":
                    return True
        except FileNotFoundError:
            continue
    return False


def settled_nanos(pid, patience=60.0):
    """The same once the server rests: a thread that still runs has not been charged yet."""
    end = time.monotonic() + patience
    before = None
    while time.monotonic() < end:
        if not running(pid):
            now = thread_nanos(pid)
            if now == before:
                return now
            before = now
        time.sleep(0.001)
    return thread_nanos(pid)


def status_octets(pid, name):
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        return int(re.search(rf"{name}:\s+(\d+)", file.read()).group(1)) * 1024


def forget_peak(pid):
    """From now on VmHWM is the peak since here."""
    with open(f"/proc/{pid}/clear_refs", "w", encoding="ascii") as file:
        file.write("5")


class Cost:
    """Of one request: seconds of all threads, of the busiest worker, of the writer; octets of memory at the peak above the
    state before; what the client saw."""

    def __init__(self, total, worker, writer, memory, reply):
        self.total, self.worker, self.writer, self.memory, self.reply = total, worker, writer, memory, reply

    def best_of(self, other):
        """The less time, since what is above it is noise of the machine; the more memory, since a second time finds what the
        first gave back."""
        if other is None:
            return self
        return Cost(min(self.total, other.total), min(self.worker, other.worker), min(self.writer, other.writer),
                    max(self.memory, other.memory), self.reply)


def measure(pid, ask):
    """ask() -> reply."""
    before = settled_nanos(pid)
    forget_peak(pid)
    memory = status_octets(pid, "VmHWM")
    began = process_nanos(pid)
    reply = ask()
    after = settled_nanos(pid)
    total = process_nanos(pid) - began
    spent = {}
    for thread, nanos in after.items():
        name = thread_name(pid, thread)
        spent[name] = max(spent.get(name, 0), nanos - before.get(thread, 0))
    return Cost(total / 1e9, spent.get("kauri-worker", 0) / 1e9, spent.get("kauri-writer", 0) / 1e9,
                max(0, status_octets(pid, "VmHWM") - memory), reply)


class Canary(threading.Thread):
    """Somebody else on the same worker, who asks again and again. `held`: the most processor time of the server that went
    between a request and its answer, which is how long a worker was not given back."""

    def __init__(self, pid, connection, operation):
        super().__init__(daemon=True)
        self.pid, self.connection, self.operation = pid, connection, operation
        self.end, self.held, self.asked = threading.Event(), 0.0, 0

    def run(self):
        while not self.end.is_set():
            began = process_nanos(self.pid)
            self.connection.ask(self.operation, timeout=120)
            self.held = max(self.held, (process_nanos(self.pid) - began) / 1e9)
            self.asked += 1
            time.sleep(0.0005)

    def __enter__(self):
        self.start()
        while self.asked < 3:  # it runs
            time.sleep(0.001)
        self.held = 0.0
        return self

    def __exit__(self, *exception):
        self.end.set()
        self.join()
