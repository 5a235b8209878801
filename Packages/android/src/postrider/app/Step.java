package postrider.app;

/** What the client does next. */
final class Step {
  enum Kind {
    REQUEST,
    IDENTITY,
    WAIT,
    IDLE
  }

  static final Step IDLE = new Step(Kind.IDLE, null, 0, null, false);

  final Kind kind;
  final Request request;
  /** The time to wait for, in milliseconds since 1970. */
  final long until;
  final String user;
  final boolean refresh;

  private Step(Kind kind, Request request, long until, String user, boolean refresh) {
    this.kind = kind;
    this.request = request;
    this.until = until;
    this.user = user;
    this.refresh = refresh;
  }

  static Step request(Request request) {
    return new Step(Kind.REQUEST, request, 0, null, false);
  }

  static Step identity(String user, boolean refresh) {
    return new Step(Kind.IDENTITY, null, 0, user, refresh);
  }

  static Step waitUntil(long time) {
    return new Step(Kind.WAIT, null, time, null, false);
  }

  /** The earlier of two waits; anything else comes before a wait. */
  static Step first(Step one, Step other) {
    if (one.kind == Kind.IDLE) return other;
    if (other.kind == Kind.IDLE) return one;
    if (one.kind != Kind.WAIT) return one;
    if (other.kind != Kind.WAIT) return other;
    return one.until <= other.until ? one : other;
  }
}
