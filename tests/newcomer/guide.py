"""The guide for operators, whose commands a newcomer runs, and the stop watch."""
import contextlib
import importlib.machinery
import importlib.util
import re
import sys
import time

WAIT_SECONDS = 60

loader = importlib.machinery.SourceFileLoader("documented_commands", "tests/documented-commands")
documented_commands = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(documented_commands)
GUIDE = [path for path in documented_commands.DOCUMENTS if path.startswith("docs/operating/")]
TEXT = re.sub(r"\s*\\?\s+", " ", " ".join(open(path, encoding="utf8").read() for path in GUIDE))
# The commands that ran, and how long each step of each way took.
played = set()
times = []


def fail(text):
    sys.exit(f"newcomers-hour: FAILED: {text}")


def check(is_so, text):
    if not is_so:
        fail(text)
    print(f"    ok: {text}", flush=True)


def wait_until(is_so, text):
    """Waits until something is so."""
    ends_at = time.monotonic() + WAIT_SECONDS
    while not is_so():
        if time.monotonic() > ends_at:
            fail(f"after {WAIT_SECONDS} s not so: {text}")
        time.sleep(0.1)


@contextlib.contextmanager
def step(way, text):
    """One step of a newcomer, with a stop watch."""
    begun = time.monotonic()
    print(f"-- {way}: {text}", flush=True)
    yield
    times.append((way, time.monotonic() - begun, text))
    print(f"{times[-1][1]:7.1f} s  {way}: {text}", flush=True)


def as_documented(command, replaced=()):
    """A command that stands in the guide, with other words here in place of some."""
    if re.sub(r"\s+", " ", command) not in TEXT:
        fail(f"this command is not in docs/operating: {command}")
    played.add(command)
    for shown, real in replaced:
        command = command.replace(shown, real)
    print(f"    $ {command}", flush=True)
    return command


def left_out(commands):
    """The commands of the guide that are left to this script, and are not among these."""
    return [command for path in GUIDE for command in documented_commands.commands_of(path)
            if documented_commands.reason_elsewhere(command) == documented_commands.IN_THE_HOUR and command not in commands]
