package postrider.app;

import android.app.Activity;
import android.app.NotificationManager;
import android.content.Context;
import android.content.Intent;
import android.content.pm.PackageManager;
import android.net.ConnectivityManager;
import android.net.Network;
import android.os.Build;
import android.os.Bundle;
import android.util.Log;
import java.io.File;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;

/**
 * The push client of an Android app: registers the device and reports notifications to a Postrider server. Start it in
 * Application.onCreate, which runs before a message is delivered. All methods may be called on any thread.
 */
public final class Postrider {
  /** The extra under which Firebase hands the message's id to the activity that a tap opens. */
  private static final String MESSAGE_ID = "google.message_id";
  private static final String MESSAGE_ID_OLD = "message_id";
  private static final String REPORTED = "postrider.reported";
  private static final String TAG = "Postrider";
  private static final String NOTIFICATIONS = "android.permission.POST_NOTIFICATIONS";

  /** Hears what became of a sign-out. */
  public interface SignOutListener {
    /**
     * @param isTaken true when the server has taken it; false when a user signs in before, or the server refuses the
     *     registration
     */
    void signedOut(boolean isTaken);
  }

  private static Postrider shared;

  private final Context context;
  private final Client client;
  private String[] linkKeys = Links.KEYS;

  /** Starts the client, or gives a running one another configuration. */
  public static synchronized Postrider start(Context context, Configuration configuration) {
    if (shared == null) shared = new Postrider(context.getApplicationContext());
    shared.linkKeys = configuration.linkKeys;
    String problem = shared.client.start(configuration);
    if (problem != null) throw new IllegalArgumentException(problem);
    return shared;
  }

  /** The started client. */
  public static synchronized Postrider get() {
    if (shared == null) throw new IllegalStateException("call Postrider.start in Application.onCreate");
    return shared;
  }

  private Postrider(Context context) {
    this.context = context;
    client = new Client(new AndroidPhone(context));
    watchNetwork();
  }

  /** Asks for permission to show notifications, on Android 13 and later; false when there is nothing to ask. */
  public boolean askPermission(Activity activity, int requestCode) {
    if (Build.VERSION.SDK_INT < 33) return false;
    if (activity.checkSelfPermission(NOTIFICATIONS) == PackageManager.PERMISSION_GRANTED) return false;
    activity.requestPermissions(new String[] {NOTIFICATIONS}, requestCode);
    return true;
  }

  /** Firebase's registration token: from onNewToken, and from getToken at each start. */
  public void setToken(String token) {
    client.setToken(token);
  }

  /** Registers the device for a user. */
  public void signIn(String user) {
    client.setUser(user);
  }

  /** Registers the device for nobody. */
  public void signOut() {
    client.signOut(null);
  }

  /**
   * Registers the device for nobody. Until the server has taken it, pushes of the user still arrive: it is tried again,
   * also after the app's next start.
   *
   * @param listener called once, on any thread, unless the process ends before
   */
  public void signOut(SignOutListener listener) {
    client.signOut(listener);
  }

  /** Replaces the device's tags. */
  public void setTags(Iterable<String> tags) {
    client.setTags(tags);
  }

  /** Opted out, the device gets no pushes and reports nothing. */
  public void setOptOut(boolean optOut) {
    client.setOptOut(optOut);
  }

  /** Reports that a message arrived: RemoteMessage.getMessageId(), in onMessageReceived. It is stored when this returns. */
  public void received(String messageId) {
    client.report("received", null, messageId);
  }

  /** Prepares the intent of a notification that the app shows itself, so that its tap is reported and has its data. */
  public Intent attach(Intent intent, String messageId, Map<String, String> data) {
    for (Map.Entry<String, String> entry : data.entrySet()) intent.putExtra(entry.getKey(), entry.getValue());
    return intent.putExtra(MESSAGE_ID, messageId);
  }

  /**
   * Reports the tap that opened an activity: call it in onCreate and onNewIntent.
   *
   * @return the link in the message's data, for the app to open; null when there is none
   */
  public String opened(Intent intent) {
    return responded(intent, "opened", null);
  }

  /** Reports that a button of a notification was pressed. */
  public String action(Intent intent, String action) {
    return responded(intent, "action", action);
  }

  private String responded(Intent intent, String type, String action) {
    Bundle extras = intent == null ? null : intent.getExtras();
    if (extras == null) return null;
    String id = extras.getString(MESSAGE_ID);
    if (id == null) id = extras.getString(MESSAGE_ID_OLD);
    // An activity that is created again, for a rotation, has the same intent.
    if (id == null || extras.getBoolean(REPORTED)) return null;
    intent.putExtra(REPORTED, true);
    client.report(type, action, id);
    Map<String, String> data = new HashMap<>();
    for (String key : extras.keySet()) {
      String value = extras.getString(key);
      if (value != null) data.put(key, value);
    }
    return Links.find(data, linkKeys);
  }

  /** Removes the app's notifications, and with them the badge that the launcher draws for them. */
  public void clearBadge() {
    Object manager = context.getSystemService(Context.NOTIFICATION_SERVICE);
    if (manager != null) ((NotificationManager) manager).cancelAll();
  }

  /** Sends now what waits after a failure. */
  public void wake() {
    client.wake();
  }

  /** The server's id of this device; null until it is registered. */
  public String deviceId() {
    return client.device();
  }

  /** How many events wait. */
  public int queued() {
    return client.queued();
  }

  /** How many events were never delivered: too many, too old, refused, or of unknown notifications. */
  public long dropped() {
    return client.dropped();
  }

  /** Retries when the network is back; without the permission ACCESS_NETWORK_STATE at the next call instead. */
  private void watchNetwork() {
    if (Build.VERSION.SDK_INT < 24) return;
    Object manager = context.getSystemService(Context.CONNECTIVITY_SERVICE);
    if (manager == null) return;
    try {
      ((ConnectivityManager) manager).registerDefaultNetworkCallback(new ConnectivityManager.NetworkCallback() {
        @Override public void onAvailable(Network network) { client.wake(); }
      });
    } catch (SecurityException notPermitted) {
      Log.i(TAG, "no permission to watch the network");
    }
  }

  /** The phone, by Android's calls. */
  private static final class AndroidPhone implements Client.Phone {
    private final Context context;

    AndroidPhone(Context context) {
      this.context = context;
    }

    /** Not in backups: restored on another phone, the name would make two phones one device. */
    @Override public File folder() {
      return new File(context.getNoBackupFilesDir(), "postrider");
    }

    @Override public String locale() {
      return Locale.getDefault().toLanguageTag();
    }

    @Override public String timezone() {
      return TimeZone.getDefault().getID();
    }

    @Override public String appVersion() {
      try {
        return context.getPackageManager().getPackageInfo(context.getPackageName(), 0).versionName;
      } catch (PackageManager.NameNotFoundException impossible) {
        return null;
      }
    }

    @Override public void log(String line) {
      Log.i(TAG, line);
    }
  }
}
