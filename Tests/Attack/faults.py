"""The resource faults by name, in the order they run."""

import clock
import held
import limits
import neighbors
import restoring
import storage

ALL = {
    "disk-full": storage.disk_full,
    "read-only": storage.read_only,
    "restore": restoring.restore,
    "descriptors": limits.descriptors,
    "memory": limits.memory,
    "clock": clock.jumps,
    "clock-outage": clock.outage,
    "held": held.held,
    "evil-gateways": neighbors.evil_gateways,
    "token-endpoints": neighbors.token_endpoints,
    "webhook-hangs": neighbors.webhook_hangs,
    "crowd": neighbors.crowd,
}

# What a good app may feel of its neighbors: where the figure is, and its bounds.
GOALS = {
    "evil-gateways": [("p99_ratio", 0, 2), ("campaign_ratio", 0.8, None)],
    "token-endpoints": [("p99_ratio", 0, 2)],
    "webhook-hangs": [("p99_ratio", 0, 2)],
    "crowd": [("beside.p99_ms", 0, 50)],
}


def missed(name, figures):
    """The goals that the figures of a fault miss."""
    for path, least, most in GOALS.get(name, []):
        value = figures
        for part in path.split("."):
            value = (value or {}).get(part)
        if value is None or value < least or most is not None and value > most:
            yield f"slow: {path} is {value}, its goal is {least} to {most if most is not None else 'any'}"

