package postrider.app;

import android.app.Activity;
import android.app.NotificationManager;
import android.content.Context;
import android.content.Intent;
import android.content.pm.PackageInfo;
import android.content.pm.PackageManager;
import android.net.ConnectivityManager;
import android.util.Log;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.json.JSONArray;
import org.json.JSONObject;

/** The class that apps use, on a context of the tests, with HTTP through the platform's own client. */
final class FacadeTests {
  /** An app's context. */
  static final class AppContext extends Context {
    private final File folder;
    final NotificationManager notifications = new NotificationManager();
    final ConnectivityManager network = new ConnectivityManager();

    AppContext(File folder) {
      this.folder = folder;
    }

    @Override public Context getApplicationContext() { return this; }

    @Override public File getNoBackupFilesDir() { return folder; }

    @Override public String getPackageName() { return "com.example.app"; }

    @Override public int checkSelfPermission(String permission) { return -1; }

    @Override public Object getSystemService(String name) {
      return name.equals(NOTIFICATION_SERVICE) ? notifications : name.equals(CONNECTIVITY_SERVICE) ? network : null;
    }

    @Override public PackageManager getPackageManager() {
      return new PackageManager() {
        @Override public PackageInfo getPackageInfo(String packageName, int flags) {
          PackageInfo info = new PackageInfo();
          info.versionName = packageName.equals("com.example.app") ? "4.2" : null;
          return info;
        }
      };
    }
  }

  /** A server that records requests and answers as the test says. */
  static final class Recorder {
    final List<String> lines = Collections.synchronizedList(new ArrayList<String>());
    final HttpServer server;
    volatile int status = 200;

    Recorder() throws Exception {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext("/", exchange -> {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        byte[] chunk = new byte[4096];
        InputStream in = exchange.getRequestBody();
        for (int count; (count = in.read(chunk)) > 0; ) body.write(chunk, 0, count);
        String text = body.toString("UTF-8");
        lines.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
            + exchange.getRequestHeaders().getFirst("Authorization") + " "
            + exchange.getRequestHeaders().getFirst("Postrider-Identity") + " " + text);
        byte[] answer = answer(text).getBytes("UTF-8");
        if (status == 401) answer = "{\"type\":\"urn:postrider:problem:identity-refused\"}".getBytes("UTF-8");
        if (status == 302) exchange.getResponseHeaders().set("Location", "/elsewhere");
        exchange.sendResponseHeaders(status, answer.length);
        exchange.getResponseBody().write(answer);
        exchange.close();
      });
      server.start();
    }

    private static String answer(String request) {
      try {
        JSONArray events = new JSONObject(request).optJSONArray("events");
        if (events == null) return "{\"id\":\"12\"}";
        JSONArray results = new JSONArray();
        for (int i = 0; i < events.length(); i++) results.put("recorded");
        return new JSONObject().put("results", results).toString();
      } catch (org.json.JSONException impossible) {
        return "";
      }
    }

    String origin() {
      return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Waits for the request of that index. */
    String line(int index) throws Exception {
      long end = System.currentTimeMillis() + 10_000;
      while (lines.size() <= index) {
        if (System.currentTimeMillis() > end) throw new AssertionError("no request " + index + " in " + lines);
        Thread.sleep(5);
      }
      return lines.get(index);
    }
  }

  static void run(Checks checks) {
    checks.run("an app's calls become requests", () -> calls(checks.folder()));
    checks.run("permission is asked for where there is one", FacadeTests::permission);
    checks.run("redirects are not followed", () -> redirect(checks.folder()));
  }

  private static void calls(File folder) throws Exception {
    Recorder recorder = new Recorder();
    AppContext context = new AppContext(folder);
    Checks.equal(problem(context, new Configuration("http://push.example.com", "demo", "prk_k")),
        "the server must be an https URL, or http on loopback");
    List<String> asked = Collections.synchronizedList(new ArrayList<String>());
    Postrider postrider = Postrider.start(context, new Configuration(recorder.origin() + "/", "demo", "prk_k")
        .identity((user, refresh) -> {
          asked.add(user + " " + refresh);
          return "jwt-of-" + user;
        }));
    Checks.that(postrider == Postrider.get(), "another client");
    postrider.setToken("android-1:APA91bSecret");
    String registration = recorder.line(0);
    Checks.that(registration.startsWith("POST /v1/apps/demo/devices Bearer prk_k null {"), registration);
    JSONObject body = new JSONObject(registration.substring(registration.indexOf('{')));
    Checks.equal(body.getString("type") + " " + body.getString("app_version"), "android 4.2");
    Checks.equal(body.getString("timezone"), java.util.TimeZone.getDefault().getID());

    recorder.status = 401;
    postrider.signIn("ann");
    Checks.that(recorder.line(1).contains(" jwt-of-ann {"), recorder.line(1));
    Checks.that(recorder.line(2).contains(" jwt-of-ann {"), recorder.line(2));
    recorder.status = 200;
    postrider.signIn("bob");
    Checks.that(recorder.line(3).contains(" jwt-of-bob {"), recorder.line(3));
    Checks.equal(asked, Arrays.asList("ann false", "ann true", "bob false"));

    postrider.received("0:1%2");
    Checks.that(recorder.line(4).contains("/events Bearer prk_k null {\"events\":[{\"type\":\"received\",\"message_name\":\"0:1%2\""), recorder.line(4));
    Intent tap = postrider.attach(new Intent(), "0:1%2", Map.of("deep_link", "app://parcel/7"));
    Checks.equal(postrider.opened(tap), "app://parcel/7");
    Checks.equal(postrider.opened(tap), null);
    Checks.that(recorder.line(5).contains("\"type\":\"opened\""), recorder.line(5));
    Intent press = postrider.attach(new Intent(), "0:1%3", Map.of());
    Checks.equal(postrider.action(press, "reply"), null);
    Checks.that(recorder.line(6).contains("\"action\":\"reply\""), recorder.line(6));
    Checks.equal(postrider.opened(new Intent()), null);
    Checks.equal(postrider.opened(new Intent().putExtra("other", "x")), null);
    Checks.equal(postrider.opened(null), null);

    // Offline, then back: Android's own notice of the network ends the pause.
    recorder.status = 503;
    postrider.received("0:1%4");
    recorder.line(7);
    recorder.status = 200;
    context.network.watching.onAvailable(null);
    Checks.that(recorder.line(8).contains("0:1%4"), recorder.line(8));
    postrider.clearBadge();
    Checks.equal(context.notifications.cleared, 1);
    long end = System.currentTimeMillis() + 5000;
    while (postrider.queued() > 0 && System.currentTimeMillis() < end) Thread.sleep(5);
    Checks.equal(postrider.queued() + " " + postrider.dropped() + " " + postrider.deviceId(), "0 0 12");
    Checks.equal(recorder.lines.size(), 9);
    for (String line : Log.lines) {
      Checks.that(!line.contains("APA91b") && !line.contains("prk_k") && !line.contains("jwt"), "a secret in " + line);
    }
    recorder.server.stop(0);
  }

  private static void permission() {
    Postrider postrider = Postrider.get();
    Activity activity = new Activity();
    Checks.that(postrider.askPermission(activity, 7), "not asked");
    Checks.equal(Arrays.toString(activity.requested), "[android.permission.POST_NOTIFICATIONS]");
    Activity granted = new Activity();
    granted.isGranted = true;
    Checks.that(!postrider.askPermission(granted, 7) && granted.requested == null, "asked again");
  }

  private static void redirect(File folder) throws Exception {
    Recorder recorder = new Recorder();
    recorder.status = 302;
    Request request = new Request(
        new Configuration(recorder.origin(), "demo", "prk_k"), "/v1/apps/demo/devices", "{}", null, null, false, null);
    Checks.equal(Transport.send(request).status, 302);
    Checks.equal(recorder.lines.size(), 1);
    recorder.server.stop(0);
    Checks.equal(Transport.send(request), null);
  }

  private static String problem(Context context, Configuration configuration) {
    try {
      Postrider.start(context, configuration);
      return null;
    } catch (IllegalArgumentException refused) {
      return refused.getMessage();
    }
  }

  private FacadeTests() {}
}
