"""What schemathesis needs to know of the server: `tests/run slow` runs it with this file.

Each request comes from another address, by the header of a trusted proxy, so that the allowance of one address does
not refuse it. Most requests come from an account. If its session has ended, a new account follows, but not more often
than the server lets people sign up.
"""

import itertools
import json
import os
import random
import time
import urllib.error
import urllib.request

import schemathesis

SERVER = os.environ["FIVEFOLD_SERVER"]
SIGN_UP_EVERY_S = 2
# These end the session, so the account rarely sends them.
ENDS = {"DELETE /api/account", "DELETE /api/session"}
names = itertools.count()
own = {"cookie": None, "tried_at": 0}


def address():
    # 100.64.0.0/10 belongs to no site.
    return f"100.{random.randint(64, 127)}.{random.randint(0, 255)}.{random.randint(1, 254)}"


def sign_up():
    """The cookie of a new account; nothing if the server takes none now."""
    if time.monotonic() < own["tried_at"] + SIGN_UP_EVERY_S:
        return None
    own["tried_at"] = time.monotonic()
    body = {"name": f"Tester{next(names)}", "password": "correct horse battery"}
    head = {"Content-Type": "application/json", "X-Forwarded-For": address()}
    request = urllib.request.Request(f"{SERVER}/api/account", json.dumps(body).encode(), head)
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.headers["Set-Cookie"].split(";")[0]
    except urllib.error.HTTPError:
        return None


@schemathesis.hook
def before_call(context, case, kwargs):
    case.headers = dict(case.headers or {})
    case.headers["X-Forwarded-For"] = address()
    if random.random() < (0.02 if case.operation.label in ENDS else 0.8):
        own["cookie"] = own["cookie"] or sign_up()
        if own["cookie"]:
            case.headers["Cookie"] = own["cookie"]
            case.headers.pop("Authorization", None)
            case.cookies = {}


@schemathesis.hook
def after_call(context, case, response):
    sent = (case.headers or {}).get("Cookie")
    if response.status_code == 401 and sent == own["cookie"]:
        own["cookie"] = None
