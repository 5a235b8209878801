package postrider.app;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.json.JSONArray;

/** Runs the core: one thread while there is something to send, calls from any thread. */
final class Client {
  /** What a phone is, and what a test replaces. */
  interface Phone {
    File folder();

    String locale();

    String timezone();

    String appVersion();

    void log(String line);
  }

  /** How long an identity is waited for: without a bound, an app that never answers would stop everything. */
  long identityMs = 30_000;

  private final Core core;
  private final List<Postrider.SignOutListener> leaving = new ArrayList<>();
  private Configuration configuration;
  private Thread worker;

  Client(final Phone phone) {
    core = new Core(phone.folder(), "android", new Core.Surroundings() {
      @Override public long now() { return System.currentTimeMillis(); }

      @Override public int random() { return (int) (Math.random() * 1000); }

      @Override public String newName() { return UUID.randomUUID().toString(); }

      @Override public String locale() { return phone.locale(); }

      @Override public String timezone() { return phone.timezone(); }

      @Override public String appVersion() { return phone.appVersion(); }

      @Override public void log(String line) { phone.log(line); }
    });
  }

  synchronized String start(Configuration configuration) {
    String problem = core.start(configuration);
    if (problem == null) this.configuration = configuration;
    work();
    return problem;
  }

  synchronized void setToken(String token) {
    core.setToken(token, "production");
    work();
  }

  void setUser(String user) {
    synchronized (this) {
      core.setUser(user);
      work();
    }
    finishLeaving();
  }

  /** Signs out; the listener is called once: with true when the server has taken it, with false when it will not. */
  void signOut(Postrider.SignOutListener listener) {
    synchronized (this) {
      core.setUser(null);
      if (listener != null) leaving.add(listener);
      work();
    }
    finishLeaving();
  }

  /** Not with the lock held: the listeners are the app's own code. */
  private void finishLeaving() {
    List<Postrider.SignOutListener> left;
    Boolean isTaken;
    synchronized (this) {
      isTaken = leaving.isEmpty() ? null : core.isSignedOut();
      if (isTaken == null) return;
      left = new ArrayList<>(leaving);
      leaving.clear();
    }
    for (Postrider.SignOutListener listener : left) listener.signedOut(isTaken);
  }

  synchronized void setTags(Iterable<String> tags) {
    JSONArray array = new JSONArray();
    for (String tag : tags) array.put(tag);
    core.setTags(array);
    work();
  }

  synchronized void setOptOut(boolean optOut) {
    core.setOptOut(optOut);
    work();
  }

  synchronized void report(String type, String action, String messageId) {
    core.report(type, action, "message_name", messageId);
    work();
  }

  synchronized void wake() {
    core.wake();
    work();
  }

  synchronized String device() {
    return core.device();
  }

  synchronized int queued() {
    return core.queued();
  }

  synchronized long dropped() {
    return core.dropped();
  }

  /** Starts the thread, or ends its pause. Called with the lock held. */
  private void work() {
    notifyAll();
    if (worker != null || configuration == null) return;
    worker = new Thread("postrider") {
      @Override public void run() { Client.this.run(); }
    };
    worker.setDaemon(true);
    worker.start();
  }

  private void run() {
    try {
      for (Step step; (step = next()) != null; ) {
        perform(step);
        finishLeaving();
      }
    } catch (InterruptedException ended) {
      // The next call starts another.
    } finally {
      synchronized (this) {
        if (worker == Thread.currentThread()) worker = null;
      }
    }
  }

  /** The next request or question; null, and the thread ends, when there is nothing to do. */
  private synchronized Step next() throws InterruptedException {
    while (true) {
      Step step = core.next();
      if (step.kind == Step.Kind.IDLE) {
        worker = null;
        return null;
      }
      if (step.kind != Step.Kind.WAIT) return step;
      wait(Math.max(1, step.until - System.currentTimeMillis()));
    }
  }

  private void perform(Step step) throws InterruptedException {
    if (step.kind == Step.Kind.IDENTITY) {
      String token = identity(step);
      synchronized (this) {
        core.identified(step.user, token);
      }
      return;
    }
    Answer answer = Transport.send(step.request);
    synchronized (this) {
      core.answered(step.request, answer);
    }
  }

  /** The app's answer, from a thread of its own; null when it has none in time. */
  private String identity(final Step step) throws InterruptedException {
    final IdentityProvider provider;
    synchronized (this) {
      provider = configuration.identity;
    }
    if (provider == null) return null;
    final String[] token = new String[1];
    Thread asker = new Thread("postrider-identity") {
      @Override public void run() {
        try {
          token[0] = provider.token(step.user, step.refresh);
        } catch (Throwable failure) {
          // The app's own code, which in Kotlin throws what it likes; the registration is tried again later.
        }
      }
    };
    asker.setDaemon(true);
    asker.start();
    asker.join(identityMs);
    if (!asker.isAlive()) return token[0];
    // Ends what it waits for; a later answer is not read.
    asker.interrupt();
    return null;
  }
}
