package android.app;

public class NotificationManager {
  public int cleared;

  public void cancelAll() {
    cleared++;
  }
}
