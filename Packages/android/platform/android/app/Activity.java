package android.app;

import android.content.Context;
import android.content.Intent;
import android.os.Bundle;
import java.io.File;

/** API 1; {@link #requestPermissions} API 23. */
public class Activity extends Context {
  public String[] requested;
  public boolean isGranted;

  protected void onCreate(Bundle state) {}

  protected void onNewIntent(Intent intent) {}

  public Intent getIntent() { return null; }

  public final void requestPermissions(String[] permissions, int requestCode) {
    requested = permissions;
  }

  @Override public int checkSelfPermission(String permission) {
    return isGranted ? 0 : -1;
  }

  @Override public Context getApplicationContext() { return this; }

  @Override public File getNoBackupFilesDir() { throw new UnsupportedOperationException(); }

  @Override public android.content.pm.PackageManager getPackageManager() { throw new UnsupportedOperationException(); }

  @Override public String getPackageName() { throw new UnsupportedOperationException(); }

  @Override public Object getSystemService(String name) { return null; }
}
