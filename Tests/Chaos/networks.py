"""Machines on one machine, where Linux lets us: each node in a network namespace, with a cable to the callers and the gateways and
another to the database. What a pulled cable had to carry is lost, and no connection ends by that; a new one finds no way after some seconds.

    callers, HAProxy, gateways, receiver ── postrider-near ──┐
                                                             ├── node1, node2, ...
    PostgreSQL, and the proxies before it ── postrider-far ──┘

All of it, our side too, is in namespaces of our own, which go away with us.
"""

import os
import shutil
import subprocess
import sys

from processes import Failed, Process

#: Says that we are in a namespace of our own already.
MARK = "POSTRIDER_CHAOS_NETWORKS"
#: The two networks, and our address in each.
NEAR, FAR = "10.91.0", "10.91.1"
NEAR_HOST, FAR_HOST = f"{NEAR}.1", f"{FAR}.1"


def program(name):
    """A program's path: who is not root may not have the folders in PATH."""
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if found is None:
        raise Failed(f"{name} is not installed")
    return found


def unshared():
    """How a command begins that has a network of its own; whoever is not root is so within it alone, under the same name."""
    who = [] if os.getuid() == 0 else ["--user", "--map-current-user", "--keep-caps"]
    return [program("unshare"), *who, "--net", "--"]


def ip(*words, inside=()):
    done = subprocess.run([*inside, program("ip"), *words], capture_output=True, text=True)
    if done.returncode:
        raise Failed(f"ip {' '.join(words)}: {done.stderr.strip()}")


def enter():
    """Begins anew in a network of our own; comes back with the reason when that is not possible here."""
    if os.environ.get(MARK):
        return None
    try:
        program("nsenter")
        begin = unshared()
        tried = f"{program('ip')} link set lo up && {program('ip')} link add name try type bridge && {program('ip')} link add name this type veth peer name that"
    except Failed as error:
        return str(error)
    done = subprocess.run([*begin, "sh", "-c", tried], capture_output=True, text=True)
    if done.returncode:
        return done.stderr.strip() or f"unshare ended with {done.returncode}"
    os.environ[MARK] = "1"
    again = [sys.executable, "-B", *sys.argv]
    os.execv(begin[0], [*begin, "sh", "-c", f"{program('ip')} link set lo up && exec \"$@\"", "sh", *again])


class Networks:
    """The two networks, and for each node its namespace."""

    def __init__(self, folder):
        self.folder, self.names, self.holders = folder, [], {}

    def start(self, names):
        for bridge, host in (("postrider-near", NEAR_HOST), ("postrider-far", FAR_HOST)):
            ip("link", "add", "name", bridge, "type", "bridge")
            ip("addr", "add", f"{host}/24", "dev", bridge)
            ip("link", "set", bridge, "up")
        self.names = list(names)
        for name in self.names:
            self.attach(name)

    def attach(self, name):
        """A namespace for a node: it lasts as long as a process that only sleeps in it."""
        # The outermost one has made us able to do this without a namespace of users.
        words = ["unshare", "--net", "--", "sh", "-c", "echo ready; exec sleep infinity"]
        holder = Process(f"the network of {name}", words, self.folder / "networks.log", stdout=subprocess.PIPE).start()
        self.holders[name] = holder
        if not holder.running.stdout.readline():
            raise Failed(f"{holder.name}: {holder.tail()}")
        holder.running.stdout.close()
        for net, bridge, end in ((NEAR, "postrider-near", "near"), (FAR, "postrider-far", "far")):
            ip("link", "add", "name", f"{name}-{end}", "type", "veth", "peer", "name", end, "netns", str(holder.pid))
            ip("link", "set", f"{name}-{end}", "master", bridge, "up")
            ip("addr", "add", f"{self.address(name, net)}/24", "dev", end, inside=self.inside(name))
            ip("link", "set", end, "up", inside=self.inside(name))
        ip("link", "set", "lo", "up", inside=self.inside(name))

    def address(self, name, net=NEAR):
        return f"{net}.{self.names.index(name) + 11}"

    def inside(self, name):
        """How a command begins that runs in a node's namespace."""
        return ["nsenter", f"--net=/proc/{self.holders[name].pid}/ns/net", "--"]

    def pull(self, name, ends):
        """Pulls cables of a node: `near`, `far`."""
        for end in ends:
            ip("link", "set", f"{name}-{end}", "down")

    def plug(self, name, ends=("near", "far")):
        for end in ends:
            ip("link", "set", f"{name}-{end}", "up")

    def stop(self):
        for holder in self.holders.values():
            holder.kill()
