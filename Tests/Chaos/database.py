"""PostgreSQL's part of the cluster: a primary and a synchronous standby, of Debian's package, in one folder.

Both flush to the disk as in production. The primary acknowledges a commit when the standby has it on its disk, too, so that the
standby can replace it without a loss. Superusers come over a socket in the folder; Postrider comes over loopback, or from the
networks of the nodes, with a password.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess

from processes import Failed, Process, wait

ROLE, DATABASE = "postrider", "postrider"

CONFIGURATION = """
listen_addresses = '{hosts}'
unix_socket_directories = '{sockets}'
max_connections = 200
shared_buffers = 128MB
fsync = on
synchronous_commit = on
wal_level = replica
max_wal_senders = 5
wal_keep_size = 512MB
hot_standby = on
# A standby that is promoted looks no further for a primary that is gone.
wal_retrieve_retry_interval = 500ms
# A node whose machine is gone holds no lock for longer than this.
tcp_keepalives_idle = 10
tcp_keepalives_interval = 5
tcp_keepalives_count = 3
log_line_prefix = '%m [%p] '
log_min_messages = warning
"""
# Beyond loopback a node asks the server who it is.
ENCRYPTED = """
ssl = on
ssl_cert_file = '{folder}/database.crt'
ssl_key_file = '{folder}/database.key'
"""
ACCESS = "local all all trust\nlocal replication all trust\nhost {database} {role} samenet scram-sha-256\n"


def programs():
    """The folder of PostgreSQL's programs, which Debian keeps out of PATH."""
    for version in range(30, 12, -1):
        folder = pathlib.Path(f"/usr/lib/postgresql/{version}/bin")
        if os.access(folder / "initdb", os.X_OK):
            return folder
    raise Failed("PostgreSQL is not installed: apt-get install postgresql")


def as_server():
    """The start of a command that runs as the server's user: the server refuses to run as root."""
    user = ["--reuid", "postgres", "--regid", "postgres", "--clear-groups"] if os.getuid() == 0 else []
    return ["setpriv", *user, "--pdeathsig", "KILL", "--"]


class Server:
    """One PostgreSQL server: `name`, its data in a folder of that name, its port."""

    def __init__(self, folder, name, port, host):
        self.folder, self.name, self.port, self.host = folder, name, port, host
        self.data, self.sockets = folder / name, folder / "sockets"
        self.process = Process(
            name, [*as_server(), str(programs() / "postgres"), "-D", str(self.data), "-p", str(port), "-c", f"cluster_name={name}"],
            folder / f"{name}.log")

    def run(self, program, *words):
        done = subprocess.run([*as_server(), str(programs() / program), *words], capture_output=True, text=True, timeout=120,
                              cwd=self.folder)
        if done.returncode:
            raise Failed(f"{program} of {self.name}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout

    def sql(self, text, database="postgres", seconds=30):
        """What a statement prints, a line for each row."""
        words = [str(programs() / "psql"), "-XqAt", "-v", "ON_ERROR_STOP=1", "-h", str(self.sockets), "-p", str(self.port),
                 "-U", "postgres", "-d", database, "-c", text]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=seconds)
        except subprocess.TimeoutExpired as error:
            raise Failed(f"{self.name} did not answer within {seconds} s: {text}") from error
        if done.returncode:
            raise Failed(f"{self.name}: {done.stderr.strip()}")
        return done.stdout

    def rows(self, query):
        """The rows of a query in Postrider's database, each a dictionary."""
        return [json.loads(line) for line in self.sql(f"SELECT row_to_json(found) FROM ({query}) AS found", DATABASE).splitlines()]

    def start(self):
        self.process.start()

        def is_ready():
            self.process.expect()
            return subprocess.run([str(programs() / "pg_isready"), "-q", "-h", str(self.sockets), "-p", str(self.port), "-U", "postgres"]).returncode == 0

        wait(is_ready, f"{self.name} starts", 60)

    def create(self, password):
        """Makes the first data folder, the role and the database."""
        self.run("initdb", "-D", str(self.data), "-A", "trust", "-E", "UTF8", "--locale=C", "-U", "postgres")
        with open(self.data / "postgresql.conf", "a") as file:
            file.write(CONFIGURATION.format(sockets=self.sockets, hosts=",".join(sorted({"127.0.0.1", self.host}))))
            if self.host != "127.0.0.1":
                file.write(ENCRYPTED.format(folder=self.folder))
        (self.data / "pg_hba.conf").write_text(ACCESS.format(database=DATABASE, role=ROLE))
        self.start()
        self.sql(f"CREATE ROLE {ROLE} LOGIN PASSWORD '{password}'")
        self.sql(f"CREATE DATABASE {DATABASE} OWNER {ROLE} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'")

    def follow(self, primary):
        """Becomes the standby of a primary, with a fresh copy of its data."""
        shutil.rmtree(self.data, ignore_errors=True)
        self.run("pg_basebackup", "-D", str(self.data), "-h", str(self.sockets), "-p", str(primary.port), "-U", "postgres",
                 "-X", "stream", "-c", "fast", "-R")
        with open(self.data / "postgresql.auto.conf", "a") as file:
            file.write(f"primary_conninfo = 'host={self.sockets} port={primary.port} user=postgres application_name={self.name}'\n")
        self.start()

    def demand(self, names):
        """Which standbys a commit waits for: '*' for any one, '' for none."""
        self.sql(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'")
        self.sql("SELECT pg_reload_conf()")

    def has_synchronous_standby(self):
        return self.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state IN ('sync', 'quorum')").strip() != "0"

    def promote(self):
        self.run("pg_ctl", "promote", "-D", str(self.data), "-w", "-t", "60")


class Pair:
    """The primary and its standby, and which of them is which."""

    def __init__(self, folder, ports, host="127.0.0.1"):
        self.folder, self.host = folder, host
        self.primary = Server(folder, "pg1", ports[0], host)
        self.standby = Server(folder, "pg2", ports[1], host)
        self.servers = [self.primary, self.standby]

    def create(self, password):
        sockets = self.folder / "sockets"
        if len(str(sockets)) > 80:
            raise Failed(f"the path {self.folder} is too long for a socket; choose a shorter --folder")
        sockets.mkdir(mode=0o700)
        if os.getuid() == 0:
            for path in (self.folder, sockets):
                shutil.chown(path, "postgres")
        if self.host != "127.0.0.1":
            self.certify()
        self.primary.create(password)
        self.attach()

    def certify(self):
        """A certificate for both servers, which is its own authority."""
        key, certificate = self.folder / "database.key", self.folder / "database.crt"
        words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                 "-subj", "/CN=database", "-addext", f"subjectAltName=IP:{self.host}", "-keyout", str(key), "-out", str(certificate)]
        done = subprocess.run(words, capture_output=True, text=True)
        if done.returncode:
            raise Failed(f"openssl: {done.stderr.strip()}")
        if os.getuid() == 0:
            shutil.chown(key, "postgres")

    def attach(self):
        """Gives the primary a standby, and has commits wait for it from then on."""
        self.standby.follow(self.primary)
        self.primary.demand("*")
        self.wait_synchronous()

    def rejoin(self):
        """Starts a standby that has ended, with the data that it has, and has commits wait for it."""
        self.standby.start()
        self.primary.demand("*")
        self.wait_synchronous()

    def wait_synchronous(self):
        wait(self.primary.has_synchronous_standby, f"{self.standby.name} follows {self.primary.name}", 60)

    def fail_over(self):
        """Kills the primary and promotes the standby, which then has no standby itself: commits wait for nobody until `attach`."""
        self.primary.process.kill()
        self.standby.process.send_all(signal.SIGCONT)
        # Before the promotion: no commit shall begin to wait for a standby that is not there.
        self.standby.demand("")
        self.standby.promote()
        self.primary, self.standby = self.standby, self.primary

    def stop(self):
        for server in self.servers:
            server.process.stop(signal.SIGQUIT)
