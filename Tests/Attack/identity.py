"""Keys, certificates and credentials for one run: made anew each time, trusted by nobody else."""

import datetime
import ipaddress
import json

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

TOPIC = "com.example.attack"
TEAM = "ATTACKTEAM"
PROJECT = "attack-project"
GOOD_KEYS = ("GOODKEY001", "GOODKEY002")
BAD_KEY = "BADKEY0000"


def pem(key):
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
                             serialization.NoEncryption()).decode()


class Identity:
    """The gateways' certificate and every key that the server under attack is given."""

    def __init__(self, folder):
        folder.mkdir(parents=True, exist_ok=True)
        self.certificate, self.certificate_key = folder / "gateway.pem", folder / "gateway.key"
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "attack")])
        now = datetime.datetime.now(datetime.timezone.utc)
        made = (
            x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            # The clock of the server under attack jumps by days, and by generations.
            .not_valid_before(now - datetime.timedelta(days=60)).not_valid_after(now + datetime.timedelta(days=100 * 366))
            .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
            .sign(key, hashes.SHA256()))
        self.authority = made.public_bytes(serialization.Encoding.PEM).decode()
        self.certificate.write_text(self.authority)
        self.certificate_key.write_text(pem(key))
        self.apns_keys = {name: pem(ec.generate_private_key(ec.SECP256R1())) for name in (*GOOD_KEYS, BAD_KEY)}
        self.account_key = pem(rsa.generate_private_key(public_exponent=65537, key_size=2048))

    def apns(self, port, key_id=GOOD_KEYS[0]):
        """The APNs part of an app's credentials, for a gateway on loopback."""
        return {"topic": TOPIC, "key": self.apns_keys[key_id], "key_id": key_id, "team_id": TEAM,
                "gateway": {"host": "127.0.0.1", "port": port, "ca": self.authority}}

    def fcm(self, port):
        """The FCM part. The token endpoint is the gateway's own port: no other on loopback is allowed."""
        account = {
            "type": "service_account", "project_id": PROJECT, "private_key_id": "k1", "private_key": self.account_key,
            "client_email": f"attack@{PROJECT}.iam.gserviceaccount.com", "client_id": "1",
            "token_uri": f"https://127.0.0.1:{port}/token"}
        return {"service_account": account, "gateway": {"host": "127.0.0.1", "port": port, "ca": self.authority}}


def key_id_of(authorization):
    """The `kid` of a provider token (`bearer HEADER.CLAIMS.SIGNATURE`), or an empty text."""
    import base64

    try:
        header = authorization.split(" ", 1)[1].split(".", 1)[0]
        return json.loads(base64.urlsafe_b64decode(header + "=" * (-len(header) % 4))).get("kid", "")
    except (IndexError, ValueError):
        return ""
