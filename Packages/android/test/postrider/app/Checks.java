package postrider.app;

import java.io.File;
import java.util.Objects;

/** Counts tests; without a test framework, so that the JDK is all they need. */
final class Checks {
  interface Body {
    void run() throws Exception;
  }

  int passed;
  int failed;

  void run(String name, Body body) {
    try {
      body.run();
      passed++;
    } catch (Throwable failure) {
      failed++;
      System.out.println("FAILED " + name + ": " + failure);
      if (!(failure instanceof AssertionError)) failure.printStackTrace(System.out);
    }
  }

  File folder() throws Exception {
    File folder = java.nio.file.Files.createTempDirectory("postrider-app").toFile();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(folder)));
    return folder;
  }

  private static void remove(File file) {
    File[] inside = file.listFiles();
    if (inside != null) for (File each : inside) remove(each);
    file.delete();
  }

  static void that(boolean holds, String otherwise) {
    if (!holds) throw new AssertionError(otherwise);
  }

  static void equal(Object found, Object expected) {
    boolean same = found instanceof Number && expected instanceof Number
        ? ((Number) found).longValue() == ((Number) expected).longValue() : Objects.equals(found, expected);
    that(same, found + " is not " + expected);
  }
}
