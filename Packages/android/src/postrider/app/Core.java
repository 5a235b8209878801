package postrider.app;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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

  // What the server accepts: characters of a user and of another detail, tags, and bytes of a tag.
  static final int USER_MAX = 250;
  static final int DETAIL_MAX = 100;
  static final int TAGS_MAX = 100;
  static final int TAG_BYTES_MAX = 100;

  private final String type;
  private final Surroundings surroundings;
  private final EventQueue queue;
  private final State state;
  private Lane registrations = new Lane();
  private Lane events = new Lane();
  private Configuration configuration;
  /** A registration that the server refused, which is not sent again. */
  private String refused;
  /** For the next registration, of this user; null when the provider has none of the user who signed out. */
  private String identity;
  private String identityUser;
  private boolean needsFreshIdentity;
  /** Whether the device has a new name because its old one was another user's. */
  private boolean isRenamed;
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
    // What another server asked for does not bind this one.
    if (this.configuration == null || !configuration.target().equals(this.configuration.target())) {
      registrations = new Lane();
      events = new Lane();
    }
    this.configuration = configuration;
    registrations.isStopped = false;
    events.isStopped = false;
    wake();
    refused = null;
    forgetIdentity();
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
    if (user != null && (user.isEmpty() || user.codePointCount(0, user.length()) > USER_MAX)) {
      log("a user has 1 to " + USER_MAX + " characters; nobody is signed in");
      user = null;
    }
    if (user == null ? state.user != null : !user.equals(state.user)) {
      registrations.isStopped = false;
      forgetIdentity();
      isRenamed = false;
      // Tags are of the user who leaves. Left out, they would stay at the server.
      if (state.user != null && state.tags != null) state.tags = new JSONArray();
    }
    state.user = user;
    changed();
  }

  /** Whether the server has taken that nobody is signed in; null while that is tried, false when it will not be. */
  Boolean isSignedOut() {
    if (state.token == null) return state.user == null;
    String body = registration();
    if (state.user == null && body.equals(state.accepted)) return true;
    return state.user != null || body.equals(refused) || registrations.isStopped ? false : null;
  }

  private void forgetIdentity() {
    identityUser = null;
    needsFreshIdentity = false;
  }

  void setTags(JSONArray tags) {
    JSONArray legal = new JSONArray();
    for (int i = 0; i < tags.length(); i++) {
      if (isBytes(tags.optString(i), TAG_BYTES_MAX) && legal.length() < TAGS_MAX) legal.put(tags.optString(i));
    }
    int left = tags.length() - legal.length();
    if (left > 0) log("left out " + left + " tags: empty, too long or too many");
    state.tags = legal;
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
    if (type.equals("action") && !isBytes(action, ACTION_BYTES_MAX)) type = "opened";
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

  /** Whether it is a text of 1 to that many bytes. */
  private static boolean isBytes(String text, int max) {
    return text != null && !text.isEmpty() && text.getBytes(Files.UTF8).length <= max;
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
    String subject = state.user != null ? state.user : state.owner;
    if (subject != null && configuration.identity != null) {
      if (!subject.equals(identityUser)) return Step.identity(subject, needsFreshIdentity);
      // Used once: the next registration asks again, when this one may have expired.
      identity = this.identity;
      identityUser = null;
    }
    // The server may take it and its answer be lost: then another has to follow, whatever changes until then.
    state.accepted = null;
    if (state.owner == null) state.owner = state.user;
    save();
    return Step.request(new Request(
        configuration, configuration.path("devices"), body, state.user, identity, needsFreshIdentity, null));
  }

  private String registration() {
    try {
      JSONObject body = new JSONObject().put("type", type).put("token", state.token);
      body.putOpt("environment", state.environment).put("name", state.name).putOpt("user", state.user);
      body.putOpt("locale", detail(surroundings.locale())).putOpt("timezone", detail(surroundings.timezone()));
      body.putOpt("app_version", detail(surroundings.appVersion())).putOpt("tags", state.tags);
      return body.putOpt("opt_out", state.optOut).toString();
    } catch (JSONException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Cut or left out: what the server refuses would cost the whole registration. */
  private static String detail(String text) {
    if (text == null || text.isEmpty()) return null;
    return text.substring(0, text.offsetByCodePoints(0, Math.min(DETAIL_MAX, text.codePointCount(0, text.length()))));
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
      long time = EventQueue.attempts(name).next;
      if (time > now && time - now <= Lane.DAY_MS) {
        wait = Step.first(wait, Step.waitUntil(time));
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
    // The server may accept without a token that somebody signs out.
    if (token != null || state.user == null) {
      identity = token;
      identityUser = user;
      return;
    }
    if (!user.equals(state.user)) return;
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
    // What a server or a key that the app has left meanwhile is answered says nothing of the next request.
    boolean isCurrent = request.configuration.target().equals(configuration.target())
        && request.configuration.key.equals(configuration.key);
    if (verdict != Answer.Verdict.DONE && !isCurrent) return;
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
    isRenamed = false;
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
      else queue.remove(name);
    }
    batchLimit = Math.min(BATCH_MAX, batchLimit * 2);
    return true;
  }

  /** A notification can arrive before its server has the provider's answer, and so its id. */
  private void unknown(String name) {
    int made = EventQueue.attempts(name).made;
    if (made < UNKNOWN_PAUSES_MS.length
        && queue.postpone(name, made + 1, surroundings.now() + UNKNOWN_PAUSES_MS[made])) return;
    queue.drop(name);
    log("dropped an event of a notification that the server does not know");
  }

  private void stop(Request request, Answer answer, String what) {
    // A refused identity says nothing of the key.
    if (request.events == null && answer.problem().startsWith("identity-")) {
      refuseIdentity(request, answer);
      return;
    }
    registrations.isStopped = true;
    events.isStopped = true;
    log(what + ": answered " + answer.status + "; stopped until the configuration changes");
  }

  private void refuseIdentity(Request request, Answer answer) {
    // Another user signed in while it was on its way.
    if (!request.body.equals(registration())) return;
    if (configuration.identity == null) {
      registrations.isStopped = true;
      log("registration: answered " + answer.status + "; stopped until another user signs in");
      return;
    }
    if (answer.problem().equals("identity-mismatch") && !isRenamed) {
      // The name is that of another user's device. Under a new one, the device is this user's by its token.
      isRenamed = true;
      state.name = surroundings.newName();
      state.device = null;
      save();
      return;
    }
    boolean isFirst = answer.status == 401 && request.identity != null && !request.isRefreshed;
    if (request.identity != null) needsFreshIdentity = true;
    if (isFirst) return;
    registrations.failed(surroundings.now(), answer.retryAfter, surroundings.random());
    log("registration: answered " + answer.status + "; tried again later with another identity");
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
      log("dropped an event: answered " + answer.status);
    }
  }
}
