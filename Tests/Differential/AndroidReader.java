import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.MissingFormatArgumentException;
import java.util.Set;
import org.json.JSONArray;
import org.json.JSONException;
import org.json.JSONObject;

/**
 * Answers each line of standard input, a payload, with what Adobe's, OneSignal's and Firebase's libraries on Android show of it.
 *
 * <p>The JSON inside the values is read by Android's own org.json, from Debian's libandroid-json-java, and texts with arguments
 * are formatted by Java. What the libraries make of it is written from their documented behavior. README.md beside this file
 * describes the lines.
 */
public class AndroidReader {
  /** Nothing is shown, and why. */
  private static class Nothing extends Exception {
    private static final long serialVersionUID = 1;

    Nothing(String reason) {
      super(reason);
    }
  }

  /** What is shown depends on what this program does not have: FCM's servers, or the texts of the app. */
  private static class Unknown extends Exception {
    private static final long serialVersionUID = 1;
  }

  private static final Set<String> LINKS = Set.of("WEBURL", "DEEPLINK", "DISMISS", "OPENAPP", "NONE");
  private static final Set<String> TEMPLATES = Set.of("basic", "zb", "car", "cat", "icon", "rate", "input", "timer");

  /** What no host has: Java's URL takes them, and the client that loads it does not. */
  private static final String NO_HOST = "[\\]\u007f";

  /** What Android draws of a notification's buttons. */
  private static final int BUTTONS_MAX = 3;

  public static void main(String[] unused) throws IOException, JSONException {
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream answers = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      answers.println(answer(new JSONObject(line)));
    }
    answers.flush();
  }

  private static JSONObject answer(JSONObject question) throws JSONException {
    JSONObject answer = new JSONObject();
    answer.put("id", question.opt("id"));
    String contract = question.optString("contract");
    if (!question.optString("platform").equals("android")) return answer.put("outcome", "unknown");
    JSONObject message = question.getJSONObject("payload");
    JSONObject own = ownBlock(message);
    boolean hasBlock = message.optJSONObject("notification") != null || own != null;
    try {
      Values values = new Values(data(message));
      boolean isTaken = contract.equals("onesignal") && isOneSignals(values);
      if (hasBlock && !isTaken) {
        firebase(new Block(message.optJSONObject("notification"), own), contract, answer);
      } else if (contract.equals("adobe")) {
        adobe(values, answer);
      } else if (contract.equals("onesignal")) {
        oneSignal(values, answer);
        // The block is not drawn.
        if (hasBlock && answer.getString("outcome").equals("shown")) answer.put("outcome", "fallback");
      } else if (values.isReceived()) {
        throw new Unknown();
      } else {
        throw new Nothing("a message without a notification goes to the app");
      }
    } catch (Nothing nothing) {
      answer.put("outcome", "nothing").put("reason", nothing.getMessage());
    } catch (Unknown unknown) {
      return new JSONObject().put("id", question.opt("id")).put("outcome", "unknown");
    }
    return answer;
  }

  /** The data that the app is given: that for Android alone replaces the shared data. */
  private static JSONObject data(JSONObject message) {
    for (String name : new String[] {"android", "android_v2", "androidV2"}) {
      JSONObject config = message.optJSONObject(name);
      JSONObject own = config == null ? null : config.optJSONObject("data");
      if (own != null && own.length() > 0) return own;
    }
    return message.optJSONObject("data");
  }

  /** Android's own notification, of `android` or of what `android_v2` shows; null when there is none. */
  private static JSONObject ownBlock(JSONObject message) {
    JSONObject android = message.optJSONObject("android");
    JSONObject own = android == null ? null : android.optJSONObject("notification");
    JSONObject second = either(message, "android_v2", "androidV2");
    if (own != null || second == null) return own;
    JSONObject remote = either(second, "remote_notification", "remoteNotification");
    return remote == null ? null : remote.optJSONObject("notification");
  }

  /** A member in one of the two spellings that FCM takes. */
  private static JSONObject either(JSONObject object, String name, String camelName) {
    JSONObject found = object.optJSONObject(name);
    return found == null ? object.optJSONObject(camelName) : found;
  }

  /** The map of strings that the app is given; a value that is no string does not come through FCM. */
  private static class Values {
    private final JSONObject data;

    Values(JSONObject data) {
      this.data = data == null ? new JSONObject() : data;
    }

    /** True when Firebase's client gets a notification in these keys, which no sender may use. */
    boolean isReceived() {
      for (Iterator<String> keys = data.keys(); keys.hasNext(); ) {
        if (keys.next().startsWith("gcm.")) return true;
      }
      return false;
    }

    String text(String key) {
      return data.opt(key) instanceof String ? (String) data.opt(key) : null;
    }

    String required(String key) throws Nothing {
      String text = text(key);
      if (text == null || text.isEmpty()) throw new Nothing(key + " is required");
      return text;
    }
  }

  // Firebase, which draws every message that has a notification

  /** The texts in English that an app of IMKit's has for its localization keys. */
  private static final Map<String, String> STRINGS =
      Map.ofEntries(
          Map.entry("im_loc_text", "%1$s: %2$s"),
          Map.entry("im_loc_image", "%1$s sent a picture"),
          Map.entry("im_loc_video", "%1$s sent a video"),
          Map.entry("im_loc_audio", "%1$s sent a voice message"),
          Map.entry("im_loc_sticker", "%1$s sent a sticker"),
          Map.entry("im_loc_location", "%1$s shared a location"),
          Map.entry("im_loc_file", "%1$s sent a file"),
          Map.entry("im_loc_joinRoom", "%1$s joined the chat room"),
          Map.entry("im_loc_leaveRoom", "%1$s left the chat room"),
          Map.entry("im_loc_addMember", "%1$s invited %2$s"),
          Map.entry("im_loc_addMembers", "%1$s invited several people"),
          Map.entry("im_loc_deleteMember", "%1$s removed %2$s from the chat room"),
          Map.entry("im_loc_encrypted", "You received an encrypted message"));

  /** The notification of a message; the members of Android's own part win. */
  private static class Block {
    private final JSONObject common;
    private final JSONObject own;

    Block(JSONObject common, JSONObject own) {
      this.common = common == null ? new JSONObject() : common;
      this.own = own == null ? new JSONObject() : own;
    }

    private Object member(String name) throws Unknown {
      // Whether FCM takes an empty member for an absent one is not documented.
      if ("".equals(own.opt(name)) && common.has(name)) throw new Unknown();
      return own.has(name) ? own.opt(name) : common.opt(name);
    }

    /** A member that FCM refuses when it is no string. */
    String text(String name) throws Unknown {
      Object value = member(name);
      if (value != null && !(value instanceof String)) throw new Unknown();
      return value == null ? "" : (String) value;
    }

    /** The arguments of a text, which reach the client as JSON text; null without a list. */
    Object[] arguments(String name) throws Unknown, JSONException {
      Object value = member(name);
      if (value == null) return null;
      if (!(value instanceof JSONArray)) throw new Unknown();
      JSONArray list = new JSONArray(value.toString());
      Object[] arguments = new Object[list.length()];
      for (int index = 0; index < arguments.length; index++) {
        if (!(list.get(index) instanceof String)) throw new Unknown();
        arguments[index] = list.optString(index);
      }
      return arguments;
    }
  }

  private static void firebase(Block block, String contract, JSONObject answer) throws Nothing, Unknown, JSONException {
    String title = block.text("title");
    String body = block.text("body");
    boolean hasTitleKey = title.isEmpty() && !block.text("title_loc_key").isEmpty();
    String key = body.isEmpty() ? block.text("body_loc_key") : "";
    boolean isImkit = contract.equals("imkit");
    if (isImkit && title.isEmpty() && body.isEmpty() && !hasTitleKey && key.isEmpty()) {
      throw new Nothing("IMKit's silent push");
    }
    String image = block.text("image");
    // The app's texts are not known.
    if (hasTitleKey || !key.isEmpty() && !(isImkit && STRINGS.containsKey(key))) throw new Unknown();
    if (!key.isEmpty()) body = format(STRINGS.get(key), block.arguments("body_loc_args"));
    // The client draws a block whatever is in it; without a text a person reads the name of the app.
    boolean hasText = !title.isEmpty() || body != null && !body.isEmpty();
    answer.put("outcome", body != null && hasText ? "shown" : "fallback");
    answer.put("title", title).put("body", body == null ? "" : body).put("buttons", new JSONArray());
    answer.put("images", new JSONArray(isWeb(image) ? List.of(image) : List.of()));
  }

  /** What Resources.getString does; Firebase's client leaves out a text without one of its arguments. */
  private static String format(String format, Object[] arguments) {
    try {
      return arguments == null ? format : String.format(Locale.ENGLISH, format, arguments);
    } catch (MissingFormatArgumentException exception) {
      return null;
    }
  }

  // Adobe

  private static void adobe(Values values, JSONObject answer) throws Nothing, JSONException {
    if (values.text("adb_liveupdate_data") != null) {
      liveUpdate(values, answer);
      return;
    }
    String template = values.text("adb_template_type") == null ? "" : values.text("adb_template_type");
    List<String> images = new ArrayList<>();
    String outcome = "shown";
    boolean isJourney =
        template.isEmpty()
            ? values.text("_xdm") != null || values.text("adb_version") == null && values.text("adb_title") != null
            : template.startsWith("ajo_");
    if (!isJourney) {
      if (values.text("adb_version") == null) throw new Nothing("adb_version is required");
      if (!template.equals("icon") && (values.text("adb_title") == null || values.text("adb_body") == null)) {
        throw new Nothing("adb_title and adb_body are required");
      }
      String link = values.text("adb_a_type");
      if (link != null && !LINKS.contains(link)) throw new Nothing("adb_a_type is unknown");
      outcome = template(template, values, images);
      if (!template.equals("icon") && isEmpty(values.text("adb_title")) && isEmpty(values.text("adb_body"))) {
        // It is built; what a notification without a letter looks like depends on the version of Android.
        answer.put("outcome", "unknown");
        return;
      }
    } else if (isEmpty(values.text("adb_title")) && isEmpty(values.text("adb_body"))) {
      throw new Nothing("Journey Optimizer's silent push");
    }
    answer.put("outcome", outcome);
    if (!template.equals("icon") && !template.equals("timer")) {
      String collapsed = isJourney ? collapsedText(template, values) : "";
      answer.put("title", values.text("adb_title")).put("body", collapsed.isEmpty() ? values.text("adb_body") : collapsed);
    }
    if (template.equals("cat") || template.equals("icon") || template.equals("car") && outcome.equals("shown")) {
      answer.put("pictures", new JSONArray(images));
    }
    boolean isBasic = template.equals("basic") || template.equals("car") && outcome.equals("fallback");
    boolean isPlain = isJourney || !isBasic && !TEMPLATES.contains(template);
    answer.put("buttons", buttons(values, isBasic || isPlain, isBasic && !isJourney));
    if (!template.equals("timer")) answer.put("images", images(values, template, isJourney, outcome));
  }

  /** Journey Optimizer's library hands a live update to the app's plugin, whatever else is in the push. */
  private static void liveUpdate(Values values, JSONObject answer) throws Nothing, JSONException {
    boolean isTaken = values.text("_xdm") != null || values.text("adb_title") != null;
    if (!isTaken) throw new Nothing("Journey Optimizer's library does not take it");
    JSONObject update;
    try {
      update = new JSONObject(values.text("adb_liveupdate_data"));
    } catch (JSONException exception) {
      throw new Nothing("the live update is no JSON object");
    }
    for (String key : List.of("notification_id", "notification_channel_id", "event_type")) {
      if (update.optString(key).isEmpty()) throw new Nothing("the live update has no " + key);
    }
    if (!List.of("start", "update", "end", "localstart").contains(update.optString("event_type"))) {
      throw new Nothing("the plugin does not know the event");
    }
    long time = update.optLong("timestamp");
    if (time <= 0 || time >= 100_000_000_000L) throw new Nothing("the timestamp is not in seconds");
    boolean isEmpty = update.optString("title").isEmpty() && update.optString("body").isEmpty();
    // What a notification without a letter looks like depends on the version of Android.
    answer.put("outcome", isEmpty ? "unknown" : "shown").put("title", update.optString("title")).put("body", update.optString("body"));
    answer.put("buttons", new JSONArray()).put("images", new JSONArray());
  }

  /** What the large text of Journey Optimizer has instead of the body while it is collapsed. */
  private static String collapsedText(String template, Values values) {
    String properties = values.text("adb_template_properties");
    if (!template.equals("ajo_bigtext") || isEmpty(properties)) return "";
    try {
      return new JSONObject(properties).optString("adb_collapsed_text");
    } catch (JSONException exception) {
      return "";
    }
  }

  /** The picture of adb_image; what draws pictures of its own has none. */
  private static JSONArray images(Values values, String template, boolean isJourney, String outcome) {
    String image = values.text("adb_image");
    boolean hasOwn = template.equals("cat") || template.equals("icon") || template.equals("car") && outcome.equals("shown");
    if (isEmpty(image) || hasOwn && !isJourney) return new JSONArray();
    // What draws a large text of Journey Optimizer has no view for it.
    if (isJourney && template.equals("ajo_bigtext") && isObject(values.text("adb_template_properties"))) return new JSONArray();
    boolean isDrawn = isLoadable(image);
    // Journey Optimizer's library has Java download it.
    if (isJourney) isDrawn = isLoadable(image.replaceFirst("^(?i)https?://", "https://"));
    if (template.equals("basic") || template.equals("car")) isDrawn = isPicture(image);
    return new JSONArray(isDrawn ? List.of(image) : List.of());
  }

  private static boolean isObject(String text) {
    try {
      return !isEmpty(text) && new JSONObject(text) != null;
    } catch (JSONException exception) {
      return false;
    }
  }

  /** An address that is downloaded, or the name of a drawable. */
  private static boolean isPicture(String text) {
    return isLoadable(text) || isResource(text);
  }

  /** What the library downloads: an address that java.net.URL accepts, of which its network service takes https alone. */
  @SuppressWarnings("deprecation") // The constructor is, from Java 20 on, and the library calls it.
  private static boolean isLoadable(String address) {
    try {
      URL url = new URL(address);
      boolean isHTTPS = address.contains("https") && url.getProtocol().equalsIgnoreCase("https");
      boolean isHost = url.getHost().startsWith("[") || url.getHost().chars().noneMatch(unit -> unit <= ' ' || NO_HOST.indexOf(unit) >= 0);
      return isHTTPS && !url.getHost().isEmpty() && isHost && url.getPort() <= 0xFFFF;
    } catch (MalformedURLException exception) {
      return false;
    }
  }

  /** What Java's own client downloads. */
  private static boolean isWeb(String address) {
    return isLoadable(address.trim().replaceFirst("^(?i)https?://", "https://"));
  }

  private static boolean isEmpty(String text) {
    return text == null || text.isEmpty();
  }

  private static String template(String template, Values values, List<String> images) throws Nothing {
    switch (template) {
      case "car":
        values.required("adb_car_layout");
        // An empty text is a carousel without pictures.
        if (values.text("adb_items") == null) throw new Nothing("adb_items is required");
        carousel(values.text("adb_items"), images);
        images.removeIf(image -> !isLoadable(image));
        return images.size() < 3 ? "fallback" : "shown";
      case "cat":
        for (String key : List.of("adb_cta_txt", "adb_cta_clr", "adb_cta_txt_clr", "adb_cta_uri", "adb_display")) {
          values.required(key);
        }
        catalog(values.required("adb_items"), images);
        Integer first = integer(values.text("catalogItemIndex"));
        if (first != null && (first < 0 || first > 2)) throw new Nothing("there is no product " + first);
        return "shown";
      case "icon":
        icons(values.required("adb_items"), images);
        return "shown";
      case "rate":
        String unselected = values.required("adb_rate_unselected_icon");
        String selected = values.required("adb_rate_selected_icon");
        int count = ratings(values.required("adb_rate_act"));
        Integer chosen = integer(values.text("ratingSelected"));
        if (chosen == null) chosen = -1;
        if (chosen >= count) throw new Nothing("there is no rating " + chosen);
        for (int index = 0; index < count; index++) {
          if (!isPicture(index <= chosen ? selected : unselected)) throw new Nothing("a rating without an icon");
        }
        return "shown";
      case "input":
        values.required("adb_input_receiver");
        return "shown";
      case "timer":
        values.required("adb_title_alt");
        // What has ended is drawn only in place of one that is still there. An end that has passed is the clock's affair.
        if (number(values.text("adb_tmr_dur"))) {
          long seconds = Long.parseLong(values.text("adb_tmr_dur"));
          if (seconds < 0) throw new Nothing("the timer runs below 0 seconds");
          long now = System.currentTimeMillis() / 1000;
          if (now + seconds < now) throw new Nothing("the end of the timer is beyond 64 bits");
          return "shown";
        }
        if (number(values.text("adb_tmr_end"))) return "shown";
        throw new Nothing("the timer has no time");
      default:
        return TEMPLATES.contains(template) ? "shown" : "fallback";
    }
  }

  private static boolean number(String text) {
    try {
      Long.parseLong(text);
      return true;
    } catch (NumberFormatException exception) {
      return false;
    }
  }

  private static Integer integer(String text) {
    try {
      return text == null ? null : Integer.valueOf(text);
    } catch (NumberFormatException exception) {
      return null;
    }
  }

  /** Reading stops at the first bad element and keeps those before it; text that is no array has none. */
  private static void carousel(String text, List<String> images) {
    try {
      JSONArray items = new JSONArray(text);
      for (int index = 0; index < items.length(); index++) {
        images.add(items.getJSONObject(index).getString("img"));
      }
    } catch (JSONException exception) {
      // What was read so far counts.
    }
  }

  private static void catalog(String text, List<String> images) throws Nothing {
    try {
      JSONArray items = new JSONArray(text);
      if (items.length() != 3) throw new Nothing(items.length() + " items");
      for (int index = 0; index < 3; index++) {
        JSONObject item = items.getJSONObject(index);
        for (String key : List.of("title", "body", "price", "uri")) item.getString(key);
        String image = item.getString("img");
        if (!isLoadable(image)) throw new Nothing("a product without a picture");
        images.add(image);
      }
    } catch (JSONException exception) {
      throw new Nothing(exception.getMessage());
    }
  }

  private static void icons(String text, List<String> images) throws Nothing {
    try {
      JSONArray items = new JSONArray(text);
      for (int index = 0; index < items.length(); index++) {
        JSONObject item = items.getJSONObject(index);
        String image = item.optString("img");
        if (image.isEmpty() || !item.has("type")) continue;
        String type = item.optString("type");
        boolean needsLink = type.equals("WEBURL") || type.equals("DEEPLINK");
        if (needsLink ? item.optString("uri").isEmpty() : !type.isEmpty() && !LINKS.contains(type)) continue;
        images.add(image);
      }
    } catch (JSONException exception) {
      throw new Nothing(exception.getMessage());
    }
    int count = images.size();
    images.removeIf(image -> !isPicture(image));
    if (images.size() < 3 || count > 5) throw new Nothing(images.size() + " of " + count + " icons");
  }

  private static int ratings(String text) throws Nothing {
    try {
      JSONArray items = new JSONArray(text);
      if (items.length() < 3 || items.length() > 5) throw new Nothing(items.length() + " ratings");
      for (int index = 0; index < items.length(); index++) {
        JSONObject item = items.getJSONObject(index);
        String type = item.getString("type");
        if (!LINKS.contains(type)) throw new Nothing("the type " + type);
        if (type.equals("WEBURL") || type.equals("DEEPLINK")) item.getString("uri");
      }
      return items.length();
    } catch (JSONException exception) {
      throw new Nothing(exception.getMessage());
    }
  }

  /** The labels of `adb_act`, and the button that reminds, where they are drawn. */
  private static JSONArray buttons(Values values, boolean hasActions, boolean hasReminder) {
    List<String> labels = new ArrayList<>();
    try {
      JSONArray actions = new JSONArray(values.text("adb_act") == null ? "[]" : values.text("adb_act"));
      for (int index = 0; index < actions.length(); index++) {
        JSONObject action = actions.getJSONObject(index);
        String label = action.optString("label");
        if (!label.isEmpty() && action.has("type")) labels.add(label);
      }
    } catch (JSONException exception) {
      labels.clear();
    }
    if (!hasActions) labels.clear();
    // The template has no time where Kotlin's toLongOrNull and toIntOrNull read none.
    boolean hasTime = number(values.text("adb_rem_ts")) || integer(values.text("adb_rem_sec")) != null;
    if (hasReminder && values.text("adb_rem_txt") != null && hasTime) labels.add(values.text("adb_rem_txt"));
    // Android draws no more, and the library knows no limit.
    return new JSONArray(labels.subList(0, Math.min(labels.size(), BUTTONS_MAX)));
  }

  // OneSignal

  private static void oneSignal(Values values, JSONObject answer) throws Nothing, JSONException {
    JSONObject custom = custom(values);
    boolean isAborted = false;
    try {
      rewriteButtons(values, custom);
    } catch (JSONException exception) {
      // A list that is no JSON is none; one element that cannot be read costs all of them.
      isAborted = isArray(values.text("o"));
      custom = custom(values);
    }
    integer(values, "pri");
    integer(values, "vis");
    if (custom.has("a") && custom.optJSONObject("a") == null) throw new Nothing("custom.a is no object");
    JSONObject own = custom.has("a") ? custom.getJSONObject("a") : new JSONObject();
    String title = values.text("title") == null ? "" : values.text("title");
    String alert = values.text("alert") == null ? "" : values.text("alert");
    if (alert.isEmpty() && !own.has("os_in_app_message_preview_id")) throw new Nothing("there is no alert");
    List<String> labels = new ArrayList<>();
    JSONArray buttons = own.optJSONArray("actionButtons");
    boolean isWhole = addLabels(buttons == null ? new JSONArray() : buttons, labels);
    if (isBlocked(values)) throw new Nothing("the channel is not made, or has no importance");
    if (!own.has("os_in_app_message_preview_id") && hasExpired(values)) throw new Nothing("it is too old");
    boolean isEmpty = title.isEmpty() && alert.isEmpty();
    boolean isCut = labels.size() > BUTTONS_MAX;
    boolean isFallback = isAborted || !isWhole || isEmpty || isCut || hasBackground(values) || lacksSound(values);
    isFallback |= lacksSmallIcon(values);
    for (String key : List.of("bicon", "licon")) isFallback |= !isDrawable(values.text(key));
    if (isCut) labels = labels.subList(0, BUTTONS_MAX);
    answer.put("outcome", isFallback ? "fallback" : "shown");
    answer.put("title", title).put("body", alert).put("buttons", new JSONArray(labels)).put("images", picture(values));
  }

  /** Nothing is sent later than it arrives, so what has no time to live is too old; the rest is the clock's affair. */
  private static boolean hasExpired(Values values) {
    String key = values.text("google.ttl") != null ? "google.ttl" : "hms.ttl";
    return values.data.optInt(key, 259200) <= 0;
  }

  /**
   * The library gives its channel the importance that the priority stands for, and Android shows nothing of one with none. It
   * fails on a group without a name, and then names no channel.
   */
  private static boolean isBlocked(Values values) {
    if (!isEmpty(values.text("oth_chnl")) || values.text("chnl") == null) return false;
    try {
      JSONObject channel = new JSONObject(values.text("chnl"));
      JSONObject languages = channel.has("langs") ? channel.getJSONObject("langs") : new JSONObject();
      boolean isNamed = !channel.has("grp_id") || !channel.optString("grp_nm").isEmpty();
      for (Iterator<String> keys = languages.keys(); keys.hasNext(); ) {
        JSONObject texts = languages.optJSONObject(keys.next());
        isNamed |= texts != null && !texts.optString("grp_nm").isEmpty();
      }
      if (!isNamed) return true;
    } catch (JSONException exception) {
      return false;
    }
    return values.text("pri") != null && Integer.parseInt(values.text("pri")) <= 0;
  }

  /** The picture behind the texts is drawn up to Android 11. */
  private static boolean hasBackground(Values values) {
    try {
      Object picture = values.text("bg_img") == null ? null : new JSONObject(values.text("bg_img")).opt("img");
      return picture instanceof String && !((String) picture).isEmpty();
    } catch (JSONException exception) {
      return false;
    }
  }

  /** The library's receiver comes before Firebase's, and ends the broadcast of what has its notification id. */
  private static boolean isOneSignals(Values values) {
    try {
      custom(values);
      return true;
    } catch (Nothing nothing) {
      return false;
    }
  }

  private static JSONObject custom(Values values) throws Nothing {
    try {
      JSONObject custom = new JSONObject(values.required("custom"));
      if (!custom.has("i")) throw new Nothing("there is no custom.i");
      return custom;
    } catch (JSONException exception) {
      throw new Nothing("custom is no JSON");
    }
  }

  /** The library writes the buttons of `o` into `custom.a.actionButtons`, in the place of those that are there. */
  private static void rewriteButtons(Values values, JSONObject custom) throws JSONException {
    if (values.text("o") == null) return;
    JSONObject own = custom.has("a") ? custom.getJSONObject("a") : new JSONObject();
    JSONArray buttons = new JSONArray();
    JSONArray list = new JSONArray(values.text("o"));
    for (int index = 0; index < list.length(); index++) {
      JSONObject button = list.getJSONObject(index);
      String label = button.getString("n");
      buttons.put(new JSONObject().put("text", label).put("id", button.has("i") ? button.getString("i") : label));
    }
    custom.put("a", own.put("actionButtons", buttons));
  }

  private static boolean isArray(String text) {
    try {
      new JSONArray(text);
      return true;
    } catch (JSONException exception) {
      return false;
    }
  }

  /** The labels up to the first element that is no object; true when there is no such element. */
  private static boolean addLabels(JSONArray buttons, List<String> labels) {
    for (int index = 0; index < buttons.length(); index++) {
      JSONObject button = buttons.optJSONObject(index);
      if (button == null) return false;
      labels.add(button.optString("text"));
    }
    return true;
  }

  /** The library parses these without catching what the parser throws. */
  private static void integer(Values values, String key) throws Nothing {
    try {
      if (values.text(key) != null) Integer.parseInt(values.text(key));
    } catch (NumberFormatException exception) {
      throw new Nothing(key + " is no integer");
    }
  }

  /**
   * Android plays the sound of the channel, which is the payload's in the one of chnl alone. There the library takes the default
   * sound for a name that no resource can have, and sets none below the default priority.
   */
  private static boolean lacksSound(Values values) {
    String sound = values.text("sound");
    if (isEmpty(sound)) return false;
    if (!isEmpty(values.text("oth_chnl")) || values.text("chnl") == null) return true;
    if (!isChannel(values.text("chnl"))) return true;
    if (sound.equals("nil") || sound.equals("null")) return false;
    if (!isResource(sound)) return true;
    return values.text("pri") != null && Integer.parseInt(values.text("pri")) < 5;
  }

  /** False for a channel that the library cannot read. */
  private static boolean isChannel(String text) {
    try {
      JSONObject channel = new JSONObject(text);
      return !channel.has("langs") || channel.getJSONObject("langs") != null;
    } catch (JSONException exception) {
      return false;
    }
  }

  /** False for a name that no resource of an app can have: an address, or one with an extension. */
  private static boolean isResource(String name) {
    if (name.chars().anyMatch(unit -> unit < 128 && !Character.isLetterOrDigit(unit) && "_-$.:/<>".indexOf(unit) < 0)) return false;
    return !name.contains("://") && !name.endsWith("/") && !name.substring(name.lastIndexOf('/') + 1).contains(".");
  }

  private static boolean lacksSmallIcon(Values values) {
    String icon = values.text("sicon");
    return !isEmpty(icon) && !isResource(icon.trim());
  }

  /** False for what is neither downloaded nor the name of an asset or a drawable. */
  private static boolean isDrawable(String name) {
    return name == null || (isAddress(name.trim()) ? isWeb(name) : !name.contains("://"));
  }

  private static boolean isAddress(String text) {
    return text.startsWith("http://") || text.startsWith("https://");
  }

  private static JSONArray picture(Values values) {
    String name = values.text("bicon") == null ? "" : values.text("bicon");
    if (name.isEmpty() || !isDrawable(name)) return new JSONArray();
    return new JSONArray(List.of(isAddress(name.trim()) ? name.trim() : name));
  }
}
