package postrider.app;

/** Which server and app the client reports to. */
public final class Configuration {
  final String server;
  final String app;
  final String key;
  IdentityProvider identity;
  String[] linkKeys = Links.KEYS;

  /**
   * @param server such as https://push.example.com; http is accepted for loopback only
   * @param app the app's name on the server
   * @param key an API key of the scope client
   */
  public Configuration(String server, String app, String key) {
    this.server = server != null && server.endsWith("/") ? server.substring(0, server.length() - 1) : server;
    this.app = app;
    this.key = key;
  }

  /** Asks for a signed token of a user whenever the device is registered for one. */
  public Configuration identity(IdentityProvider provider) {
    identity = provider;
    return this;
  }

  /** The members of a payload that may have a link, the first wins; a period leads into a nested object. */
  public Configuration linkKeys(String... keys) {
    linkKeys = keys.clone();
    return this;
  }

  /** Why it cannot be used; null when it can. */
  String problem() {
    if (server == null || !(isSecure(server) || isLoopback(server))) {
      return "the server must be an https URL, or http on loopback";
    }
    if (!matches(app, "[A-Za-z0-9._-]{1,100}")) return "the app's name is not one";
    if (!matches(key, "[!-~]{1,300}")) return "the key is not one";
    return null;
  }

  String path(String end) {
    return "/v1/apps/" + app + "/" + end;
  }

  /** What a registration belongs to: another server or app does not know it. */
  String target() {
    return server + path("");
  }

  private static final String REST = "(:[0-9]{1,5})?(/[A-Za-z0-9._~/-]*)?";

  private static boolean isSecure(String server) {
    return matches(server, "https://([A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+\\])" + REST);
  }

  private static boolean isLoopback(String server) {
    return matches(server, "http://(localhost|127\\.0\\.0\\.1|\\[::1\\])" + REST);
  }

  private static boolean matches(String text, String pattern) {
    return text != null && text.matches(pattern);
  }
}
