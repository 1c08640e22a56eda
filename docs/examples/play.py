#!/usr/bin/env python3
"""Plays one game on a Fivefold server and prints the result: python3 play.py http://localhost:8080 [ROOM]
Without ROOM it creates a room against the engine's lowest level. It uses the token in FIVEFOLD_TOKEN, if there is one.
Needs the package websockets. Does not reconnect after a lost connection."""
import itertools, json, os, random, sys
from websockets.sync.client import connect

address, room = (sys.argv[1:] + ["http://localhost:8080", ""][len(sys.argv) - 1:])[:2]
token = os.environ.get("FIVEFOLD_TOKEN")
ids = map(str, itertools.count())

def send(type, **fields):
    socket.send(json.dumps({"type": type, "id": next(ids), **fields}))

def play():
    """Plays a random free point, if it is our turn. In renju the server refuses some points to Black."""
    free = [[x, y] for x in range(width) for y in range(height) if [x, y] not in moves]
    if free and seat == (black if len(moves) % 2 == 0 else white):
        send("play", room=room, ply=len(moves), point=random.choice(free))

with connect(address.replace("http", "ws", 1) + "/ws") as socket:
    send("hello", protocol=1, **({"token": token} if token else {"name": "Python"}))
    if room:
        send("join", room=room)
    else:
        bot = {"kind": "engine", "level": 1}
        send("create", rules={"variant": "freestyle", "size": [15, 15]}, seats=["open", {"bot": bot}])
    for message in map(json.loads, socket):
        match message.get("event", message):
            case {"type": "welcome", "you": you}: pass
            case {"type": "joined", "room": room, "snapshot": {"rules": {"size": [width, height]}}}:
                print(f"{address}/r/{room}", flush=True)
                send("sit_as_engine", room=room)
            case {"type": "sat", "seat": taken, "player": {"member": member}} if member == you: seat = taken
            case {"type": "started", "black": black}:
                white, moves = {"first": "second", "second": "first"}[black], []
                play()
            case {"type": "played", "point": point}:
                moves.append(point)
                play()
            case {"type": "taken_back", "ply": ply}:
                del moves[ply:]
                play()
            case {"type": "refused", "reason": "double_three" | "double_four" | "overline"}: play()
            case {"type": "refused", "text": text}: sys.exit(text)
            case {"type": "ended", "outcome": outcome}:
                winner = outcome.get("winner")
                print("won" if winner == seat else "lost" if winner else "no winner", outcome["reason"])
                break
