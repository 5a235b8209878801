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
    "held": held.held,
    "evil-gateways": neighbors.evil_gateways,
    "token-endpoints": neighbors.token_endpoints,
    "webhook-hangs": neighbors.webhook_hangs,
    "crowd": neighbors.crowd,
}

