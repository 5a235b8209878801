package postrider.app;

/** Supplies the signed identity of the person who is signed in. */
public interface IdentityProvider {
  /**
   * The user's token (a JWT), which is sent as the header Postrider-Identity. Called on a background thread, which it
   * may block for 30 seconds; then it is interrupted, and counts as having none now.
   *
   * @param refresh whether the server refused the last token: a cached one is of no use
   * @return null when there is none now; the registration is tried again later
   */
  String token(String user, boolean refresh);
}
