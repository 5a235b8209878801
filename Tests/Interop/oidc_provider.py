"""A real identity provider for the tests: oidc-provider-mock from PyPI, an OpenID provider made of Authlib."""

import contextlib
import http.client
import io
import ssl
import threading
import urllib.parse

import oidc_provider_mock
import werkzeug.serving

ANN, BOB, EVE = "ann-at-the-provider", "bob-at-the-provider", "eve-at-the-provider"
PEOPLE = {
    ANN: {"email": "Ann@example.com", "email_verified": True}, BOB: {"email": "bob@example.com", "email_verified": True},
    EVE: {"email": "ann@example.com", "email_verified": False},
}


class Provider:
    """A running provider, and the requests that it got: path, query, form."""

    def __init__(self, certificate=None, knows_clients=True):
        users = [oidc_provider_mock.User(sub=sub, claims=claims) for sub, claims in PEOPLE.items()]
        self.app = oidc_provider_mock.app(require_client_registration=knows_clients, require_nonce=True, user_claims=users)
        self.app.debug = False
        self.requests = []
        self.server = werkzeug.serving.make_server("localhost", 0, self.watched, threaded=True, ssl_context=certificate)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        self.issuer = f"http{'s' if certificate else ''}://localhost:{self.server.server_port}"

    def watched(self, environ, start):
        body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
        environ["wsgi.input"] = io.BytesIO(body)
        form = dict(urllib.parse.parse_qsl(body.decode()))
        self.requests.append((environ["PATH_INFO"], dict(urllib.parse.parse_qsl(environ["QUERY_STRING"])), form, environ.get("HTTP_AUTHORIZATION")))
        return self.app(environ, start)

    def register(self, back):
        """The client that the provider knows for this address."""
        answer = self.app.test_client().post("/oauth2/clients", json={"redirect_uris": [back], "token_endpoint_auth_method": "client_secret_basic"})
        assert answer.status_code == 201, answer.data
        return answer.get_json()

    def last(self, path):
        return next(one for one in reversed(self.requests) if one[0] == path)

    def stop(self):
        self.server.shutdown()
        self.thread.join(30)


@contextlib.contextmanager
def running(**more):
    provider = Provider(**more)
    try:
        yield provider
    finally:
        provider.stop()


def come_back(url, subject, authority=None):
    """What a browser does at the provider: takes the button with a person's name, and is sent back; what it is sent with."""
    split = urllib.parse.urlsplit(url)
    if split.scheme == "https":
        line = http.client.HTTPSConnection(split.netloc, context=ssl.create_default_context(cafile=authority), timeout=60)
    else:
        line = http.client.HTTPConnection(split.netloc, timeout=60)
    line.request("POST", f"{split.path}?{split.query}", f"sub={subject}", {"Content-Type": "application/x-www-form-urlencoded"})
    answer = line.getresponse()
    answer.read()
    line.close()
    assert answer.status == 302, answer.status
    return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(answer.headers["Location"]).query))
