package postrider.app;

import java.util.List;

/** One POST of JSON. */
final class Request {
  final Configuration configuration;
  final String path;
  final String body;
  /** The user whom it registers the device for; null for nobody. */
  final String user;
  /** The token of Postrider-Identity, or null. */
  final String identity;
  /** Whether {@link #identity} was asked for after a 401. */
  final boolean isRefreshed;
  /** The queued events it has; null for a registration. */
  final List<String> events;

  Request(
      Configuration configuration, String path, String body, String user, String identity, boolean isRefreshed,
      List<String> events) {
    this.configuration = configuration;
    this.path = path;
    this.body = body;
    this.user = user;
    this.identity = identity;
    this.isRefreshed = isRefreshed;
    this.events = events;
  }
}
