"""The resource faults by name, in the order they run."""

import clock
import limits
import neighbors
import storage

ALL = {
    "disk-full": storage.disk_full,
    "read-only": storage.read_only,
    "descriptors": limits.descriptors,
    "memory": limits.memory,
    "clock": clock.jumps,
    "evil-gateways": neighbors.evil_gateways,
    "token-endpoints": neighbors.token_endpoints,
    "webhook-hangs": neighbors.webhook_hangs,
    "crowd": neighbors.crowd,
}

