"""A fresh Debian in a folder, and the stand-in for systemd that starts its units."""
import contextlib
import glob
import os
import re
import shlex
import shutil
import socket
import subprocess
import threading
import time

from newcomer.guide import WAIT_SECONDS, as_documented, fail

PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Services(threading.Thread):
    """The stand-in for systemd: it answers `systemctl`, a script in the Debian, through two pipes."""

    SCRIPT = """#!/bin/sh
exec 9>/run/systemctl/lock
flock 9
printf '%s\\n' "$*" >/run/systemctl/ask
{ read -r status; cat; exit "$status"; } </run/systemctl/answer
"""

    def __init__(self, debian):
        super().__init__(daemon=True)
        self.debian, self.running, self.notices = debian, {}, {}
        os.makedirs(debian.path("/run/systemctl"))
        # The scripts of packages ask systemctl only if this folder is there.
        os.makedirs(debian.path("/run/systemd/system"))
        self.pipes = [debian.path(f"/run/systemctl/{name}") for name in ("ask", "answer")]
        for pipe in self.pipes:
            os.mkfifo(pipe)
        debian.write("/usr/bin/systemctl", self.SCRIPT, 0o755)
        debian.write("/usr/bin/journalctl", '#!/bin/sh\nexec cat "/run/systemctl/$2.log"\n', 0o755)
        self.start()

    def run(self):
        while True:
            with open(self.pipes[0], encoding="utf8") as asked:
                words = asked.read().split()
            try:
                status, text = self.answer(words)
            except (Exception, SystemExit) as error:  # The script waits for an answer.
                status, text = 1, f"{type(error).__name__}: {error}\n"
            with open(self.pipes[1], "w", encoding="utf8") as answer:
                answer.write(f"{status}\n{text}")

    def answer(self, words):
        """What systemctl does: its status and its text."""
        verb, *units = [word for word in words if not word.startswith("-")]
        if verb in ("daemon-reload", "unmask", "reset-failed"):
            return 0, ""
        for unit in (unit.removesuffix(".service") for unit in units):
            wanted = self.debian.path(f"/etc/systemd/system/multi-user.target.wants/{unit}.service")
            if verb == "is-enabled":
                return (0, "enabled\n") if os.path.islink(wanted) else (1, "disabled\n")
            if verb == "is-active":
                return (0, "active\n") if unit in self.running else (3, "inactive\n")
            if verb not in ("enable", "preset", "start", "stop", "restart", "reload"):
                return 1, f"the stand-in for systemctl does not know: {' '.join(words)}\n"
            # Debian enables all services that are installed.
            if verb in ("enable", "preset") and not os.path.islink(wanted):
                os.makedirs(os.path.dirname(wanted), exist_ok=True)
                os.symlink(self.unit_file(unit), wanted)
            if verb == "reload":
                command = self.read_unit(unit)["ExecReload"].replace("$MAINPID", str(self.running[unit].pid))
                self.debian.run("sh", "-c", command)
            if verb in ("stop", "restart") and unit in self.running:
                self.stop(unit)
            if verb in ("start", "restart") or (verb == "enable" and "--now" in words):
                if unit not in self.running:
                    self.begin(unit)
        return 0, ""

    def unit_file(self, unit):
        folders = ("/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system")
        return next(f"{folder}/{unit}.service" for folder in folders
                    if os.path.isfile(self.debian.path(f"{folder}/{unit}.service")))

    def read_unit(self, unit):
        text = open(self.debian.path(self.unit_file(unit)), encoding="utf8").read()
        return dict(re.findall(r"^(\w+)=(.*)$", text, re.M))

    def begin(self, unit):
        """Starts the program of a unit, and waits until it is ready."""
        says = self.read_unit(unit)
        user, group = says.get("User", "root"), says.get("Group", "root")
        if folder := says.get("StateDirectory"):
            path = f"/var/lib/{folder}"
            if not os.path.exists(self.debian.path(path)):
                self.debian.run("install", "-d", "-m", says["StateDirectoryMode"], "-o", user, "-g", group, path)
        words = ["setpriv", f"--reuid={user}", f"--regid={group}", "--init-groups"]
        if says.get("NoNewPrivileges") == "yes":
            words.append("--no-new-privs")
        if capabilities := says.get("AmbientCapabilities"):
            names = ",".join("+" + name.removeprefix("CAP_").lower() for name in capabilities.split())
            words += [f"--inh-caps={names}", f"--ambient-caps={names}"]
        address = f"fivefold-hour-{os.getpid()}-{unit}"
        # It stays open, because the program says later that it stops.
        notices = self.notices[unit] = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notices.bind("\0" + address)
        notices.settimeout(0.2)
        home = self.debian.run("getent", "passwd", user).split(":")[5]
        program = self.debian.start(
            [*words, "env", "-i", PATH, f"HOME={home}",
             f"NOTIFY_SOCKET=@{address}", *shlex.split(says["ExecStart"])],
            stdin=subprocess.DEVNULL, stdout=open(self.debian.path(f"/run/systemctl/{unit}.log"), "ab"),
            stderr=subprocess.STDOUT, umask=int(says.get("UMask", "022"), 8))
        self.running[unit] = program
        ends_at = time.monotonic() + WAIT_SECONDS
        is_ready = says.get("Type") == "forking" and program.wait(WAIT_SECONDS) == 0
        while not is_ready and program.poll() is None and time.monotonic() < ends_at:
            with contextlib.suppress(TimeoutError):
                is_ready = b"READY=1" in notices.recv(4096)
        if not is_ready:
            self.running.pop(unit)
            self.notices.pop(unit).close()
            raise RuntimeError(f"{unit} is not ready")

    def stop(self, unit):
        program, says = self.running.pop(unit), self.read_unit(unit)
        if command := says.get("ExecStop"):
            self.debian.run("sh", "-c", command.removeprefix("-"))
            self.notices.pop(unit).close()
            return
        program.terminate()
        status = program.wait(int(says["TimeoutStopSec"].removesuffix("s")))
        self.notices.pop(unit).close()
        if status:
            raise RuntimeError(f"{unit} ended with status {status}")


class Debian:
    """A fresh Debian in a folder, with the artefacts in /root/target/dist."""

    def __init__(self, folder, base, dist):
        self.root, self.folder = os.path.join(folder, "debian"), "/root"
        subprocess.run(["cp", "--archive", base, self.root], check=True)
        subprocess.run(["mount", "-t", "proc", "proc", self.path("/proc")], check=True)
        shutil.copytree(dist, self.path("/root/target/dist"), ignore=shutil.ignore_patterns("image"))
        self.write("/etc/hosts", f"127.0.0.1 localhost {socket.gethostname()}\n::1 localhost\n")
        self.services = Services(self)

    def path(self, path):
        return self.root + path

    def write(self, path, text, mode=0o644):
        with open(self.path(path), "w", encoding="utf8") as file:
            file.write(text)
        os.chmod(self.path(path), mode)

    def start(self, words, variables=(), **how):
        return subprocess.Popen(["chroot", self.root, "/usr/bin/env", "-i", PATH, "HOME=/root", "LANG=C.UTF-8",
                                 *variables, *words], **how)

    def run(self, *words, status=0):
        """Runs a command; what it said."""
        program = self.start(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        # apt-get asks whether it should go on.
        said = program.communicate("y\n", timeout=10 * WAIT_SECONDS)[0]
        if program.returncode != status:
            fail(f"{' '.join(words)}\n  ended with status {program.returncode}; it said:\n{said}")
        return said

    def play(self, command, replaced=(), status=0):
        """Runs a command of the guide for operators, in the folder where the last one ended."""
        text = as_documented(command, replaced)
        script = 'cd "$1"; eval "$2"; status=$?; pwd >/run/folder; exit $status'
        said = self.run("bash", "-c", script, "bash", self.folder, text, status=status)
        self.folder = open(self.path("/run/folder"), encoding="utf8").read().strip()
        return said

    def stat_of(self, path):
        return self.run("stat", "--format=%a %U:%G", path).strip()

    def log(self):
        return self.run("journalctl", "--unit", "fivefold-server")

    def names(self, pattern):
        """The files that have such a name."""
        return [path.removeprefix(self.root) for path in glob.glob(self.path(pattern))]
