package postrider.app;

import android.content.Intent;
import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.util.Collections;
import java.util.Map;
import org.json.JSONObject;

/**
 * An app on a phone, worked by lines of JSON: Tests/Interop/test_app_sdks.py describes them. The argument is the app's
 * folder, which outlives the process. Each line is answered when its call has returned.
 */
final class PhoneMain {
  private static Postrider postrider;
  /** What became of the last sign-out; null while it is tried. */
  private static volatile Boolean signedOut;

  public static void main(String[] arguments) throws Exception {
    FacadeTests.AppContext context = new FacadeTests.AppContext(new File(arguments[0]));
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
    for (String line; (line = in.readLine()) != null; ) {
      System.out.println(perform(new JSONObject(line), context));
      System.out.flush();
    }
  }

  private static JSONObject perform(JSONObject call, FacadeTests.AppContext context) throws Exception {
    JSONObject answer = new JSONObject();
    switch (call.getString("call")) {
      case "start":
        Configuration configuration =
            new Configuration(call.getString("server"), call.getString("app"), call.getString("key"));
        JSONObject identities = call.optJSONObject("identities");
        if (identities != null) configuration.identity((user, refresh) -> identity(identities, user, refresh));
        postrider = Postrider.start(context, configuration);
        break;
      case "token": postrider.setToken(call.getString("token")); break;
      case "user": postrider.signIn(call.getString("user")); break;
      case "user_out":
        signedOut = null;
        postrider.signOut(isTaken -> signedOut = isTaken);
        break;
      case "received": postrider.received(call.getString("id")); break;
      case "opened": answer.put("link", postrider.opened(intent(call))); break;
      case "action": answer.put("link", postrider.action(intent(call), call.getString("action"))); break;
      case "wake": postrider.wake(); break;
      default: break;
    }
    answer.put("signed_out", signedOut);
    return answer.put("device", postrider.deviceId()).put("queued", postrider.queued()).put("dropped", postrider.dropped());
  }

  /** The user's tokens: the first, and the second when the server refused it. */
  private static String identity(JSONObject identities, String user, boolean refresh) {
    org.json.JSONArray tokens = identities.optJSONArray(user);
    return tokens == null ? null : tokens.optString(refresh ? 1 : 0, null);
  }

  /** The intent of the activity that a tap opens. */
  private static Intent intent(JSONObject call) throws Exception {
    JSONObject payload = call.getJSONObject("payload");
    Map<String, String> data = new java.util.HashMap<>();
    for (java.util.Iterator<String> names = payload.keys(); names.hasNext(); ) {
      String name = names.next();
      data.put(name, payload.getString(name));
    }
    return postrider.attach(new Intent(), call.getString("id"), Collections.unmodifiableMap(data));
  }

  private PhoneMain() {}
}
