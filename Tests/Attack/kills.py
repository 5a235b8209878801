"""The server, the gateway or both are killed with SIGKILL at random times, also while the server recovers."""

import random
import time

from stage import Stage


def kill_round(folder, identity, seed, kills):
    """One folder, so many kills, one judgement; returns findings and figures."""
    rng = random.Random(f"{seed} kills")
    with Stage(folder, identity, seed, devices=rng.choice([100, 400, 1200])) as stage:
        stage.receiver.trouble = 0.02
        stage.workload.start(callers=rng.choice([2, 4, 8]))
        done = {"server": 0, "gateway": 0, "both": 0, "recovering": 0}
        while sum(done.values()) < kills:
            time.sleep(rng.uniform(0.05, 0.9))
            if not blow(stage, rng, done):
                break
            if sum(done.values()) > kills * 0.6:
                stage.receiver.trouble = 0
        stage.figures.update(kills=sum(done.values()), **{f"kills_{name}": count for name, count in done.items()})
        if stage.server.alive():
            # Now and then with the patience of a client: what is due must go by itself.
            stage.settle(patience=rng.choice([0, 0, 0, 0, 0, 0, 0, 90]))
            stage.verify()
        return stage.findings, stage.figures


def blow(stage, rng, done):
    """One kill of what the dice say, and the restart; whether the server came back."""
    target = rng.choices(["server", "gateway", "both"], [60, 20, 20])[0]
    if target == "gateway":
        stage.gateway.kill()
        done[target] += 1
        time.sleep(rng.choice([0, 0.1, 0.5]))
        stage.gateway.start()
        return True
    ended = stage.server.kill()
    if target == "both":
        stage.gateway.kill()
    done[target] += 1
    stage.restart_server(ended)
    while rng.random() < 0.25:
        # In recovery: before it listens, or just then.
        time.sleep(rng.uniform(0, 0.15))
        stage.restart_server(stage.server.kill())
        done["recovering"] += 1
    if target == "both":
        stage.gateway.start()
    return stage.await_server()
