package postrider.app;

import java.util.Arrays;
import java.util.List;
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

  private static final String PROBLEM = "urn:postrider:problem:";
  /** Problems of what a request says, which it has however often it is sent. */
  private static final List<String> REFUSALS = Arrays.asList("invalid", "bad-json", "bad-request", "too-large");

  final int status;
  /** The header Retry-After, or null. */
  final String retryAfter;
  final String body;

  Answer(int status, String retryAfter, String body) {
    this.status = status;
    this.retryAfter = retryAfter;
    this.body = body;
  }

  /** The type of Postrider's problem document, such as invalid; empty for what others answer. */
  String problem() {
    try {
      String type = new JSONObject(body).optString("type", "");
      return type.startsWith(PROBLEM) ? type.substring(PROBLEM.length()) : "";
    } catch (JSONException foreign) {
      return "";
    }
  }

  Verdict verdict() {
    if (status >= 200 && status < 300) return Verdict.DONE;
    // 404: no such app. A redirect is not followed, because the key would go along.
    if (status == 401 || status == 403 || status == 404 || status < 400) return Verdict.STOP;
    // A proxy's 4xx says nothing of the request.
    return status == 413 || (status < 500 && REFUSALS.contains(problem())) ? Verdict.REFUSED : Verdict.LATER;
  }
}
