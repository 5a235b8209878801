package postrider.app;

import java.io.File;
import java.io.IOException;
import java.util.Locale;
import org.json.JSONArray;
import org.json.JSONException;
import org.json.JSONObject;

/** What is known of this device, stored in one file. */
final class State {
  /** This device's own name, by which the server finds it under any token. */
  String name;
  /** The server's id of the device. */
  String device;
  String token;
  String environment;
  String user;
  /** Whose device it is at the server: the user of the last registration that it accepted, or may have accepted. */
  String owner;
  JSONArray tags;
  Boolean optOut;
  /** The registration that the server accepted last, when, and which server and app that was. */
  String accepted;
  long acceptedAt;
  String target;

  private final File file;
  private final File temporary;

  State(File folder) {
    file = new File(folder, "state.json");
    temporary = new File(folder, "state.tmp");
    String text = Files.read(file);
    JSONObject object;
    try {
      object = text == null ? new JSONObject() : new JSONObject(text);
    } catch (JSONException damaged) {
      object = new JSONObject();
    }
    name = text(object, "name");
    device = text(object, "device");
    token = text(object, "token");
    environment = text(object, "environment");
    user = text(object, "user");
    owner = text(object, "owner");
    tags = object.optJSONArray("tags");
    optOut = object.opt("opt_out") instanceof Boolean ? (Boolean) object.opt("opt_out") : null;
    accepted = text(object, "accepted");
    acceptedAt = object.optLong("accepted_at");
    target = text(object, "target");
  }

  boolean isOptedOut() {
    return optOut != null && optOut;
  }

  void save() throws IOException {
    File folder = file.getParentFile();
    if (!folder.isDirectory() && !folder.mkdirs() && !folder.isDirectory()) throw new IOException("no folder");
    try {
      JSONObject object = new JSONObject();
      object.putOpt("name", name).putOpt("device", device).putOpt("token", token);
      object.putOpt("environment", environment).putOpt("user", user);
      object.putOpt("owner", owner).putOpt("tags", tags);
      object.putOpt("opt_out", optOut).putOpt("accepted", accepted).put("accepted_at", acceptedAt);
      object.putOpt("target", target);
      Files.write(file, temporary, object.toString());
    } catch (JSONException impossible) {
      throw new IOException(impossible.getMessage());
    }
  }

  private static String text(JSONObject object, String name) {
    Object value = object.opt(name);
    return value instanceof String ? (String) value : null;
  }

  /** A time as RFC 3339 in UTC. */
  static String time(long milliseconds) {
    java.text.SimpleDateFormat format = new java.text.SimpleDateFormat("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.US);
    format.setTimeZone(java.util.TimeZone.getTimeZone("UTC"));
    return format.format(new java.util.Date(milliseconds));
  }
}
