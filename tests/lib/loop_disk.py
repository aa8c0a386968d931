"""A file system of its own in a file, which can be cut off as by a power failure."""
import array
import fcntl
import os
import shutil
import subprocess
import time

SHUTDOWN = 0x8004587D       # EXT4_IOC_SHUTDOWN; XFS_IOC_GOINGDOWN has the same number
WITHOUT_LOG_FLUSH = 2       # what is not on the disk is gone, the journal's last transaction too
UNMOUNT_SECONDS_MAX = 20
SIZES = {"ext4": 256 << 20, "xfs": 400 << 20}


def impossible(kind):
    """Why there can be no such disk here; None when there can."""
    if os.geteuid() != 0:
        return "a loop mount needs root"
    for program in (f"mkfs.{kind}", "mount", "umount"):
        if shutil.which(program, path=os.environ["PATH"] + ":/sbin:/usr/sbin") is None:
            return f"there is no {program}"
    if not os.path.exists("/dev/loop-control"):
        return "there are no loop devices"
    return None


class LoopDisk:
    """Mounted at `mount_point`. The file lies in `directory`, best one in memory."""

    def __init__(self, directory, mount_point, kind="ext4"):
        self.file = os.path.join(directory, "disk")
        self.mount_point = mount_point
        self.kind = kind
        self.mounted = False
        os.makedirs(mount_point, exist_ok=True)

    def make(self):
        """An empty one, whatever was there before."""
        self.unmount()
        with open(self.file, "wb") as file:
            file.truncate(SIZES[self.kind])
        self._run(f"mkfs.{self.kind}", *(["-q", "-F"] if self.kind == "ext4" else ["-q", "-f"]), self.file)
        self.mount()

    def mount(self):
        self._run("mount", "-t", self.kind, "-o", "loop", self.file, self.mount_point)
        self.mounted = True

    def unmount(self):
        if not self.mounted:
            return
        ending = time.monotonic() + UNMOUNT_SECONDS_MAX
        while True:
            try:
                self._run("umount", self.mount_point)
                break
            except RuntimeError:
                if time.monotonic() > ending:
                    raise
        self.mounted = False

    def sync(self):
        """All that was written is on the disk."""
        os.sync()

    def cut(self):
        """The power fails: what is not on the disk by now never will be. Everything that uses it gets errors."""
        descriptor = os.open(self.mount_point, os.O_RDONLY)
        try:
            fcntl.ioctl(descriptor, SHUTDOWN, array.array("I", [WITHOUT_LOG_FLUSH]))
        finally:
            os.close(descriptor)

    def power_on(self):
        """After cut(), when nobody uses it any more: mounted again, which replays the journal."""
        self.unmount()
        self.mount()

    def close(self):
        self.unmount()
        if os.path.exists(self.file):
            os.remove(self.file)

    @staticmethod
    def _run(*command):
        environment = {**os.environ, "PATH": os.environ["PATH"] + ":/sbin:/usr/sbin"}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
