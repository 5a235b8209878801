package android.content;

import android.os.Bundle;

public class Intent {
  private Bundle extras;

  public Bundle getExtras() {
    return extras == null ? null : new Bundle(extras);
  }

  public Intent putExtra(String name, String value) {
    return put(name, value);
  }

  public Intent putExtra(String name, boolean value) {
    return put(name, value);
  }

  private Intent put(String name, Object value) {
    if (extras == null) extras = new Bundle();
    extras.values.put(name, value);
    return this;
  }
}
