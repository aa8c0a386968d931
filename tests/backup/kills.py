"""SIGKILL in the middle of a backup, of a server that makes one, and of a restore."""
import os
import shutil
import subprocess
import threading
import time

from load import dump
from places import Tally, compare
from states import served

SERVE_EVERY = 5


def ended_early(command, seconds):
    """Starts a command and ends it after so long. -> (whether it had ended by itself, with success; its errors)"""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    # The end comes at a random moment, which is the point.
    threading.Event().wait(seconds)
    process.kill()
    errors = process.communicate()[1]
    return process.returncode == 0, errors


def timed(command):
    began = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: {done.stderr[-500:]}")
    return time.monotonic() - began


def whole_or_absent(tool, path, finished):
    """-> faults of the file that an ended backup left."""
    if not os.path.exists(path):
        return ["it had finished, and there is no file"] if finished else []
    done = tool.call("backup", "--check", path)
    return [] if done.returncode == 0 else [f"the file has its name and is not whole: {done.stderr.strip()[-300:]}"]


def of_backups(tool, load, sizes, chance):
    """While the writers write."""
    tally, kept = Tally(), 0
    command = tool.command("backup", "--data", load.server.data, "--to")
    seconds = timed([*command, tool.path("timed.backup")])
    for number in range(sizes.backup_kills):
        path = tool.path(f"killed-{number}.backup")
        finished, _errors = ended_early([*command, path], chance.uniform(0, seconds * 1.1))
        kept += finished
        found = whole_or_absent(tool, path, finished)
        if not found and not finished and not os.path.exists(path):
            timed([*command, path])     # what was left behind is no hindrance
            found = whole_or_absent(tool, path, True)
        if os.path.exists(path):
            os.unlink(path)
        tally.add(f"kill {number}", found)
    load.check()
    print(f"  {sizes.backup_kills} backups of {seconds:.2f} s ended under load, {kept} of them behind their end", flush=True)
    return tally


def of_servers(tool, load, sizes, chance):
    """Nobody writes; what the server had stays, and its client knows that it has no backup."""
    tally, before = Tally(), tool.path("before.ldif")
    command = tool.command("backup", "--data", load.server.data, "--to")
    seconds = timed([*command, tool.path("timed-2.backup")])
    dump(load.server.uri, before)
    for number in range(sizes.server_kills):
        path = tool.path(f"server-{number}.backup")
        client = subprocess.Popen([*command, path], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        threading.Event().wait(chance.uniform(0, seconds))
        load.server.kill()
        errors = client.communicate()[1]
        found = whole_or_absent(tool, path, client.returncode == 0)
        if client.returncode != 0 and not errors.startswith("kauri backup: "):
            found.append(f"the client ended with {client.returncode}: {errors[-300:]}")
        load.server.start()
        tally.add(f"server kill {number}", found)
    after = tool.path("after.ldif")
    dump(load.server.uri, after)
    tally.add("what the server has", compare(before, after))
    return tally


class Case:
    def __init__(self, name, old, arguments, new):
        self.name, self.old, self.arguments, self.new = name, old, arguments, new
        self.seconds = None


def of_restores(tool, load, sizes, chance):
    """The server is down. Into a database that is there, with and without changes, and where there is none."""
    tally, killed = Tally(), 0
    old_root, found = tool.restore(load.backups[0].path)
    new_root, more = tool.restore(load.whole.path)
    if found or more:
        tally.add("preparation", found + more)
        return tally
    old, new = tool.state(os.path.join(old_root, "data")), tool.state(os.path.join(new_root, "data"))
    through = ["--from", load.backups[0].path, "--changes", load.changes]
    late_root, found = tool.restore(load.backups[0].path, "--changes", load.changes)
    late = tool.state(os.path.join(late_root, "data"))
    cases = [Case("in place of another", (old_root, old), ["--force", "--from", load.whole.path], new),
             Case("in place of another, with changes", (old_root, old), ["--force", *through], late),
             Case("where there was none", (None, None), ["--from", load.whole.path], new)]
    for case in cases:
        case.seconds = timed(prepared(tool, case)[1])
    for number in range(sizes.restore_kills):
        case = cases[number % len(cases)]
        root, command = prepared(tool, case)
        finished, _errors = ended_early(command, chance.uniform(0, case.seconds * 1.1))
        killed += not finished
        found = judge(tool, case, root, finished)
        if not found and number % SERVE_EVERY == 0 and tool.state(os.path.join(root, "data")) is not None:
            found = served(tool, root)[1]
        if not found:
            found = again(tool, case, root, command)
        tally.add(f"kill {number}, {case.name}", found)
        shutil.rmtree(root)
    print(f"  {killed} restores ended at work, {sizes.restore_kills - killed} behind their end", flush=True)
    control = Case("control", (None, old), [], new.replace("\n", "\nx: y\n", 1))
    tally.control("a database that is neither", judge(tool, control, new_root, False))
    return tally


def prepared(tool, case):
    """-> (a place in the old state, the command)"""
    root = tool.place()
    data = os.path.join(root, "data")
    if case.old[0] is not None:
        shutil.copytree(os.path.join(case.old[0], "data"), data)
    return root, tool.command("restore", "--data", data, *case.arguments)


def judge(tool, case, root, finished):
    state = tool.state(os.path.join(root, "data"))
    if state == case.new or (state == case.old[1] and not finished):
        return []
    return [f"{'it had finished, and ' if finished else ''}the database is neither the old one nor the new: "
            f"{(state or 'none')[:200]}"]


def again(tool, case, root, command):
    """What was left behind is no hindrance, and does not stay."""
    command = [*command, *([] if "--force" in command else ["--force"])]
    timed(command)
    found = judge(tool, case, root, True)
    left = [name for name in os.listdir(os.path.join(root, "data", "db")) if name.endswith(".tmp")]
    return found + [f"{name} stays behind" for name in left]
