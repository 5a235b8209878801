"""Sends through PyPI's aioapns: `peer_aioapns.py PORT CA KEY COUNT`; prints one line of JSON. Part of compare.py."""

import asyncio
import json
import ssl
import sys
import time

from aioapns import APNs, NotificationRequest, PushType
from aioapns.connection import APNsProductionClientProtocol

port, ca, key, count = int(sys.argv[1]), sys.argv[2], sys.argv[3], int(sys.argv[4])
APNsProductionClientProtocol.APNS_SERVER = "127.0.0.1"
APNsProductionClientProtocol.APNS_PORT = port


async def main():
    context = ssl.create_default_context(cafile=ca)
    context.set_alpn_protocols(["h2"])
    client = APNs(key=open(key).read(), key_id="ABC123DEFG", team_id="DEF123GHIJ", topic="com.example.app",
                  ssl_context=context, max_connections=1)
    body = {"aps": {"alert": "x" * 1003}}

    async def send(number):
        result = await client.send_notification(
            NotificationRequest(device_token=f"{number:064x}", message=body, push_type=PushType.ALERT))
        assert result.is_successful, result

    await send(0)
    cpu, start = time.process_time(), time.monotonic()
    for first in range(0, count, 500):
        await asyncio.gather(*(send(number) for number in range(first, min(first + 500, count))))
    seconds, cpu = time.monotonic() - start, time.process_time() - cpu
    print(json.dumps({"per_second": count / seconds, "sends_per_cpu_second": count / cpu}))


asyncio.run(asyncio.wait_for(main(), 600))
