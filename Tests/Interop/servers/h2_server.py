"""An HTTP/2 server on PyPI h2 that behaves in one of several ways; prints its port and serves until it is stopped.

usage: h2_server.py CERTIFICATE KEY BEHAVIOUR
"""

import socket
import ssl
import struct
import sys
import threading
import time

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.settings

NO_ALPN, HTTP1 = "no-alpn", "http1"
BEHAVIOURS = (
    "answer",
    "limit-7",
    NO_ALPN,
    HTTP1,
    "goaway-before-settings",
    "goaway-half",
    "silence-before-tls",
    "silence-after-tls",
    "silence-after-request",
    "reset-before-tls",
    "reset-after-request",
    "close-after-request",
    "reset-stream",
    "not-http2",
)


def serve(connection, context, behaviour):
    if behaviour == "silence-before-tls":
        time.sleep(60)
        return
    if behaviour == "reset-before-tls":
        abort(connection)
        return
    stream = context.wrap_socket(connection, server_side=True)
    if behaviour == "silence-after-tls":
        time.sleep(60)
    elif behaviour == "not-http2":
        stream.recv(1024)
        stream.sendall(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")
        time.sleep(0.2)
        stream.close()
    elif behaviour == "goaway-before-settings":
        # Length 8, type 7 (GOAWAY), last stream 0, NO_ERROR.
        stream.sendall(b"\x00\x00\x08\x07\x00\x00\x00\x00\x00" + b"\x00" * 8)
        time.sleep(0.2)
        stream.close()
    else:
        converse(stream, behaviour)


def converse(stream, behaviour):
    session = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
    limit = 7 if behaviour == "limit-7" else 100
    session.local_settings = h2.settings.Settings(
        client=False, initial_values={h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: limit}
    )
    session.initiate_connection()
    stream.sendall(session.data_to_send())
    whole, headers = [], {}
    while data := stream.recv(65536):
        for event in session.receive_data(data):
            if isinstance(event, h2.events.RequestReceived):
                headers[event.stream_id] = dict(event.headers)
            elif isinstance(event, h2.events.DataReceived):
                session.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, h2.events.StreamEnded):
                whole.append(event.stream_id)
        for identifier in whole:
            if not act(session, stream, behaviour, identifier, headers[identifier], len(whole)):
                return
        whole.clear()
        stream.sendall(session.data_to_send())


def act(session, stream, behaviour, identifier, headers, count):
    """Treats one whole request; False ends the connection."""
    if behaviour == "silence-after-request":
        time.sleep(60)
        return False
    if behaviour == "reset-after-request":
        abort(stream)
        return False
    if behaviour == "close-after-request":
        stream.close()
        return False
    if behaviour == "reset-stream":
        session.reset_stream(identifier, h2.errors.ErrorCodes.INTERNAL_ERROR)
        return True
    if behaviour == "goaway-half" and identifier >= 5:
        session.close_connection(last_stream_id=3)
        stream.sendall(session.data_to_send())
        time.sleep(0.2)
        stream.close()
        return False
    session.send_headers(
        identifier, [(":status", "200"), ("apns-id", headers.get("apns-id", ""))], end_stream=True
    )
    return True


def abort(connection):
    """Closes with a reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


def main():
    certificate, key, behaviour = sys.argv[1:]
    if behaviour not in BEHAVIOURS:
        sys.exit(f"unknown behaviour {behaviour}; known: {' '.join(BEHAVIOURS)}")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    if behaviour == HTTP1:
        context.set_alpn_protocols(["http/1.1"])
    elif behaviour != NO_ALPN:
        context.set_alpn_protocols(["h2"])
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    print(f"port {listener.getsockname()[1]}", flush=True)

    def guarded(connection):
        try:
            serve(connection, context, behaviour)
        except (OSError, ssl.SSLError):
            pass

    while True:
        connection, _ = listener.accept()
        threading.Thread(target=guarded, args=(connection,), daemon=True).start()


main()
