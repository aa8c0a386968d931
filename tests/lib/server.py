"""Starts and ends a kaurid of its own, in a directory of its own, on a port the kernel chooses."""
import os
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time

ADMIN_PASSWORD = "admin-secret"
SUFFIX = "dc=example,dc=com"
ADMIN_DN = f"cn=admin,{SUFFIX}"


class Server:
    """One data directory; start(), stop() and kill() may follow each other as often as needed."""

    def __init__(self, bin_dir, arguments=(), config=None, data=None, program="kaurid", environment=None):
        """`data`: a directory that is kept; `environment`: variables on top of this process's own."""
        self.bin_dir = os.path.abspath(bin_dir)
        self.program = program
        self.environment = {**os.environ, **environment} if environment else None
        self.own = data is None
        self.root = tempfile.mkdtemp(prefix="kauri-test-") if data is None else data
        os.makedirs(self.root, exist_ok=True)
        self.data = os.path.join(self.root, "data")
        self.password_file = os.path.join(self.root, "admin.password")
        with open(os.open(self.password_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w",
                  encoding="ascii") as file:
            file.write(ADMIN_PASSWORD)
        self.arguments = list(arguments)
        if config is not None:
            path = os.path.join(self.root, "kauri.toml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(config)
            self.arguments += ["--config", path]
        self.process = None
        self.uri = None
        self.ready_seconds = None

    def start(self, wait_seconds=60):
        began = time.monotonic()
        self.log = open(os.path.join(self.root, "kaurid.log"), "ab")
        self.process = subprocess.Popen(
            [os.path.join(self.bin_dir, self.program), "--data", self.data, "--listen", "ldap://127.0.0.1:0", "--suffix",
             SUFFIX, "--admin-dn", ADMIN_DN, "--admin-password-file", self.password_file, *self.arguments],
            stdout=subprocess.PIPE, stderr=self.log, env=self.environment)
        line = b""
        while not line.endswith(b"\n"):
            left = wait_seconds - (time.monotonic() - began)
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise RuntimeError(f"kaurid was not ready within {wait_seconds} s: {self.errors()}")
            octet = os.read(self.process.stdout.fileno(), 1)
            if not octet:
                raise RuntimeError(f"kaurid ended with {self.process.wait()}: {self.errors()}")
            line += octet
        self.ready_seconds = time.monotonic() - began
        match = re.match(r"kaurid ready (.*)", line.decode())
        if not match:
            raise RuntimeError(f"unexpected first line: {line!r}")
        self.uris = match.group(1).split()
        self.uri = next(uri for uri in self.uris if uri.startswith("ldap://"))
        return self

    @property
    def running(self):
        return self.process is not None and self.process.poll() is None

    @property
    def pid(self):
        return self.process.pid

    def errors(self):
        with open(os.path.join(self.root, "kaurid.log"), encoding="utf-8", errors="replace") as file:
            return file.read()[-2000:]

    def _reap(self):
        code = self.process.wait(timeout=60)
        self.process.stdout.close()
        self.log.close()
        self.process = None
        return code

    def stop(self):
        if self.process is None:
            return 0
        self.process.send_signal(signal.SIGTERM)
        return self._reap()

    def kill(self):
        """-> how the process ended: -9, or what it did before the signal came."""
        self.process.kill()
        return self._reap()

    def tool(self, *arguments, **options):
        """Runs `kauri ARGUMENTS`; returns the completed process with text output."""
        return subprocess.run([os.path.join(self.bin_dir, "kauri"), *arguments], capture_output=True, text=True,
                              check=False, **options)

    def close(self):
        if self.process is not None:
            self.process.kill()
            self._reap()
        if self.own:
            shutil.rmtree(self.root, ignore_errors=True)

    def __enter__(self):
        return self.start()

    def __exit__(self, *exception):
        self.close()
