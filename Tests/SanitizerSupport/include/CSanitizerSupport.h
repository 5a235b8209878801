// Nothing to call: the target is linked so that the thread sanitizer knows of Swift's locks.
