"""The cluster as a program: starts it, says what to try, and obeys the same program in another terminal, over a socket in its folder.

    script/cluster                         starts a cluster and runs until Ctrl-C
    script/cluster kill-node node1         kills a node without warning; start-node starts it again
    script/cluster stop node1              stops a node in the middle of whatever it does; cont lets it continue
    script/cluster kill-primary            kills the primary and promotes the standby
    script/cluster add-standby             makes a standby of what is left of the old primary
    script/cluster status                  who runs, who is the primary, what commits wait for
"""

import argparse
import os
import pathlib
import select
import signal
import socket
import sys
import time

from cluster import APP, Cluster, fail
from processes import Failed, wait

FOLDER = "/tmp/postrider-cluster"
OF_A_NODE = ("kill-node", "start-node", "stop", "cont")
DEMO_DEVICES = 300


class Ctrl(Exception):
    """Ctrl-C, or a request to end."""


def arguments():
    parser = argparse.ArgumentParser(prog="script/cluster", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", nargs="?", choices=[*OF_A_NODE, "kill-primary", "add-standby", "status"])
    parser.add_argument("node", nargs="?", help="such as node1")
    parser.add_argument("--folder", default=FOLDER, help=f"where everything is, and is removed from at the end; {FOLDER} unless given")
    parser.add_argument("--nodes", type=int, default=3, metavar="N", help="how many nodes, 1 to 9; 3 unless given")
    parser.add_argument("--port", type=int, default=8787, help="where HAProxy listens, 0 for any free port; 8787 unless given")
    found = parser.parse_args()
    if not 1 <= found.nodes <= 9:
        parser.error("--nodes is 1 to 9")
    if (found.command in OF_A_NODE) != (found.node is not None):
        parser.error("name a node, such as: script/cluster kill-node node1" if found.node is None else f"{found.command} takes no node")
    return found


class Acts:
    """What the commands do; each returns what to print."""

    def __init__(self, cluster):
        self.cluster = cluster

    def run(self, command, name):
        act = getattr(self, command.replace("-", "_"))
        return act(self.cluster.node(name)) if command in OF_A_NODE else act()

    def kill_node(self, node):
        node.process.kill()
        return f"{node.name} is dead. HAProxy leaves it out; what it had on the wire is sent again by another node within its lease's term."

    def start_node(self, node):
        if node.process.alive():
            raise Failed(f"{node.name} is running")
        node.start()
        node.wait_ready()
        return f"{node.name} is back."

    def stop(self, node):
        node.pause()
        return f"{node.name} stands still. Longer than its lease's term, and what it was about to send is another node's: see what it does after cont."

    def cont(self, node):
        node.resume()
        return f"{node.name} continues."

    def kill_primary(self):
        pair = self.cluster.pair
        if not pair.standby.process.alive():
            raise Failed(f"{pair.primary.name} has no standby that could replace it; first: script/cluster add-standby")
        dead, begun = pair.primary.name, time.monotonic()
        pair.fail_over()
        promoted = time.monotonic()
        wait(lambda: any(node.process.alive() and not node.is_paused and node.is_ready() for node in self.cluster.nodes), "a node is ready", 60)
        return (f"{dead} is dead, and {pair.primary.name} is the primary after {promoted - begun:.1f} s; a node was ready {time.monotonic() - promoted:.1f} s later.\n"
                "Commits wait for no standby now, so that writes go on: what is acknowledged until script/cluster add-standby is on one disk only.")

    def add_standby(self):
        pair = self.cluster.pair
        if pair.standby.process.alive():
            raise Failed(f"{pair.standby.name} is the standby already")
        pair.attach()
        return f"{pair.standby.name} follows {pair.primary.name}, and commits wait for it again."

    def status(self):
        pair = self.cluster.pair
        lines = [f"{node.name}: {'dead' if not node.process.alive() else 'stopped' if node.is_paused else 'ready' if node.is_ready() else 'not ready'}, {node.origin}"
                 for node in self.cluster.nodes]
        lines.append(f"{pair.primary.name}: primary, port {pair.primary.port}")
        if not pair.standby.process.alive():
            lines.append(f"{pair.standby.name}: dead; commits wait for no standby")
        else:
            is_waited_for = pair.primary.has_synchronous_standby()
            lines.append(f"{pair.standby.name}: standby, {'synchronous' if is_waited_for else 'not synchronous'}, port {pair.standby.port}")
        return "\n".join(lines)


# MARK: - The running cluster

def guide(cluster, options):
    """What to paste into another terminal."""
    folder = f" --folder {options.folder}" if options.folder != FOLDER else ""
    other = min(2, cluster.count)
    return f"""
{cluster.count} {"node" if cluster.count == 1 else "nodes"} behind {cluster.origin}, {DEMO_DEVICES} virtual phones at the emulator. The dashboard is at the same address;
the key is in {cluster.folder}/admin-key. Ctrl-C stops and removes everything. In another terminal:

  PATH="{pathlib.Path(cluster.program).resolve().parent}:$PATH"
  export POSTRIDER_URL={cluster.origin} POSTRIDER_KEY=$(cat {cluster.folder}/admin-key) POSTRIDER_APP={APP}

  # A push of a quarter of a minute, to all phones. Meanwhile a node dies, and then the primary.
  postrider push send --all --title Hello --body "Still here" --throttle 1200
  script/cluster kill-node node1{folder}
  script/cluster kill-primary{folder}
  postrider push watch 1                 # accepted is {DEMO_DEVICES}: nobody was left out

  script/cluster add-standby{folder}             # so that the next primary may die
  script/cluster start-node node1{folder}
  # Longer than its lease's term: another node sends what this one was about to send.
  script/cluster stop node{other}{folder}; sleep 30; script/cluster cont node{other}{folder}
  script/cluster status{folder}
"""


def demo_devices(cluster):
    for number in range(DEMO_DEVICES):
        device = {"type": "ios", "token": f"{number:064x}"} if number % 2 else {"type": "android", "token": f"phone-{number}"}
        cluster.ask("POST", f"/v1/apps/{APP}/devices", {"name": f"phone-{number}", **device})


def serve(cluster, listener):
    """Obeys commands, and watches the processes, until Ctrl-C."""
    acts = Acts(cluster)
    while True:
        ready, _, _ = select.select([listener], [], [], 1)
        for process in (cluster.front, cluster.emulator):
            process.expect()
        if not ready:
            continue
        caller, _ = listener.accept()
        with caller:
            caller.settimeout(5)
            try:
                command, _, name = caller.recv(200).decode().strip().partition(" ")
                text = f"0 {acts.run(command, name)}"
            except Failed as error:
                text = f"1 {error}"
            except (OSError, AttributeError) as error:
                text = f"1 the command was not understood: {error}"
            try:
                caller.sendall(text.encode())
            except OSError:
                pass  # Who asked has gone.


def run(options, program):
    cluster = Cluster(options.folder, program, options.nodes, options.port)

    def end(*_):
        raise Ctrl

    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)
    is_ours = False
    try:
        is_ours = not cluster.folder.exists() or not any(cluster.folder.iterdir())
        cluster.start(lambda text: print(f"cluster: {text}", flush=True))
        demo_devices(cluster)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(cluster.folder / "control"))
            listener.listen()
            print(guide(cluster, options), flush=True)
            serve(cluster, listener)
    except Ctrl:
        print("\ncluster: stopping", flush=True)
    except Failed as error:
        print(f"cluster: {error}", file=sys.stderr)
        return 1
    finally:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        cluster.stop()
        if is_ours:
            cluster.remove()
    return 0


def command(options):
    """Hands a command to the running cluster."""
    path = pathlib.Path(options.folder) / "control"
    with socket.socket(socket.AF_UNIX) as caller:
        try:
            caller.connect(str(path))
        except OSError:
            fail(f"no cluster runs in {options.folder}; start one with script/cluster")
        caller.sendall(f"{options.command} {options.node or ''}".encode())
        caller.shutdown(socket.SHUT_WR)
        answer = b""
        while part := caller.recv(65536):
            answer += part
    status, _, text = answer.decode().partition(" ")
    if status != "0":
        fail(f"cluster: {text}")
    print(text)


if __name__ == "__main__":
    OPTIONS = arguments()
    if OPTIONS.command:
        command(OPTIONS)
    else:
        sys.exit(run(OPTIONS, os.environ["POSTRIDER"]))
