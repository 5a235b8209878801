package postrider.app;

import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.json.JSONException;
import org.json.JSONObject;

/** Events on disk, one file each, so that processes that share the folder never write the same file. */
final class EventQueue {
  static final int COUNT_MAX = 500;
  static final long AGE_MAX_MS = 28L * 86_400_000;
  private static final String END = ".json";
  private static final String TEMPORARY = ".tmp";

  private final File folder;
  private final File drops;
  /** Tells processes apart that write in the same millisecond. */
  private final String writer = String.format(Locale.ROOT, "%016x", new SecureRandom().nextLong());
  private int sequence;

  EventQueue(File folder) {
    this.folder = new File(folder, "events");
    drops = new File(folder, "dropped");
  }

  /** Stores an event; it is on disk when this returns. */
  void add(JSONObject event, long now) throws IOException {
    if (!folder.isDirectory() && !folder.mkdirs() && !folder.isDirectory()) throw new IOException("no folder");
    String name = String.format(Locale.ROOT, "%013d-%09d-%s", Math.max(now, 0), sequence++, writer);
    Files.write(new File(folder, name + END), new File(folder, name + TEMPORARY), event.toString());
    List<String> names = names();
    for (int i = 0; i < names.size() - COUNT_MAX; i++) drop(names.get(i));
  }

  /** The events by time, the oldest first. */
  List<String> names() {
    String[] found = folder.list();
    List<String> names = new ArrayList<>();
    if (found == null) return names;
    Arrays.sort(found);
    for (String name : found) if (name.endsWith(END)) names.add(name);
    return names;
  }

  /** Drops what is too old, and what a process that was killed began to write. */
  void dropOld(long now) {
    String[] found = folder.list();
    if (found == null) return;
    for (String name : found) {
      boolean isTemporary = name.endsWith(TEMPORARY);
      if (now - time(name) <= (isTemporary ? Lane.DAY_MS : AGE_MAX_MS)) continue;
      if (isTemporary) remove(name);
      else if (name.endsWith(END)) drop(name);
    }
  }

  /** The event; null when the file has none. */
  JSONObject read(String name) {
    String text = Files.read(new File(folder, name));
    if (text == null) return null;
    try {
      return new JSONObject(text);
    } catch (JSONException damaged) {
      return null;
    }
  }

  /** How often the server did not know an event's notification, and when it is sent again. */
  static final class Attempts {
    final int made;
    final long next;

    private Attempts(int made, long next) {
      this.made = made;
      this.next = next;
    }
  }

  /** Both are in the file's name, as in …~2~1795219212000.json, so that they outlive the process. */
  static Attempts attempts(String name) {
    String[] parts = name.substring(0, name.length() - END.length()).split("~");
    if (parts.length != 3) return new Attempts(0, 0);
    return new Attempts((int) Math.max(0, number(parts[1], Integer.MAX_VALUE)), number(parts[2], 0));
  }

  boolean postpone(String name, int attempts, long until) {
    int end = name.indexOf('~');
    String stem = name.substring(0, end < 0 ? name.length() - END.length() : end);
    return new File(folder, name).renameTo(new File(folder, stem + "~" + attempts + "~" + until + END));
  }

  void remove(String name) {
    new File(folder, name).delete();
  }

  void removeAll() {
    for (String name : names()) remove(name);
  }

  /** Removes an event that was never delivered, and counts it. */
  void drop(String name) {
    if (!new File(folder, name).delete()) return;
    // One byte for each, appended: processes do not overwrite each other's counts.
    try (FileOutputStream out = new FileOutputStream(drops, true)) {
      out.write('.');
    } catch (IOException full) {
      // The count is for people; the client works without it.
    }
  }

  long dropped() {
    return drops.length();
  }

  private static long time(String name) {
    int end = name.indexOf('-');
    return end < 0 ? 0 : number(name.substring(0, end), 0);
  }

  private static long number(String digits, long otherwise) {
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException foreign) {
      return otherwise;
    }
  }
}
