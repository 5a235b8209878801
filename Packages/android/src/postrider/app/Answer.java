package postrider.app;

import org.json.JSONException;
import org.json.JSONObject;

/** What the server answered. */
final class Answer {
  /** What an answer means for its request. */
  enum Verdict {
    DONE,
    /** The same request may succeed later. */
    LATER,
    /** No request succeeds until the configuration changes. */
    STOP,
    /** This request never succeeds. */
    REFUSED
  }

  final int status;
  /** The header Retry-After, or null. */
  final String retryAfter;
  final String body;

  Answer(int status, String retryAfter, String body) {
    this.status = status;
    this.retryAfter = retryAfter;
    this.body = body;
  }

  /** Whether a refusal is about the user's identity, and not about the key. */
  boolean isAboutIdentity() {
    try {
      return new JSONObject(body).optString("type", "").startsWith("urn:postrider:problem:identity-");
    } catch (JSONException foreign) {
      return false;
    }
  }

  Verdict verdict() {
    if (status >= 200 && status < 300) return Verdict.DONE;
    if (status == 408 || status == 425 || status == 429 || status >= 500) return Verdict.LATER;
    // 404: no such app. A redirect is not followed, because the key would go along.
    if (status == 401 || status == 403 || status == 404 || status < 400) return Verdict.STOP;
    return Verdict.REFUSED;
  }
}
