"""`postrider mcp` with the official `mcp` package of PyPI as an unmodified client, against a real server and the emulator.

The client checks every result against the tool's own `outputSchema`, and refuses a message that is none.
"""

import asyncio
import contextlib
import http.server
import json
import os
import stat
import subprocess
import threading
import urllib.error

import jsonschema
import mcp_types
import pytest
from mcp import Client, StdioServerParameters

import serving
from conftest import command

IPHONE = "c7" * 32
ANDROID = "mcp-android:APA91bMcpMcpMcpMcpMcpMcpMcpMcp"
MESSAGE = {"title": "Hello", "body": "From a model"}
HANDSHAKE, MODERN = "legacy", "2026-07-28"


@pytest.fixture(scope="module")
def server(tmp_path_factory, running):
    """A server with one app, two devices of two users, behind the emulator."""
    running.scenario()
    server = serving.Server(tmp_path_factory.mktemp("mcp-server"))
    server.done("POST", "/v1/apps", {"name": "shop", "title": "The shop", "contract": "amba"})
    server.done("PUT", "/v1/apps/shop/credentials", serving.credentials(running))
    for user, kind, token in [("ann", "ios", IPHONE), ("bob", "android", ANDROID)]:
        server.done("POST", "/v1/apps/shop/devices", {"type": kind, "token": token, "user": user})
    yield server
    server.stop()


@pytest.fixture
def received(running):
    """How many pushes the emulator has for a device, from now on."""
    def count(provider, token):
        try:
            return len(running.pushes(provider, token))
        except urllib.error.HTTPError as error:
            # A device that nothing was sent to is not known yet.
            assert error.code == 404
            return 0

    before = {pair: count(*pair) for pair in [("apns", IPHONE), ("fcm", ANDROID)]}
    return lambda provider, token: count(provider, token) - before[provider, token]


def key(server, scope):
    return server.done("POST", "/v1/keys", {"name": f"mcp {scope}", "scopes": [scope], "app": "shop"})["key"]


class Desk:
    """How the program is started: folders of its own, and a key where one is wanted."""

    def __init__(self, folder, server=None, scope="send"):
        self.folder = folder
        self.environment = {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder / "config"),
                            "XDG_STATE_HOME": str(folder / "state")}
        if server:
            self.environment |= {"POSTRIDER_URL": server.origin, "POSTRIDER_KEY": key(server, scope),
                                 "POSTRIDER_APP": "shop"}
        self.said = folder / "said"

    @contextlib.asynccontextmanager
    async def client(self, *options, mode=HANDSHAKE, answer=None):
        """A client; `answer` decides for the person, and gets what they are asked."""
        async def ask(context, params):
            return answer(params)

        parameters = StdioServerParameters(command=command(), args=["mcp", *options], env=self.environment)
        async with Client(parameters, mode=mode, elicitation_callback=ask if answer else None,
                          read_timeout_seconds=60) as client:
            yield client


@pytest.fixture
def desk(tmp_path, server):
    return Desk(tmp_path, server)


def run(coroutine):
    return asyncio.run(asyncio.wait_for(coroutine, 120))


async def call(client, tool, **arguments):
    """The structure of a result, which is also its text."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, (tool, result.content)
    assert json.loads(result.content[0].text) == result.structured_content
    return result.structured_content


async def refused(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    assert result.is_error and result.structured_content is None, result
    return result.content[0].text


def agree(params):
    return mcp_types.ElicitResult(action="accept", content={"confirm": True})


# Reading


@pytest.mark.parametrize("mode", ["auto", HANDSHAKE, MODERN])
def test_it_is_found_and_its_tools_are_listed_with_schemas_that_are_valid(tmp_path, mode):
    async def body():
        async with Desk(tmp_path).client(mode=mode) as client:
            tools = (await client.list_tools()).tools
            if mode != MODERN:
                assert client.server_info.name == "postrider"
            return tools

    tools = run(body())
    names = [tool.name for tool in tools]
    assert "draft_push" in names and "send_push" not in names and len(set(names)) == len(names)
    for tool in tools:
        for schema in (tool.input_schema, tool.output_schema):
            jsonschema.Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
        assert tool.title and tool.description and tool.annotations.destructive_hint is False
        assert tool.annotations.read_only_hint is (tool.name != "save_draft")


@pytest.mark.parametrize("mode", [HANDSHAKE, MODERN])
def test_tools_without_a_server_work_without_one(tmp_path, mode):
    async def body():
        async with Desk(tmp_path).client(mode=mode) as client:
            await client.list_tools()
            contracts = (await call(client, "list_contracts"))["contracts"]
            for contract in contracts:
                assert (await call(client, "show_contract", contract=contract["name"]))["table"]
            parsed = await call(client, "parse_payload", payload={"aps": {"alert": "Hi"}})
            assert parsed["notification"]["body"] == "Hi"
            rendered = await call(client, "render_message", contract="amba", message=MESSAGE, topic="com.example.app")
            assert rendered["apns"]["payload"]["aps"]["alert"]["body"] == "From a model"
            checked = await call(client, "check", document=rendered["apns"])
            assert checked["legal"], checked
            shown = await call(client, "preview", contract="amba", message=MESSAGE, locales=["en", "de"])
            assert len(shown["previews"]) == 4 and "From a model" in shown["text"]
            assert (await call(client, "explain_reason", reason="BadDeviceToken"))["known"]
            for tool in ("list_apps", "list_pushes", "list_segments"):
                assert "POSTRIDER_KEY" in await refused(client, tool)
            assert "documnt" in await refused(client, "check", documnt={})
            with pytest.raises(Exception, match="no tool"):
                await client.call_tool("send_push", {"confirmation": "x", "confirm": True})

    run(body())


@pytest.mark.parametrize("mode", [HANDSHAKE, MODERN])
def test_a_key_that_only_reads_reads_and_cannot_send(tmp_path, server, received, mode):
    desk = Desk(tmp_path, server, "read")
    sent = server.done("POST", "/v1/apps/shop/pushes", {"to": {"users": ["ann"]}, "message": MESSAGE})["id"]
    serving.wait(lambda: server.done("GET", f"/v1/apps/shop/pushes/{sent}")["state"] == "sent", "the push is sent")
    before = received("apns", IPHONE)

    async def body():
        async with desk.client("--allow-send", mode=mode) as client:
            await client.list_tools()
            assert [app["name"] for app in (await call(client, "list_apps"))["apps"]] == ["shop"]
            assert {row["name"] for row in (await call(client, "list_segments"))["segments"]} >= {"all", "premium"}
            assert (await call(client, "list_pushes", limit=1))["pushes"][0]["id"] == sent
            assert (await call(client, "get_push", push=sent))["push"]["counts"]["accepted"] == 1
            deliveries = (await call(client, "list_deliveries", push=sent))["deliveries"]
            assert deliveries[0]["user"] == "ann" and IPHONE not in json.dumps(deliveries)
            for to, total in [({"all": True}, 2), ({"users": ["ann", "nobody"]}, 1), ({"segment": "premium"}, 0),
                              ({"filter": {"field": "platform", "op": "eq", "value": "android"}}, 1)]:
                assert (await call(client, "count_audience", to=to))["total"] == total, to
            draft = await call(client, "draft_push", to={"users": ["ann"]}, message=MESSAGE)
            assert draft["sending"]["possible"]
            said = await refused(client, "send_push", confirmation=draft["sending"]["confirmation"], confirm=True)
            assert "403" in said and "Nothing was sent" in said
            assert "403" in await refused(client, "save_draft", to={"users": ["ann"]}, message=MESSAGE)
            assert desk.environment["POSTRIDER_KEY"] not in said

    run(body())
    assert received("apns", IPHONE) == before


def test_what_is_wrong_with_a_push_is_said_before_anything_is_offered(desk):
    async def body():
        async with desk.client("--allow-send") as client:
            await client.list_tools()
            large = {"title": "x", "body": "y" * 5000}
            assert "4096" in await refused(client, "draft_push", to={"users": ["ann"]}, message=large)
            assert "segment" in await refused(client, "draft_push", to={"segment": "nope"}, message=MESSAGE)
            for to in ({}, {"all": True, "users": ["ann"]}, {"tokens": [IPHONE]}):
                await refused(client, "draft_push", to=to, message=MESSAGE)

    run(body())


# Sending


@pytest.mark.parametrize("mode", [HANDSHAKE, MODERN])
def test_a_confirmed_push_reaches_the_device_exactly_once(desk, server, received, mode):
    async def body():
        async with desk.client("--allow-send", mode=mode) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert tools["send_push"].annotations.destructive_hint is True
            draft = await call(client, "draft_push", to={"users": ["ann"]}, message=MESSAGE)
            assert draft["audience"] == {"total": 1, "devices": draft["audience"]["devices"]}
            assert draft["worst_case"]["sizes"][0]["bytes"] <= draft["worst_case"]["sizes"][0]["bytes_max"]
            assert "From a model" in draft["preview"] and received("apns", IPHONE) == 0
            confirmation = draft["sending"]["confirmation"]
            assert "not true" in await refused(client, "send_push", confirmation=confirmation, confirm=False)
            assert "no such" in await refused(client, "send_push", confirmation=confirmation + "0", confirm=True)
            first = await call(client, "send_push", confirmation=confirmation, confirm=True)
            assert (first["targeted"], first["replayed"], first["left_this_hour"]) == (1, False, 9)
            again = await asyncio.gather(
                *[refused(client, "send_push", confirmation=confirmation, confirm=True) for _ in range(4)])
            assert all("was used" in text for text in again)
            return first["push"]

    push = run(body())
    serving.wait(lambda: server.done("GET", f"/v1/apps/shop/pushes/{push}")["state"] == "sent", "the push is sent")
    assert received("apns", IPHONE) == 1 and received("fcm", ANDROID) == 0


def test_the_caps_of_a_call_and_of_the_hour_hold_across_processes(desk, server, received):
    async def body():
        async with desk.client("--allow-send") as client:
            await client.list_tools()
            draft = await call(client, "draft_push", to={"all": True}, message=MESSAGE)
            assert draft["audience"]["total"] == 2 and not draft["sending"]["possible"]
            assert "in one call: 1" in draft["sending"]["reason"] and "confirmation" not in draft["sending"]
        limits = ("--allow-send", "--max-audience", "2", "--max-audience-per-hour", "3")
        async with desk.client(*limits) as client:
            await client.list_tools()
            first, second = [
                (await call(client, "draft_push", to={"all": True}, message=MESSAGE))["sending"]["confirmation"]
                for _ in range(2)]
            sent = await call(client, "send_push", confirmation=first, confirm=True)
            assert sent["targeted"] == 2 and sent["left_this_hour"] == 1
            assert "left of this hour: 1 of 3" in await refused(client, "send_push", confirmation=second, confirm=True)
        async with desk.client(*limits) as client:
            await client.list_tools()
            draft = await call(client, "draft_push", to={"all": True}, message=MESSAGE)
            assert "left of this hour: 1 of 3" in draft["sending"]["reason"]
        return sent["push"]

    push = run(body())
    serving.wait(lambda: server.done("GET", f"/v1/apps/shop/pushes/{push}")["state"] == "sent", "the push is sent")
    assert received("apns", IPHONE) == 1 and received("fcm", ANDROID) == 1
    kept = desk.folder / "state" / "postrider" / "mcp-sends"
    assert stat.S_IMODE(os.stat(kept).st_mode) == 0o600


def test_an_audience_that_has_grown_is_shown_again(desk, server, received):
    async def body():
        async with desk.client("--allow-send", "--max-audience", "10") as client:
            await client.list_tools()
            draft = await call(client, "draft_push", to={"users": ["ann", "carol"]}, message=MESSAGE)
            new = server.done("POST", "/v1/apps/shop/devices", {"type": "ios", "token": "c8" * 32, "user": "carol"})
            try:
                text = await refused(
                    client, "send_push", confirmation=draft["sending"]["confirmation"], confirm=True)
            finally:
                server.done("DELETE", f"/v1/apps/shop/devices/{new['id']}")
            assert "has grown from 1 to 2 devices" in text

    run(body())
    assert received("apns", IPHONE) == 0


class Between(http.server.BaseHTTPRequestHandler):
    """Passes requests on to the server, and does something just before a push is made."""

    protocol_version = "HTTP/1.1"

    def do(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.command == "POST" and self.path.endswith("/pushes"):
            self.server.act()
        sent = [(name, value) for name, value in self.headers.items() if name in ("Authorization", "Idempotency-Key")]
        key = sent[0][1].removeprefix("Bearer ")
        answer = self.server.target.ask(self.command, self.path, body or None, key=key, headers=sent[1:])
        self.send_response(answer.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer.content)))
        self.end_headers()
        self.wfile.write(answer.content)

    do_GET = do_POST = do_PATCH = do

    def log_message(self, *words):
        pass


@pytest.mark.parametrize("to", [{"all": True}, {"segment": "all"}])
def test_devices_that_register_between_the_count_and_the_send_do_not_exceed_the_cap(
        tmp_path, server, running, to):
    """The cap is two; six more devices register after the second count, before the server takes the push."""
    name = f"race-{'all' if 'all' in to else 'segment'}"
    server.done("POST", "/v1/apps", {"name": name, "title": "Race", "contract": "amba"})
    server.done("PUT", f"/v1/apps/{name}/credentials", serving.credentials(running))
    tokens = [f"{7000 + index:064x}" for index in range(8)]

    def register(some):
        for token in some:
            server.done("POST", f"/v1/apps/{name}/devices", {"type": "ios", "token": token, "user": token[-4:]})

    register(tokens[:2])
    between = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Between)
    between.target, between.act = server, lambda: register(tokens[2:])
    threading.Thread(target=between.serve_forever, daemon=True).start()
    desk = Desk(tmp_path, server)
    made = server.done("POST", "/v1/keys", {"name": name, "scopes": ["send"], "app": name})
    desk.environment |= {"POSTRIDER_URL": f"http://127.0.0.1:{between.server_port}", "POSTRIDER_KEY": made["key"],
                         "POSTRIDER_APP": name}

    async def body():
        async with desk.client("--allow-send", "--max-audience", "2") as client:
            await client.list_tools()
            draft = await call(client, "draft_push", to=to, message=MESSAGE)
            assert draft["audience"]["total"] == 2
            return await call(
                client, "send_push", confirmation=draft["sending"]["confirmation"], confirm=True)

    try:
        sent = run(body())
    finally:
        between.shutdown()
        between.server_close()
    assert sent["targeted"] == 8 and "beyond 2" in sent["problem"], sent
    serving.wait(lambda: server.done("GET", f"/v1/apps/{name}/pushes/{sent['push']}").get("finished_at"), "it is over")
    counts = server.done("GET", f"/v1/apps/{name}/pushes/{sent['push']}")["counts"]
    assert counts["accepted"] + counts["unknown"] <= 2 and counts["cancelled"] >= 6, counts


@pytest.mark.parametrize("mode", [HANDSHAKE, MODERN])
def test_a_client_that_can_ask_the_person_asks_and_only_a_yes_sends(desk, received, mode):
    asked = []

    def person(params):
        asked.append(params)
        return [
            mcp_types.ElicitResult(action="decline"), mcp_types.ElicitResult(action="cancel"),
            mcp_types.ElicitResult(action="accept", content={"confirm": False}), agree(params),
        ][len(asked) - 1]

    async def body():
        async with desk.client("--allow-send", "--require-person", mode=mode, answer=person) as client:
            await client.list_tools()
            for _ in range(3):
                draft = await call(client, "draft_push", to={"users": ["ann"]}, message=MESSAGE)
                text = await refused(client, "send_push", confirmation=draft["sending"]["confirmation"], confirm=True)
                assert "declined" in text
            draft = await call(client, "draft_push", to={"users": ["ann"]}, message=MESSAGE)
            sent = await call(client, "send_push", confirmation=draft["sending"]["confirmation"], confirm=True)
            assert sent["targeted"] == 1
        # The same program, and a client that cannot ask.
        async with desk.client("--allow-send", "--require-person", mode=mode) as client:
            await client.list_tools()
            draft = await call(client, "draft_push", to={"users": ["ann"]}, message=MESSAGE)
            text = await refused(client, "send_push", confirmation=draft["sending"]["confirmation"], confirm=True)
            assert "cannot ask" in text

    run(body())
    assert len(asked) == 4
    for part in ("1 device?", "App: shop", "Worst case: apns", "From a model"):
        assert part in asked[0].message, asked[0].message
    serving.wait(lambda: received("apns", IPHONE) == 1, "the push arrives")


def test_a_draft_that_is_kept_waits_for_a_person(desk, server, received):
    async def body():
        async with desk.client() as client:
            await client.list_tools()
            return (await call(client, "save_draft", to={"users": ["ann"]}, message=MESSAGE))["push"]

    push = run(body())
    assert server.done("GET", f"/v1/apps/shop/pushes/{push}")["state"] == "draft"
    assert received("apns", IPHONE) == 0
    server.done("POST", f"/v1/apps/shop/pushes/{push}/send")
    serving.wait(lambda: received("apns", IPHONE) == 1, "the draft is sent")


# The process


def test_the_program_ends_with_its_input_and_prints_the_protocol_only(tmp_path):
    desk = Desk(tmp_path)
    process = subprocess.Popen(
        [command(), "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, **desk.environment})
    lines = [b"{", b"\xff\xfe\x00", b"[]", b'{"jsonrpc":"2.0","id":1,"method":"ping"}', b"x" * (2 << 20)]
    output, errors = process.communicate(b"\n".join(lines), timeout=30)
    assert process.returncode == 0 and errors == b""
    answers = [json.loads(line) for line in output.splitlines()]
    assert [answer.get("error", {}).get("code") for answer in answers] == [-32700, -32700, -32600, None, -32600]
