package postrider.app;

import java.io.File;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.json.JSONArray;
import org.json.JSONException;
import org.json.JSONObject;

/** Runs the cases of Vectors/app-sdk (its README describes them), as PostriderAppTests do in Swift. */
final class VectorTests {
  private static final String KEY = "prk_client";

  private final File folder;
  private final JSONObject vector;
  private final List<String> log = new ArrayList<>();
  private long now = 1_795_219_200_000L;
  private int random = 500;
  private int names;
  private JSONObject details = new JSONObject();
  private Core core;

  private VectorTests(File folder, JSONObject vector) throws JSONException {
    this.folder = folder;
    this.vector = vector;
    details.put("locale", "de-AT").put("timezone", "Europe/Vienna").put("app_version", "1.2.3");
    open();
  }

  /** Runs the folder's cases for both platforms, and those for Android alone. */
  static void run(File vectors, Checks checks) throws Exception {
    for (String part : new String[] {"both", "android"}) {
      File[] files = new File(vectors, part).listFiles((folder, name) -> name.endsWith(".json"));
      if (files == null || files.length == 0) throw new AssertionError("no cases in " + vectors + "/" + part);
      Arrays.sort(files);
      for (File file : files) {
        JSONObject vector = new JSONObject(filled(Files.read(file)));
        checks.run(part + "/" + file.getName(), () -> {
          File folder = checks.folder();
          new VectorTests(folder, vector).run();
        });
      }
    }
  }

  /** The platform's own words in a case for both. */
  private static String filled(String text) {
    return text.replace("%TYPE%", "android").replace("%REF%", "message_name")
        .replaceAll("%ID([0-9])%", "0:1500415314455276%31bd1c9631bd1c9$1")
        .replaceAll("%TOKEN([0-9])%", "cNvJ9:APA91bTokenTokenTokenToken$1");
  }

  private void open() {
    core = new Core(folder, "android", new Core.Surroundings() {
      @Override public long now() { return now; }

      @Override public int random() { return random; }

      @Override public String newName() { return "device-" + ++names; }

      @Override public String locale() { return details.optString("locale", null); }

      @Override public String timezone() { return details.optString("timezone", null); }

      @Override public String appVersion() { return details.optString("app_version", null); }

      @Override public void log(String line) { log.add(line); }
    });
  }

  private void run() throws Exception {
    JSONArray steps = vector.getJSONArray("steps");
    for (int i = 0; i < steps.length(); i++) {
      JSONObject step = steps.getJSONObject(i);
      try {
        if (!perform(step)) throw new AssertionError("no such step");
      } catch (AssertionError failure) {
        throw new AssertionError("step " + (i + 1) + " " + step + ": " + failure.getMessage());
      }
    }
    String whole = log.toString();
    for (String secret : new String[] {KEY, "APA91b", "jwt-"}) Checks.that(!whole.contains(secret), "a secret in " + whole);
  }

  private boolean perform(JSONObject step) throws Exception {
    if (step.has("call")) return call(step);
    if (step.has("request")) return request(step);
    if (step.has("ask_identity")) return identity(step);
    if (step.has("advance")) now += step.getLong("advance");
    if (step.has("clock")) now = step.getLong("clock");
    if (step.has("random")) random = step.getInt("random");
    if (step.has("details")) details = step.getJSONObject("details");
    if (step.has("restart")) open();
    if (step.has("file")) writeFile(step);
    if (step.has("no_file")) Checks.that(!new File(folder, step.getString("no_file")).exists(), "the file is there");
    if (step.has("idle")) Checks.equal(core.next().kind, Step.Kind.IDLE);
    if (step.has("wait")) {
      Step next = core.next();
      Checks.equal(next.kind, Step.Kind.WAIT);
      Checks.equal(next.until - now, step.getLong("wait"));
    }
    if (step.has("queued")) Checks.equal(core.queued(), step.getInt("queued"));
    if (step.has("dropped")) Checks.equal(core.dropped(), step.getLong("dropped"));
    if (step.has("device")) Checks.equal(core.device(), step.isNull("device") ? null : step.getString("device"));
    if (step.has("signed_out")) {
      Checks.equal(core.isSignedOut(), step.isNull("signed_out") ? null : step.getBoolean("signed_out"));
    }
    if (step.has("log")) {
      String words = step.getString("log");
      Checks.that(log.stream().anyMatch(line -> line.contains(words)), "not in " + log);
    }
    if (step.has("link")) {
      String link = Links.find(step.getJSONObject("payload"), Links.KEYS);
      Checks.equal(link, step.isNull("link") ? null : step.getString("link"));
    }
    return true;
  }

  private boolean call(JSONObject step) throws Exception {
    switch (step.getString("call")) {
      case "start": return start(step);
      case "token": core.setToken(step.getString("token"), step.getString("environment")); return true;
      case "user": core.setUser(step.isNull("user") ? null : step.getString("user")); return true;
      case "tags": core.setTags(step.getJSONArray("tags")); return true;
      case "opt_out": core.setOptOut(step.getBoolean("value")); return true;
      case "wake": core.wake(); return true;
      case "event":
        String action = step.optString("action", null);
        for (int i = 0; i < step.optInt("times", 1); i++) {
          core.report(step.getString("type"), action, step.optString("reference", "message_name"), step.getString("notification"));
        }
        return true;
      default: return false;
    }
  }

  private boolean start(JSONObject step) {
    Configuration configuration = new Configuration(
        step.optString("server", "https://push.example.com"), step.optString("app", "demo"), step.optString("key", KEY));
    // Any provider: the case supplies the tokens.
    if (step.optBoolean("identity")) configuration.identity((user, refresh) -> null);
    Checks.equal(core.start(configuration) != null, step.optBoolean("refused"));
    return true;
  }

  private boolean request(JSONObject step) throws Exception {
    Step next = core.next();
    Checks.equal(next.kind, Step.Kind.REQUEST);
    Request request = next.request;
    JSONObject expected = step.getJSONObject("request");
    Checks.equal(request.configuration.server + request.path,
        expected.optString("server", "https://push.example.com") + expected.getString("path"));
    Checks.equal(request.identity, expected.optString("identity", null));
    if (expected.has("body")) same(new JSONObject(request.body), expected.getJSONObject("body"), "body");
    if (expected.has("events")) {
      Checks.equal(new JSONObject(request.body).getJSONArray("events").length(), expected.getInt("events"));
    }
    meanwhile(step);
    core.answered(request, answer(step, request));
    return true;
  }

  private void meanwhile(JSONObject step) throws Exception {
    JSONArray calls = step.optJSONArray("meanwhile");
    for (int i = 0; calls != null && i < calls.length(); i++) call(calls.getJSONObject(i));
  }

  /** The answer; `"recorded": true` is one that records every event. */
  private static Answer answer(JSONObject step, Request request) throws JSONException {
    if (step.isNull("answer")) return null;
    JSONObject answer = step.getJSONObject("answer");
    String body = answer.optString("text", answer.has("body") ? answer.getJSONObject("body").toString() : "");
    if (answer.optBoolean("recorded")) {
      JSONArray results = new JSONArray();
      for (int i = 0; i < request.events.size(); i++) results.put("recorded");
      body = new JSONObject().put("results", results).toString();
    }
    return new Answer(answer.getInt("status"), answer.optString("retry_after", null), body);
  }

  private boolean identity(JSONObject step) throws Exception {
    Step next = core.next();
    Checks.equal(next.kind, Step.Kind.IDENTITY);
    Checks.equal(next.user, step.getString("ask_identity"));
    Checks.equal(next.refresh, step.optBoolean("refresh"));
    meanwhile(step);
    core.identified(next.user, step.isNull("token") ? null : step.getString("token"));
    return true;
  }

  private void writeFile(JSONObject step) throws Exception {
    File file = new File(folder, step.getString("file"));
    file.getParentFile().mkdirs();
    Files.write(file, new File(folder, "written"), step.getString("text"));
  }

  /** Compares values whatever the order of members. */
  static void same(Object found, Object expected, String path) throws JSONException {
    if (expected instanceof JSONObject && found instanceof JSONObject) {
      JSONObject one = (JSONObject) found;
      JSONObject other = (JSONObject) expected;
      for (java.util.Iterator<String> names = other.keys(); names.hasNext(); ) {
        String name = names.next();
        same(one.opt(name), other.get(name), path + "." + name);
      }
      Checks.that(one.length() == other.length(), path + ": " + found);
    } else if (expected instanceof JSONArray && found instanceof JSONArray) {
      JSONArray one = (JSONArray) found;
      JSONArray other = (JSONArray) expected;
      Checks.that(one.length() == other.length(), path + ": " + found);
      for (int i = 0; i < other.length(); i++) same(one.get(i), other.get(i), path + "[" + i + "]");
    } else {
      Checks.that(Objects.equals(found, expected), path + ": " + found + " is not " + expected);
    }
  }
}
