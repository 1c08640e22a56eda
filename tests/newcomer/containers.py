"""Podman, where the guide for operators has Docker."""
import os
import re
import shutil
import subprocess

from newcomer.guide import as_documented, fail


class Containers:
    """Podman in place of Docker, with storage of its own, which needs no special file system."""

    def __init__(self, folder, dist):
        self.folder = os.path.join(folder, "checkout")
        os.makedirs(f"{self.folder}/target")
        os.makedirs(f"{self.folder}/bin")
        os.symlink(dist, f"{self.folder}/target/dist")
        # crun does not support old control groups.
        runtime = "--runtime runc" if shutil.which("runc", path=os.environ["PATH"] + ":/usr/sbin") else ""
        with open(f"{self.folder}/bin/docker", "w", encoding="utf8") as script:
            script.write(f"""#!/bin/sh
command=$1
shift
[ "$command" = build ] && set -- --quiet --isolation chroot --format docker "$@"
exec podman --root {folder}/containers --runroot {folder}/containers-run --storage-driver vfs \\
    --cgroup-manager cgroupfs --events-backend file {runtime} "$command" "$@"
""")
        os.chmod(f"{self.folder}/bin/docker", 0o755)

    def run(self, text):
        """Runs a command; whether it succeeded, and what it said. Podman complains that it finds no systemd."""
        path = f"{self.folder}/bin:{os.environ['PATH']}:/usr/sbin"
        done = subprocess.run(["bash", "-c", text], cwd=self.folder, env=os.environ | {"PATH": path}, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode == 0, done.stdout

    def play(self, command, replaced=()):
        """Runs a command of the guide for operators; what it said."""
        is_done, said = self.run(as_documented(command, replaced))
        if not is_done:
            fail(f"{command}\n  said:\n{said}")
        return said

    def gateway(self):
        """The address from which a container sees this machine."""
        return re.search(r'"gateway": "([^"]+)"', self.run("docker network inspect podman")[1])[1]
