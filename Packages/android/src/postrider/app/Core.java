package postrider.app;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.json.JSONArray;
import org.json.JSONException;
import org.json.JSONObject;

/** The rules of docs/apps.md: which request comes next, and what its answer changes. Not thread-safe. */
final class Core {
  /** What the core needs from outside. */
  interface Surroundings {
    /** Milliseconds since 1970. */
    long now();

    /** A number of 0 to 999, for pauses. */
    int random();

    /** A name that no other device has. */
    String newName();

    String locale();

    String timezone();

    String appVersion();

    void log(String line);
  }

  static final int BATCH_MAX = 100;
  static final int ACTION_BYTES_MAX = 100;
  static final long REFRESH_MS = 7 * Lane.DAY_MS;
  /** The pauses before an event that the server does not know yet is sent again; after the last it is dropped. */
  static final long[] UNKNOWN_PAUSES_MS = {2_000, 10_000, 60_000, 600_000};

  private static final class Retry {
    int attempts;
    long at;
  }

  private final String type;
  private final Surroundings surroundings;
  private final EventQueue queue;
  private final State state;
  private final Lane registrations = new Lane();
  private final Lane events = new Lane();
  private final Map<String, Retry> retries = new HashMap<>();
  private Configuration configuration;
  /** A registration that the server refused, which is not sent again. */
  private String refused;
  private String identity;
  private String identityUser;
  private boolean needsFreshIdentity;
  /** Whether the provider had no identity of the user who signed out. */
  private boolean leavesUnsigned;
  private int batchLimit = BATCH_MAX;

  Core(File folder, String type, Surroundings surroundings) {
    this.type = type;
    this.surroundings = surroundings;
    queue = new EventQueue(folder);
    state = new State(folder);
  }

  // Calls of the app

  /** @return why nothing starts; null when it does */
  String start(Configuration configuration) {
    String problem = configuration.problem();
    if (problem != null) {
      log("not started: " + problem);
      return problem;
    }
    this.configuration = configuration;
    for (Lane lane : new Lane[] {registrations, events}) {
      lane.isStopped = false;
      lane.retryNow();
    }
    refused = null;
    queue.dropOld(surroundings.now());
    if (!configuration.target().equals(state.target)) {
      state.target = configuration.target();
      state.device = null;
      state.accepted = null;
      state.owner = null;
    }
    if (state.name == null) state.name = surroundings.newName();
    save();
    return null;
  }

  void setToken(String token, String environment) {
    state.token = token;
    state.environment = environment;
    changed();
  }

  /** @param user null when nobody is signed in */
  void setUser(String user) {
    if (user == null ? state.user != null : !user.equals(state.user)) {
      registrations.isStopped = false;
      needsFreshIdentity = false;
      leavesUnsigned = false;
    }
    state.user = user;
    changed();
  }

  void setTags(JSONArray tags) {
    state.tags = tags;
    changed();
  }

  void setOptOut(boolean optOut) {
    state.optOut = optOut;
    if (optOut) queue.removeAll();
    changed();
  }

  /**
   * Queues an event; it is on disk when this returns.
   *
   * @param reference how the notification is identified: apns_id, message_name or campaign
   */
  void report(String type, String action, String reference, String notification) {
    if (state.isOptedOut() || notification == null || notification.isEmpty()) return;
    if (type.equals("action") && !isAction(action)) type = "opened";
    try {
      JSONObject event = new JSONObject().put("type", type).put(reference, notification);
      if (type.equals("action")) event.put("action", action);
      event.put("at", State.time(surroundings.now()));
      queue.add(event, surroundings.now());
    } catch (IOException | JSONException failure) {
      log("an event could not be stored");
    }
  }

  /** Ends pauses after failures, because the network or the app is back. */
  void wake() {
    registrations.retryNow();
    events.retryNow();
  }

  String device() {
    return state.device;
  }

  int queued() {
    return queue.names().size();
  }

  long dropped() {
    return queue.dropped();
  }

  private static boolean isAction(String action) {
    return action != null && !action.isEmpty() && action.getBytes(Files.UTF8).length <= ACTION_BYTES_MAX;
  }

  private void changed() {
    registrations.retryNow();
    save();
  }

  private void save() {
    try {
      state.save();
    } catch (IOException failure) {
      log("the state could not be stored");
    }
  }

  private void log(String line) {
    surroundings.log(line);
  }

  // The next request

  Step next() {
    if (configuration == null) return Step.IDLE;
    Step registration = nextRegistration();
    return registration.kind == Step.Kind.REQUEST || registration.kind == Step.Kind.IDENTITY
        ? registration : Step.first(registration, nextEvents());
  }

  private Step nextRegistration() {
    if (state.token == null || registrations.isStopped) return Step.IDLE;
    String body = registration();
    long now = surroundings.now();
    boolean isRecent = now >= state.acceptedAt && now - state.acceptedAt < REFRESH_MS;
    if (body.equals(refused) || (body.equals(state.accepted) && isRecent)) return Step.IDLE;
    long until = registrations.pausedUntil(now);
    if (until > 0) return Step.waitUntil(until);
    String identity = null;
    // Who signs out is still the one whose device it is.
    String subject = state.user != null ? state.user : leavesUnsigned ? null : state.owner;
    if (subject != null && configuration.identity != null) {
      if (this.identity == null || !subject.equals(identityUser)) return Step.identity(subject, needsFreshIdentity);
      // Used once: the next registration asks again, when this one may have expired.
      identity = this.identity;
      this.identity = null;
    }
    return Step.request(new Request(
        configuration, configuration.path("devices"), body, state.user, identity, needsFreshIdentity, null));
  }

  private String registration() {
    try {
      JSONObject body = new JSONObject().put("type", type).put("token", state.token);
      body.putOpt("environment", state.environment).put("name", state.name).putOpt("user", state.user);
      body.putOpt("locale", surroundings.locale()).putOpt("timezone", surroundings.timezone());
      body.putOpt("app_version", surroundings.appVersion()).putOpt("tags", state.tags);
      return body.putOpt("opt_out", state.optOut).toString();
    } catch (JSONException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private Step nextEvents() {
    if (events.isStopped || state.isOptedOut()) return Step.IDLE;
    long now = surroundings.now();
    queue.dropOld(now);
    List<String> all = queue.names();
    if (all.isEmpty()) return Step.IDLE;
    long until = events.pausedUntil(now);
    if (until > 0) return Step.waitUntil(until);
    JSONArray batch = new JSONArray();
    List<String> names = new ArrayList<>();
    Step wait = Step.IDLE;
    for (String name : all) {
      if (names.size() == batchLimit) break;
      Retry retry = retries.get(name);
      if (retry != null && retry.at > now && retry.at - now <= Lane.DAY_MS) {
        wait = Step.first(wait, Step.waitUntil(retry.at));
        continue;
      }
      JSONObject event = event(name);
      if (event == null) continue;
      batch.put(event);
      names.add(name);
    }
    if (names.isEmpty()) return wait;
    try {
      String body = new JSONObject().put("events", batch).toString();
      return Step.request(new Request(configuration, configuration.path("events"), body, null, null, false, names));
    } catch (JSONException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /**
   * The event as the server reads it; null when it has to wait for the registration, or is damaged and gone. A campaign
   * needs the device, which is named by its token: by its id it would need the user's identity.
   */
  private JSONObject event(String name) {
    JSONObject event = queue.read(name);
    if (event == null) {
      queue.drop(name);
      log("dropped an event that could not be read");
      return null;
    }
    if (!event.has("campaign")) return event;
    if (state.device == null) return null;
    try {
      return event.put("token", state.token);
    } catch (JSONException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  // Answers

  /** @param token null when there is none now */
  void identified(String user, String token) {
    if (token != null) {
      identity = token;
      identityUser = user;
      return;
    }
    if (state.user == null) {
      // A person who is gone cannot be asked for again: the server may accept it without.
      leavesUnsigned = true;
      return;
    }
    registrations.failed(surroundings.now(), null, surroundings.random());
    log("no identity for the user now; the registration waits");
  }

  /** @param answer null when there was none */
  void answered(Request request, Answer answer) {
    Lane lane = request.events == null ? registrations : events;
    Answer.Verdict verdict = answer == null ? Answer.Verdict.LATER : answer.verdict();
    String what = request.events == null ? "registration" : "events";
    if (verdict == Answer.Verdict.DONE && !(request.events == null ? accept(request, answer) : count(request, answer))) {
      verdict = Answer.Verdict.LATER;
    }
    switch (verdict) {
      case DONE:
        lane.succeeded();
        break;
      case LATER:
        lane.failed(surroundings.now(), answer == null ? null : answer.retryAfter, surroundings.random());
        log(what + ": " + (answer == null ? "no answer" : "answered " + answer.status) + "; tried again later");
        break;
      case STOP:
        stop(request, answer, what);
        break;
      case REFUSED:
        lane.succeeded();
        refuse(request, answer);
        break;
    }
  }

  private boolean accept(Request request, Answer answer) {
    String id;
    try {
      id = new JSONObject(answer.body).optString("id", "");
    } catch (JSONException foreign) {
      return false;
    }
    if (id.isEmpty()) return false;
    // Another server's answer, which the app has left meanwhile.
    if (!request.configuration.target().equals(state.target)) return true;
    needsFreshIdentity = false;
    leavesUnsigned = false;
    state.owner = request.user;
    state.device = id;
    state.accepted = request.body;
    state.acceptedAt = surroundings.now();
    save();
    return true;
  }

  private boolean count(Request request, Answer answer) {
    JSONArray results;
    try {
      results = new JSONObject(answer.body).optJSONArray("results");
    } catch (JSONException foreign) {
      return false;
    }
    if (results == null || results.length() != request.events.size()) return false;
    for (int i = 0; i < results.length(); i++) {
      String name = request.events.get(i);
      if (results.optString(i).equals("unknown")) unknown(name);
      else finish(name);
    }
    batchLimit = Math.min(BATCH_MAX, batchLimit * 2);
    return true;
  }

  private void finish(String name) {
    queue.remove(name);
    retries.remove(name);
  }

  /** A notification can arrive before its server has the provider's answer, and so its id. */
  private void unknown(String name) {
    Retry retry = retries.get(name);
    if (retry == null) retries.put(name, retry = new Retry());
    if (retry.attempts == UNKNOWN_PAUSES_MS.length) {
      queue.drop(name);
      retries.remove(name);
      log("dropped an event of a notification that the server does not know");
      return;
    }
    retry.at = surroundings.now() + UNKNOWN_PAUSES_MS[retry.attempts++];
  }

  private void stop(Request request, Answer answer, String what) {
    boolean isAboutIdentity = request.events == null && answer.isAboutIdentity();
    // Another user signed in while it was on its way.
    if (isAboutIdentity && !request.body.equals(registration())) return;
    if (isAboutIdentity && answer.status == 401 && request.identity != null && !request.isRefreshed) {
      needsFreshIdentity = true;
      return;
    }
    registrations.isStopped = true;
    // A refused identity says nothing of the key.
    if (!isAboutIdentity) events.isStopped = true;
    needsFreshIdentity = false;
    log(what + ": answered " + answer.status + "; stopped until the configuration changes");
  }

  private void refuse(Request request, Answer answer) {
    if (request.events == null) {
      refused = request.body;
      log("registration: answered " + answer.status + "; not sent again until it changes");
    } else if (request.events.size() > 1) {
      // One event spoils the batch: halves find it, and the others are delivered.
      batchLimit = Math.max(1, request.events.size() / 2);
    } else {
      queue.drop(request.events.get(0));
      retries.remove(request.events.get(0));
      log("dropped an event: answered " + answer.status);
    }
  }
}
