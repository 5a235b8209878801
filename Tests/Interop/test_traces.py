"""Traces judged by OpenTelemetry's own message types: what `serve --otlp` posts is an ExportTraceServiceRequest."""

import base64
import http.server
import json
import threading

import pytest
from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from serving import TOPIC, Server, credentials, wait

TOKEN, GONE = "cd" * 32, "ef" * 32
TRACE, CALLER = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"
IDS = {"traceId", "spanId", "parentSpanId"}


class Collector:
    """Takes spans by OTLP over HTTP, in JSON."""

    def __init__(self):
        taken = self.taken = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                taken.append((self.path, dict(self.headers.items()), body))
                answer = b'{"partialSuccess":{}}'
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def spans(self):
        """Every span, as OpenTelemetry's own types read it; unknown members are errors."""
        return [span for _, _, body in list(self.taken) for part in parsed(body).resource_spans
                for scope in part.scope_spans for span in scope.spans]

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def parsed(body):
    # OTLP writes ids in hexadecimal where protobuf's JSON has base64: the one place where they differ.
    def hook(pairs):
        return {name: base64.b64encode(bytes.fromhex(value)).decode() if name in IDS else value for name, value in pairs}

    return json_format.ParseDict(json.loads(body, object_pairs_hook=hook), ExportTraceServiceRequest())


def attributes(span):
    return {pair.key: getattr(pair.value, pair.value.WhichOneof("value")) for pair in span.attributes}


@pytest.fixture
def collector():
    collector = Collector()
    yield collector
    collector.close()


def test_a_push_is_one_trace_for_opentelemetry(emulator, collector, tmp_path):
    emulator.scenario(devices=[
        {"provider": "apns", "token": TOKEN, "topics": [TOPIC]},
        {"provider": "apns", "token": GONE, "topics": [TOPIC], "unregistered_since_ms": 4_000_000_000_000}])
    server = Server(tmp_path, "--otlp", collector.url, "--trace-rate", "0", environment={
        "OTEL_EXPORTER_OTLP_HEADERS": "x-tenant=a%2Cb", "OTEL_SERVICE_NAME": "mail"})
    try:
        server.done("POST", "/v1/apps", {"name": "demo", "contract": "native"})
        server.done("PUT", "/v1/apps/demo/credentials", {"apns": credentials(emulator)["apns"]})
        server.done(
            "POST", "/v1/apps/demo/pushes",
            {"to": {"tokens": [{"type": "ios", "token": TOKEN}, {"type": "ios", "token": GONE}]},
             "message": {"title": "Quiet", "body": "Words"}},
            headers=[("traceparent", f"00-{TRACE}-{CALLER}-01")])
        request_name = "POST /v1/apps/{app}/pushes"
        wait(lambda: {"push", request_name} <= {span.name for span in collector.spans()}, "the push's spans")
        spans = collector.spans()
        assert {span.trace_id.hex() for span in spans} == {TRACE}
        assert len({span.span_id for span in spans}) == len(spans)
        by_name = {span.name: span for span in spans}
        request = by_name[request_name]
        assert request.kind == Span.SPAN_KIND_SERVER and request.parent_span_id.hex() == CALLER
        push = by_name["push"]
        assert all(by_name[name].parent_span_id == request.span_id for name in ("validation", "commit", "push"))
        assert by_name["lease"].parent_span_id == push.span_id
        assert attributes(push)["postrider.accepted"] == 1 and attributes(push)["postrider.rejected"] == 1
        sends = [span for span in spans if span.name == "send apns"]
        assert all(span.kind == Span.SPAN_KIND_CLIENT and span.parent_span_id == push.span_id for span in sends)
        ends = {attributes(span)["postrider.outcome"]: span for span in sends}
        assert set(ends) == {"accepted", "rejected"}
        assert ends["rejected"].status.code == Status.STATUS_CODE_ERROR
        assert ends["rejected"].status.message == attributes(ends["rejected"])["postrider.reason"] == "Unregistered"
        assert ends["accepted"].status.code == Status.STATUS_CODE_UNSET
        for span in spans:
            assert 0 < span.start_time_unix_nano <= span.end_time_unix_nano
        # A child lies within what it belongs to: the request began first, the push ended last.
        assert request.start_time_unix_nano == min(span.start_time_unix_nano for span in spans)
        path, headers, body = collector.taken[0]
        assert path == "/v1/traces" and headers["x-tenant"] == "a,b" and headers["Content-Type"] == "application/json"
        named = {pair.key: pair.value.string_value for pair in parsed(body).resource_spans[0].resource.attributes}
        assert named["service.name"] == "mail" and named["service.version"]
        whole = b"".join(body for _, _, body in collector.taken) + server.log
        for secret in (TOKEN, GONE, "Quiet", "Words", "a,b", server.key):
            assert secret.encode() not in whole, secret
    finally:
        server.stop()


def test_a_wrong_collector_is_refused_at_the_start(tmp_path):
    import subprocess

    from conftest import command

    ended = subprocess.run(
        [command(), "serve", "--data", str(tmp_path / "data"), "--port", "0", "--otlp", "collector:4317"],
        capture_output=True, text=True, timeout=60)
    assert ended.returncode == 2 and "--otlp: expected the collector's address" in ended.stderr, ended
