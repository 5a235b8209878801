package postrider.app;

/** When requests of one kind may be sent: at once, after a pause, or not until the configuration changes. */
final class Lane {
  static final long FIRST_PAUSE_MS = 5_000;
  static final long LONGEST_PAUSE_MS = 1_800_000;
  /** The longest Retry-After that is honoured; a longer wait means that the clock was set back. */
  static final long DAY_MS = 86_400_000;

  boolean isStopped;
  private int failures;
  private long notBefore;
  /** Whether the server set the pause. */
  private boolean isRequested;

  /** The time until which it pauses; 0 when it does not. */
  long pausedUntil(long now) {
    return notBefore > now && notBefore - now <= DAY_MS ? notBefore : 0;
  }

  void succeeded() {
    failures = 0;
    notBefore = 0;
    isRequested = false;
  }

  /** @param random of 0 to 999 */
  void failed(long now, String retryAfter, int random) {
    long pause = FIRST_PAUSE_MS;
    for (int i = 0; i < failures && pause < LONGEST_PAUSE_MS; i++) pause *= 2;
    pause = Math.min(pause, LONGEST_PAUSE_MS);
    failures++;
    pause = pause / 2 + pause / 2 * random / 1000;
    long requested = milliseconds(retryAfter);
    isRequested = requested > 0;
    notBefore = now + Math.max(pause, requested);
  }

  /** Ends a pause that no server asked for. */
  void retryNow() {
    if (isRequested) return;
    failures = 0;
    notBefore = 0;
  }

  /** Retry-After in seconds; 0 for none, and for a date. */
  private static long milliseconds(String retryAfter) {
    if (retryAfter == null || !retryAfter.trim().matches("[0-9]{1,9}")) return 0;
    return Math.min(Long.parseLong(retryAfter.trim()) * 1000, DAY_MS);
  }
}
