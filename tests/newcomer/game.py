"""A game of two people, who use the real client."""
import json
import os
import subprocess
import threading
import time

from newcomer.guide import WAIT_SECONDS, check, fail, times

ADDRESS = "https://play.example"
AWAY_SECONDS_MAX = 3


class Player:
    """The client, which prints a line of JSON for each event."""

    def __init__(self, debian, name, words):
        home = f"/tmp/{name}"
        os.mkdir(debian.path(home))
        self.client = debian.start(
            ["fivefold", *words, "--name", name, "--json"], [f"HOME={home}", f"FIVEFOLD_SERVER={ADDRESS}"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        # Each line with the time when it came, and how many of them were looked at.
        self.lines, self.seen, self.more = [], 0, threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.client.stdout:
            with self.more:
                self.lines.append((time.monotonic(), json.loads(line)))
                self.more.notify()

    def until(self, **wanted):
        """The next event with these values."""
        ends_at = time.monotonic() + WAIT_SECONDS
        with self.more:
            while True:
                while self.seen < len(self.lines):
                    self.seen += 1
                    line = self.lines[self.seen - 1][1]
                    if all(line.get(key) == value for key, value in wanted.items()):
                        return line
                if not self.more.wait(ends_at - time.monotonic()):
                    fail(f"a player did not see {wanted} but {[line for _, line in self.lines][-8:]}"
                         + (self.client.stderr.read() if self.client.poll() is not None else ""))

    def say(self, text):
        self.client.stdin.write(text + "\n")
        self.client.stdin.flush()

    def away(self, since):
        """The seconds from each loss of the connection to its return."""
        with self.more:
            lines = [(at, line["type"]) for at, line in self.lines if at >= since and line["type"] in ("lost", "back")]
        losses = [at for place, (at, kind) in enumerate(lines)
                  if kind == "lost" and (not place or lines[place - 1][1] == "back")]
        returns = [at for at, kind in lines if kind == "back"]
        if len(losses) != len(returns):
            fail(f"a player did not come back: {lines}")
        return [back - lost for lost, back in zip(losses, returns)]


class Game:
    """Two people, who play at ADDRESS."""

    POINTS = ["h8", "h9", "j8", "j9", "g8", "g9", "l8", "l9", "c3", "c4", "d3", "d4", "m12", "m13", "n12", "n13"]

    def __init__(self, debian):
        ann = Player(debian, "Ann", ["play", "--as", "black"])
        link = ann.until(type="joined")["link"]
        check(link.startswith(f"{ADDRESS}/r/"), f"the room has a link: {link}")
        bob = Player(debian, "Bob", ["join", link])
        bob.until(type="joined")
        ann.until(type="started")
        self.players, self.moves = [ann, bob], 0

    def move(self):
        """The next move, which both see."""
        mover, point = self.players[self.moves % 2], self.POINTS[self.moves]
        mover.say(point)
        for player in self.players:
            player.until(type="played", name=point, plies=self.moves + 1)
        self.moves += 1

    def play(self, moves):
        for _ in range(moves):
            self.move()
        print(f"    ok: {moves} moves more, {self.moves} in all", flush=True)

    def upgraded(self, way, since):
        """Waits until both are back after an upgrade that began at `since`; they go on with the game."""
        for player in self.players:
            player.until(type="back")
        self.play(2)
        longest = max(max(player.away(since)) for player in self.players)
        check(longest <= AWAY_SECONDS_MAX, f"the players were away for at most {longest:.2f} s during the upgrade")
        times.append((way, longest, "  of these the players were away"))

    def restored(self, moves):
        """Waits until both have read that so many moves are gone."""
        for player in self.players:
            player.until(type="restored", moves=moves)
            player.until(type="state", plies=self.moves - moves)
        self.moves -= moves
        check(True, f"both players were told that {moves} moves are gone")
        self.play(2)
