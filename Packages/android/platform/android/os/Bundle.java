package android.os;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** The methods are BaseBundle's since API 21. */
public final class Bundle {
  public final Map<String, Object> values = new HashMap<>();

  public Bundle() {}

  public Bundle(Bundle other) {
    values.putAll(other.values);
  }

  public String getString(String key) {
    Object value = values.get(key);
    return value instanceof String ? (String) value : null;
  }

  public boolean getBoolean(String key) {
    return Boolean.TRUE.equals(values.get(key));
  }

  public Set<String> keySet() {
    return values.keySet();
  }
}
