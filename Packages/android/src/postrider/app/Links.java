package postrider.app;

import java.util.Map;
import org.json.JSONException;
import org.json.JSONObject;

/** The link that a payload asks the app to open. */
final class Links {
  static final String[] KEYS = {"deep_link", "link", "url", "adb_uri", "custom.u"};

  /** The first of the keys that has a text; null when none has. */
  static String find(Map<String, String> data, String[] keys) {
    return data == null ? null : find(new JSONObject(data), keys);
  }

  static String find(JSONObject payload, String[] keys) {
    for (String key : keys) {
      Object value = payload;
      for (String name : key.split("\\.")) {
        JSONObject object = object(value);
        value = object == null ? null : object.opt(name);
      }
      if (value instanceof String && !((String) value).isEmpty()) return (String) value;
    }
    return null;
  }

  /** An object, or the one that a text has as JSON: FCM carries texts only. */
  private static JSONObject object(Object value) {
    if (value instanceof JSONObject) return (JSONObject) value;
    if (!(value instanceof String)) return null;
    try {
      return new JSONObject((String) value);
    } catch (JSONException notJSON) {
      return null;
    }
  }

  private Links() {}
}
