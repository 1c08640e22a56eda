"""What schemathesis needs to know of the server: `tests/run slow` runs it with this file.

Each request comes from another address, by the header of a trusted proxy, so that the allowance of one address does
not refuse it. Most requests come from one of several accounts, because the changes of one account are limited, too. If
the session of an account has ended, a new account takes its place.
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
ACCOUNTS = 20
SIGN_UP_EVERY_S = 0.3
# These end the session, so accounts rarely send them.
ENDS = {"DELETE /api/account", "DELETE /api/session"}
names = itertools.count()
cookies = []
tried_at = 0


def address():
    # 100.64.0.0/10 belongs to no site.
    return f"100.{random.randint(64, 127)}.{random.randint(0, 255)}.{random.randint(1, 254)}"


def sign_up():
    """Adds the cookie of a new account, if the server takes one now."""
    global tried_at
    if time.monotonic() < tried_at + SIGN_UP_EVERY_S:
        return
    tried_at = time.monotonic()
    body = {"name": f"Tester{next(names)}", "password": "correct horse battery"}
    head = {"Content-Type": "application/json", "X-Forwarded-For": address()}
    request = urllib.request.Request(f"{SERVER}/api/account", json.dumps(body).encode(), head)
    try:
        with urllib.request.urlopen(request) as answer:
            cookies.append(answer.headers["Set-Cookie"].split(";")[0])
    except urllib.error.HTTPError:
        pass


@schemathesis.hook
def before_call(context, case, kwargs):
    case.headers = dict(case.headers or {})
    case.headers["X-Forwarded-For"] = address()
    if random.random() < (0.02 if case.operation.label in ENDS else 0.8):
        if len(cookies) < ACCOUNTS:
            sign_up()
        if cookies:
            case.headers["Cookie"] = random.choice(cookies)
            case.headers.pop("Authorization", None)
            case.cookies = {}


@schemathesis.hook
def after_call(context, case, response):
    sent = (case.headers or {}).get("Cookie")
    if response.status_code == 401 and sent in cookies:
        cookies.remove(sent)
