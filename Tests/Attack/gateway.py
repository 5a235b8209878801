"""An independent gateway: the shapes of APNs and FCM v1 and an OAuth token endpoint, over PyPI's `h2`.

A process of its own, so that it can be killed. It reads one line of JSON from standard input (ports, files, the name of
this life), listens, and prints `ready`. What it answers is decided by the first two characters of a device's token
(`behaviors`), so that a run can be repeated; each request is in its log before the answer leaves.
"""

import asyncio
import collections
import json
import logging
import signal
import ssl
import sys
import time

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings
import hyperframe.frame

from identity import BAD_KEY, PROJECT, key_id_of
from takes import NO_ANSWER, NOT_PROCESSED, Take, TakeWriter

# What the first two characters of a token ask for.
ACCEPT, SOON, LATE = "a0", "a1", "a2"
DEAD, WRONG, BUSY, TROUBLE = "d0", "d1", "d2", "d3"
RESET, REFUSE, GO_AWAY, HANG_UP = "e0", "e1", "e2", "e3"

REFUSALS = {
    DEAD: {"apns": (410, "Unregistered"), "fcm": (404, "UNREGISTERED")},
    WRONG: {"apns": (400, "BadDeviceToken"), "fcm": (400, "INVALID_ARGUMENT")},
    BUSY: {"apns": (429, "TooManyRequests"), "fcm": (429, "QUOTA_EXCEEDED")},
    TROUBLE: {"apns": (503, "ServiceUnavailable"), "fcm": (503, "UNAVAILABLE")},
}
RPC_STATUS = {404: "NOT_FOUND", 400: "INVALID_ARGUMENT", 429: "RESOURCE_EXHAUSTED", 503: "UNAVAILABLE"}
# These misbehave once for each push and device, and accept the next try.
ONCE = {BUSY, TROUBLE, RESET, REFUSE, GO_AWAY, HANG_UP}


class Answer:
    """What is sent for one request, and when."""

    def __init__(self, status, headers=(), body=b"", delay=0.0, act=None):
        self.status, self.headers, self.body, self.delay, self.act = status, headers, body, delay, act


class Gateway:
    """What all connections share."""

    def __init__(self, settings):
        self.name = settings["name"]
        self.takes = TakeWriter(settings["log"])
        self.mended = settings.get("mended", False)
        self.delay = settings.get("delay", 0.0)
        self.tried = collections.Counter()
        self.names = 0
        self.complaints = open(settings["log"] + ".complaints", "a", buffering=1)

    def behavior(self, provider, marker, token):
        """The two characters that count for this try."""
        wanted = token[:2]
        if wanted in ONCE:
            self.tried[marker, token] += 1
            if self.mended or self.tried[marker, token] > 1:
                return ACCEPT
        return wanted

    def judge(self, provider, headers, body):
        """Logs one request and returns what to answer."""
        at = time.time_ns()
        if headers[":path"] == "/token":
            return self.access_token()
        message = json.loads(body)
        apns_id, key = headers.get("apns-id", ""), headers.get("authorization", "")
        if provider == "apns":
            token = headers[":path"].rsplit("/", 1)[1].lower()
            alert = message.get("aps", {}).get("alert", {})
            marker = alert.get("title", "") if isinstance(alert, dict) else ""
            key = key_id_of(key)
        else:
            token = message["message"]["token"]
            marker = message["message"].get("notification", {}).get("title", "")
            key = key.split(" ", 1)[-1]
        answer, reason, name = self.answer(provider, marker, token, apns_id, key)
        self.takes.add(Take(at, provider, self.name, marker, token, apns_id, key, answer.status, reason, name))
        return answer

    def answer(self, provider, marker, token, apns_id, key):
        ids = [("apns-id", apns_id)] if apns_id else []
        if provider == "apns" and key == BAD_KEY:
            return Answer(403, ids, b'{"reason":"InvalidProviderToken"}'), "InvalidProviderToken", ""
        kind = self.behavior(provider, marker, token)
        if kind in REFUSALS:
            status, reason = REFUSALS[kind][provider]
            return Answer(status, ids, refusal(provider, status, reason)), reason, ""
        if kind == REFUSE:
            return Answer(NOT_PROCESSED, act="refuse"), "REFUSED_STREAM", ""
        if kind == RESET:
            return Answer(NO_ANSWER, act="reset"), "INTERNAL_ERROR", ""
        if kind == HANG_UP:
            return Answer(NO_ANSWER, act="hang up"), "closed", ""
        delay = self.delay
        if not self.mended:
            delay += {SOON: 0.02 + int(token[2:4], 16) / 1000, LATE: 1.5}.get(kind, 0)
        act = "go away" if kind == GO_AWAY else None
        if provider == "apns":
            return Answer(200, ids, delay=delay, act=act), "", ""
        self.names += 1
        name = f"projects/{PROJECT}/messages/{self.name}-{self.names}"
        return Answer(200, (), json.dumps({"name": name}).encode(), delay, act), "", name

    def access_token(self):
        self.names += 1
        body = {"access_token": f"ya29.{self.name}-{self.names}", "expires_in": 3599, "token_type": "Bearer"}
        return Answer(200, [("content-type", "application/json")], json.dumps(body).encode())


def refusal(provider, status, reason):
    """The body of a refusal in the provider's own shape."""
    if provider == "apns":
        stamp = {"timestamp": int(time.time() * 1000)} if status == 410 else {}
        return json.dumps({"reason": reason, **stamp}).encode()
    return json.dumps({"error": {
        "code": status, "message": "refused", "status": RPC_STATUS[status],
        "details": [{"@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": reason}]}}).encode()


class Conversation(asyncio.Protocol):
    """One connection: `h2` judges the protocol, the gateway the requests."""

    def __init__(self, gateway, provider, loop):
        self.gateway, self.provider, self.loop = gateway, provider, loop
        self.requests, self.open, self.last, self.leaving = {}, 0, 0, None
        self.h2 = h2.connection.H2Connection(h2.config.H2Configuration(
            client_side=False, header_encoding="utf-8", validate_outbound_headers=False,
            normalize_outbound_headers=False))

    def connection_made(self, transport):
        self.transport = transport
        self.h2.local_settings[h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS] = 1000
        self.h2.local_settings[h2.settings.SettingCodes.INITIAL_WINDOW_SIZE] = 65_535
        self.h2.initiate_connection()
        self.h2.increment_flow_control_window(16 << 20)
        self.send()

    def data_received(self, data):
        try:
            events = self.h2.receive_data(data)
        except h2.exceptions.ProtocolError as error:
            self.gateway.complaints.write(f"{self.provider}: {type(error).__name__}: {error}\n")
            self.send()
            return self.transport.close()
        ended = [stream for event in events if (stream := self.note(event)) is not None]
        answers = [(stream, self.judged(stream)) for stream in ended]
        # Logged first, answered then.
        self.gateway.takes.flush()
        for stream, answer in answers:
            self.reply(stream, answer)
        self.send()

    def note(self, event):
        """Takes in one event; the stream whose request is complete, or None."""
        if isinstance(event, h2.events.RequestReceived):
            self.requests[event.stream_id] = (dict(event.headers), bytearray())
            if self.leaving is None:
                self.last = max(self.last, event.stream_id)
        elif isinstance(event, h2.events.DataReceived):
            if event.flow_controlled_length:
                self.h2.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            if event.stream_id in self.requests:
                self.requests[event.stream_id][1].extend(event.data)
        elif isinstance(event, h2.events.StreamReset):
            self.requests.pop(event.stream_id, None)
        elif isinstance(event, h2.events.StreamEnded) and event.stream_id in self.requests:
            # What came after the last stream of a GOAWAY is not looked at.
            if self.leaving is None or event.stream_id <= self.leaving:
                return event.stream_id
        return None

    def judged(self, stream):
        headers, body = self.requests.pop(stream)
        self.open += 1
        return self.gateway.judge(self.provider, headers, bytes(body))

    def reply(self, stream, answer):
        if answer.act == "go away" and self.leaving is None:
            self.send()
            self.leaving = self.last
            self.transport.write(hyperframe.frame.GoAwayFrame(0, last_stream_id=self.last).serialize())
        if answer.delay:
            self.loop.call_later(answer.delay, self.late, stream, answer)
        else:
            self.write(stream, answer)

    def late(self, stream, answer):
        self.write(stream, answer)
        self.send()

    def write(self, stream, answer):
        self.open -= 1
        try:
            if callable(answer.act):
                self.send()
                answer.act(self, stream)
            elif answer.act == "refuse":
                self.h2.reset_stream(stream, h2.errors.ErrorCodes.REFUSED_STREAM)
            elif answer.act == "reset":
                self.h2.reset_stream(stream, h2.errors.ErrorCodes.INTERNAL_ERROR)
            elif answer.act == "hang up":
                self.transport.abort()
            else:
                self.h2.send_headers(stream, [(":status", str(answer.status)), *answer.headers], end_stream=not answer.body)
                if answer.body:
                    self.h2.send_data(stream, answer.body, end_stream=True)
        except (h2.exceptions.ProtocolError, KeyError):
            pass  # The client gave the stream up meanwhile.
        if self.leaving is not None and self.open == 0:
            self.send()
            self.transport.close()

    def send(self):
        data = self.h2.data_to_send()
        if data and not self.transport.is_closing():
            self.transport.write(data)


async def commands(gateway):
    """Reads orders for as long as the parent lives."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        gateway.__dict__.update(json.loads(line))
    loop.stop()


async def serve(settings):
    loop = asyncio.get_running_loop()
    gateway = Gateway(settings)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(settings["certificate"], settings["key"])
    context.set_alpn_protocols(["h2"])
    for provider, port in settings["ports"].items():
        await loop.create_server(lambda provider=provider: Conversation(gateway, provider, loop), "127.0.0.1", port,
                                 ssl=context, backlog=512)
    print("ready", flush=True)
    await commands(gateway)


def main():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A client that was killed is no news here.
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)
    line = sys.stdin.readline()
    if not line:
        return
    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(serve(json.loads(line)))
    except RuntimeError:
        pass  # The loop was stopped: the parent has gone.


if __name__ == "__main__":
    main()
