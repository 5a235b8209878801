package postrider.app;

import java.io.File;

/** Runs every test of the Android client; the argument is the folder Vectors/app-sdk. */
final class Main {
  public static void main(String[] arguments) throws Exception {
    Checks checks = new Checks();
    VectorTests.run(new File(arguments[0]), checks);
    FacadeTests.run(checks);
    ClientTests.run(checks);
    System.out.println(checks.passed + " passed, " + checks.failed + " failed");
    System.exit(checks.failed == 0 ? 0 : 1);
  }

  private Main() {}
}
