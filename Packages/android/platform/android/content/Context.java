package android.content;

import android.content.pm.PackageManager;
import java.io.File;

/** {@link #getNoBackupFilesDir} API 21, {@link #checkSelfPermission} API 23. */
public abstract class Context {
  public static final String NOTIFICATION_SERVICE = "notification";
  public static final String CONNECTIVITY_SERVICE = "connectivity";

  public abstract Context getApplicationContext();

  public abstract File getNoBackupFilesDir();

  public abstract PackageManager getPackageManager();

  public abstract String getPackageName();

  public abstract Object getSystemService(String name);

  public abstract int checkSelfPermission(String permission);
}
