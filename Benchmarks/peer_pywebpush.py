"""pywebpush beside postrider-bench web: peer_pywebpush.py ADDRESS COUNT BODY_BYTES prints one line of JSON.

ADDRESS is an emulator's plain port, and POSTRIDER_EMULATOR_TOKEN its token. Each message is encrypted for its subscriber and sent over one connection that stays open.
"""

import json
import os
import resource
import sys
import time

import requests
from py_vapid import Vapid02
from pywebpush import WebPusher


def subscription(address):
    """A virtual browser's, with the endpoint that speaks HTTP/1.1."""
    made = requests.post(f"{address}/control/devices", json={"provider": "web"}, timeout=60,
                         headers={"Authorization": f"Bearer {os.environ['POSTRIDER_EMULATOR_TOKEN']}"}).json()
    return made["subscription"] | {"endpoint": made["plain_endpoint"]}


def main():
    address, count, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    vapid = Vapid02()
    vapid.generate_keys()
    # One token for all, as postrider-bench has it.
    headers = vapid.sign({"sub": "mailto:bench@example.com", "aud": address, "exp": int(time.time()) + 3_600})
    subscribers = [subscription(address) for _ in range(100)]
    session, content = requests.Session(), b"x" * size

    def send(number):
        pusher = WebPusher(subscribers[number % len(subscribers)], requests_session=session)
        answer = pusher.send(content, headers=dict(headers), ttl=3_600, content_encoding="aes128gcm")
        if answer.status_code != 201:
            sys.exit(f"pywebpush: {answer.status_code} {answer.text[:200]}")

    for number in range(max(1, count // 20)):
        send(number)
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    for number in range(count):
        send(number)
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps({"count": count, "per_second": count / seconds, "sends_per_cpu_second": count / cpu}))


if __name__ == "__main__":
    main()
