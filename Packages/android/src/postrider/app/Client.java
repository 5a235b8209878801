package postrider.app;

import java.io.File;
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

  private final Core core;
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

  synchronized void setUser(String user) {
    core.setUser(user);
    work();
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
      for (Step step; (step = next()) != null; ) perform(step);
    } catch (InterruptedException ended) {
      synchronized (this) {
        worker = null;
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

  private void perform(Step step) {
    if (step.kind == Step.Kind.IDENTITY) {
      String token = null;
      IdentityProvider provider;
      synchronized (this) {
        provider = configuration.identity;
      }
      try {
        token = provider == null ? null : provider.token(step.user, step.refresh);
      } catch (RuntimeException failure) {
        // The app's own code; the registration is tried again later.
      }
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
}
