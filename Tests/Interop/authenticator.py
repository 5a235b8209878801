"""An authenticator in software, built on Yubico's fido2: it makes passkeys and signs challenges as a browser with a key does."""

import os

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from fido2.cose import ES256, RS256, EdDSA
from fido2.utils import sha256, websafe_decode, websafe_encode
from fido2.webauthn import AttestationObject, AttestedCredentialData, AuthenticatorData, CollectedClientData

ALGORITHMS = {"ES256": -7, "EdDSA": -8, "RS256": -257}


class Authenticator:
    """One passkey."""

    def __init__(self, algorithm="ES256"):
        self.algorithm = algorithm
        self.id = os.urandom(32)
        self.counter = 0
        self.handle = None
        self.key = {
            "ES256": lambda: ec.generate_private_key(ec.SECP256R1()), "EdDSA": ed25519.Ed25519PrivateKey.generate,
            "RS256": lambda: rsa.generate_private_key(65537, 2048)}[algorithm]()

    @property
    def data(self):
        """The credential as a server keeps it."""
        kind = {"ES256": ES256, "EdDSA": EdDSA, "RS256": RS256}[self.algorithm]
        return AttestedCredentialData.create(b"\0" * 16, self.id, kind.from_cryptography_key(self.key.public_key()))

    def sign(self, message):
        if self.algorithm == "ES256":
            return self.key.sign(message, ec.ECDSA(hashes.SHA256()))
        if self.algorithm == "EdDSA":
            return self.key.sign(message)
        return self.key.sign(message, padding.PKCS1v15(), hashes.SHA256())

    def create(self, options, origin):
        """What a browser at `origin` sends for creation options."""
        options = options["publicKey"]
        assert ALGORITHMS[self.algorithm] in [one["alg"] for one in options["pubKeyCredParams"]]
        self.handle = websafe_decode(options["user"]["id"])
        flags = AuthenticatorData.FLAG.UP | AuthenticatorData.FLAG.UV | AuthenticatorData.FLAG.AT
        data = AuthenticatorData.create(sha256(options["rp"]["id"].encode()), flags, self.counter, self.data)
        client = CollectedClientData.create("webauthn.create", websafe_decode(options["challenge"]), origin)
        return self.credential({
            "clientDataJSON": client, "attestationObject": AttestationObject.create("none", data, {})})

    def get(self, options, origin):
        """What a browser at `origin` sends for request options."""
        options = options["publicKey"]
        flags = AuthenticatorData.FLAG.UP | AuthenticatorData.FLAG.UV
        data = AuthenticatorData.create(sha256(options["rpId"].encode()), flags, self.counter)
        client = CollectedClientData.create("webauthn.get", websafe_decode(options["challenge"]), origin)
        return self.credential({
            "clientDataJSON": client, "authenticatorData": data, "signature": self.sign(data + client.hash),
            "userHandle": self.handle})

    def credential(self, response):
        return {
            "id": websafe_encode(self.id), "rawId": websafe_encode(self.id), "type": "public-key",
            "response": {name: websafe_encode(bytes(value)) for name, value in response.items()},
            "clientExtensionResults": {}}
