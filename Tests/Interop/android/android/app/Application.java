package android.app;

import android.content.Context;
import java.io.File;

/** For the classes of docs/apps.md. */
public class Application extends Context {
  public void onCreate() {}

  @Override public Context getApplicationContext() { return this; }

  @Override public File getNoBackupFilesDir() { return null; }

  @Override public android.content.pm.PackageManager getPackageManager() { return null; }

  @Override public String getPackageName() { return null; }

  @Override public Object getSystemService(String name) { return null; }

  @Override public int checkSelfPermission(String permission) { return -1; }
}
