import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.json.JSONArray;
import org.json.JSONException;
import org.json.JSONObject;

/**
 * Answers each line of standard input, a payload of Adobe's or OneSignal's, with what their libraries on Android show of it.
 *
 * <p>The JSON inside the values is read by Android's own org.json, from Debian's libandroid-json-java. What the libraries make
 * of it is written from their documented behavior. README.md beside this file describes the lines.
 */
public class AndroidReader {
  /** Nothing is shown, and why. */
  private static class Nothing extends Exception {
    private static final long serialVersionUID = 1;

    Nothing(String reason) {
      super(reason);
    }
  }

  private static final Set<String> LINKS = Set.of("WEBURL", "DEEPLINK", "DISMISS", "OPENAPP", "NONE");
  private static final Set<String> TEMPLATES = Set.of("basic", "zb");

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
    JSONObject message = question.getJSONObject("payload");
    JSONObject data = message.optJSONObject("data");
    String contract = question.optString("contract");
    boolean isOurs = question.optString("platform").equals("android") && message.optJSONObject("notification") == null
        && (message.optJSONObject("android") == null || message.getJSONObject("android").optJSONObject("notification") == null);
    if (!isOurs || !Set.of("adobe", "onesignal").contains(contract)) {
      return answer.put("outcome", "unknown");
    }
    try {
      Values values = new Values(data == null ? new JSONObject() : data);
      if (contract.equals("adobe")) adobe(values, answer); else oneSignal(values, answer);
    } catch (Nothing nothing) {
      answer.put("outcome", "nothing").put("reason", nothing.getMessage());
    }
    return answer;
  }

  /** The map of strings that the app is given; a value that is no string does not come through FCM. */
  private static class Values {
    private final JSONObject data;

    Values(JSONObject data) {
      this.data = data;
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

  // Adobe

  private static void adobe(Values values, JSONObject answer) throws Nothing, JSONException {
    String template = values.text("adb_template_type") == null ? "" : values.text("adb_template_type");
    List<String> images = new ArrayList<>();
    String outcome = "shown";
    if (!template.startsWith("ajo_")) {
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
      answer.put("title", values.text("adb_title")).put("body", values.text("adb_body"));
    }
    if (template.equals("cat") || template.equals("icon") || template.equals("car") && outcome.equals("shown")) {
      answer.put("pictures", new JSONArray(images));
    }
    answer.put("buttons", buttons(values));
  }

  private static boolean isEmpty(String text) {
    return text == null || text.isEmpty();
  }

  private static String template(String template, Values values, List<String> images) throws Nothing {
    switch (template) {
      case "car":
        values.required("adb_car_layout");
        carousel(values.required("adb_items"), images);
        return images.stream().filter(image -> !image.isEmpty()).count() < 3 ? "fallback" : "shown";
      case "cat":
        for (String key : List.of("adb_cta_txt", "adb_cta_clr", "adb_cta_txt_clr", "adb_cta_uri", "adb_display")) {
          values.required(key);
        }
        catalog(values.required("adb_items"), images);
        return "shown";
      case "icon":
        icons(values.required("adb_items"), images);
        return "shown";
      case "rate":
        values.required("adb_rate_unselected_icon");
        values.required("adb_rate_selected_icon");
        ratings(values.required("adb_rate_act"));
        return "shown";
      case "input":
        values.required("adb_input_receiver");
        return "shown";
      case "timer":
        values.required("adb_title_alt");
        return number(values.text("adb_tmr_dur")) || number(values.text("adb_tmr_end")) ? "shown" : "fallback";
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
        images.add(item.getString("img"));
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
    if (images.size() < 3 || images.size() > 5) throw new Nothing(images.size() + " icons");
  }

  private static void ratings(String text) throws Nothing {
    try {
      JSONArray items = new JSONArray(text);
      if (items.length() < 3 || items.length() > 5) throw new Nothing(items.length() + " ratings");
      for (int index = 0; index < items.length(); index++) {
        JSONObject item = items.getJSONObject(index);
        String type = item.getString("type");
        if (!LINKS.contains(type)) throw new Nothing("the type " + type);
        if (type.equals("WEBURL") || type.equals("DEEPLINK")) item.getString("uri");
      }
    } catch (JSONException exception) {
      throw new Nothing(exception.getMessage());
    }
  }

  /** The labels of `adb_act`, and the button that reminds. */
  private static JSONArray buttons(Values values) {
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
    boolean hasTime = !isEmpty(values.text("adb_rem_ts")) || !isEmpty(values.text("adb_rem_sec"));
    if (!isEmpty(values.text("adb_rem_txt")) && hasTime) labels.add(values.text("adb_rem_txt"));
    return new JSONArray(labels);
  }

  // OneSignal

  private static void oneSignal(Values values, JSONObject answer) throws Nothing, JSONException {
    try {
      JSONObject custom = new JSONObject(values.required("custom"));
      if (!custom.has("i") || custom.isNull("i")) throw new Nothing("there is no custom.i");
    } catch (JSONException exception) {
      throw new Nothing("custom is no JSON");
    }
    String alert = values.required("alert");
    answer.put("outcome", "shown").put("title", values.text("title") == null ? "" : values.text("title"));
    answer.put("body", alert);
    JSONArray actions;
    try {
      actions = new JSONArray(values.text("o") == null ? "" : values.text("o"));
    } catch (JSONException exception) {
      return;
    }
    List<String> labels = new ArrayList<>();
    try {
      for (int index = 0; index < actions.length(); index++) {
        labels.add(actions.getJSONObject(index).getString("n"));
      }
      answer.put("buttons", new JSONArray(labels));
    } catch (JSONException exception) {
      // One button that cannot be read costs all of them.
      answer.put("outcome", "fallback");
    }
  }
}
