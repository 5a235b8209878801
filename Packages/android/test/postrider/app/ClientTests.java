package postrider.app;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** The thread of the client, and the app's own code that it calls. */
final class ClientTests {
  private static Client client(final File folder) {
    return new Client(new Client.Phone() {
      @Override public File folder() { return folder; }

      @Override public String locale() { return "de-AT"; }

      @Override public String timezone() { return "Europe/Vienna"; }

      @Override public String appVersion() { return "4.2"; }

      @Override public void log(String line) {}
    });
  }

  static void run(Checks checks) {
    checks.run("whatever an identity provider throws, the client goes on", () -> throwing(checks.folder()));
    checks.run("an identity provider that does not answer delays the registration only", () -> silent(checks.folder()));
    checks.run("a sign-out is answered for", () -> signOut(checks.folder()));
  }

  /** Throws without a declaration, as Kotlin does. */
  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void raise(Throwable failure) throws E {
    throw (E) failure;
  }

  private static void throwing(File folder) throws Exception {
    FacadeTests.Recorder recorder = new FacadeTests.Recorder();
    List<Throwable> failures = new ArrayList<>(Arrays.asList(new IOException("offline"), new AssertionError("a bug")));
    Client client = client(folder);
    client.start(new Configuration(recorder.origin(), "demo", "prk_k").identity((user, refresh) -> {
      if (!failures.isEmpty()) ClientTests.<RuntimeException>raise(failures.remove(0));
      return "jwt-of-" + user;
    }));
    client.setUser("ann");
    client.setToken("android-1:APA91bSecret");
    client.report("received", null, "0:1%2");
    Checks.that(recorder.line(0).contains("0:1%2"), recorder.line(0));
    client.wake();
    client.report("received", null, "0:1%3");
    Checks.that(recorder.line(1).contains("0:1%3"), recorder.line(1));
    client.wake();
    Checks.that(recorder.line(2).contains(" jwt-of-ann {"), recorder.line(2));
    recorder.server.stop(0);
  }

  private static void silent(File folder) throws Exception {
    FacadeTests.Recorder recorder = new FacadeTests.Recorder();
    CountDownLatch interrupted = new CountDownLatch(1);
    CountDownLatch late = new CountDownLatch(1);
    CountDownLatch returned = new CountDownLatch(1);
    List<String> asked = Collections.synchronizedList(new ArrayList<String>());
    Client client = client(folder);
    client.identityMs = 200;
    client.start(new Configuration(recorder.origin(), "demo", "prk_k").identity((user, refresh) -> {
      asked.add(user);
      if (asked.size() > 1) return "jwt-in-time";
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException ended) {
        interrupted.countDown();
      }
      try {
        late.await();
      } catch (InterruptedException again) {
        asked.add("interrupted twice");
      }
      returned.countDown();
      return "jwt-too-late";
    }));
    client.setUser("ann");
    client.setToken("android-1:APA91bSecret");
    client.report("received", null, "0:1%2");
    Checks.that(recorder.line(0).contains("0:1%2"), recorder.line(0));
    Checks.that(interrupted.await(5, TimeUnit.SECONDS), "not interrupted");
    // Its answer comes when nobody waits for it, and is not used.
    late.countDown();
    Checks.that(returned.await(5, TimeUnit.SECONDS), "not returned");
    client.wake();
    Checks.that(recorder.line(1).contains(" jwt-in-time {"), recorder.line(1));
    Checks.equal(asked, Arrays.asList("ann", "ann"));
    Checks.equal(recorder.lines.size(), 2);
    recorder.server.stop(0);
  }

  private static void signOut(File folder) throws Exception {
    FacadeTests.Recorder recorder = new FacadeTests.Recorder();
    List<Boolean> heard = Collections.synchronizedList(new ArrayList<Boolean>());
    Client client = client(folder);
    client.start(new Configuration(recorder.origin(), "demo", "prk_k"));
    client.setToken("android-1:APA91bSecret");
    client.setUser("ann");
    sent(recorder, "ann");
    recorder.status = 503;
    client.signOut(heard::add);
    Checks.that(!recorder.line(recorder.lines.size()).contains("\"user\""), recorder.lines.toString());
    Checks.equal(heard, Arrays.asList());
    recorder.status = 200;
    client.wake();
    heard(heard, true);
    recorder.status = 503;
    client.setUser("bob");
    sent(recorder, "bob");
    client.signOut(heard::add);
    client.setUser("ann");
    heard(heard, true, false);
    // No token: the server has nothing of the device.
    Client other = client(new File(folder, "other"));
    other.signOut(heard::add);
    heard(heard, true, false, true);
    recorder.server.stop(0);
  }

  /** Waits until a user's registration was sent. */
  private static void sent(FacadeTests.Recorder recorder, String user) throws Exception {
    for (int i = 0; !recorder.line(i).contains("\"user\":\"" + user + "\""); i++) continue;
  }

  private static void heard(List<Boolean> heard, Boolean... expected) throws Exception {
    long end = System.currentTimeMillis() + 5000;
    while (heard.size() < expected.length && System.currentTimeMillis() < end) Thread.sleep(5);
    Checks.equal(heard, Arrays.asList(expected));
  }

  private ClientTests() {}
}
