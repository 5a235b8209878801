package postrider.app;

import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.Charset;

/** Small files, each written whole or not at all. */
final class Files {
  static final Charset UTF8 = Charset.forName("UTF-8");

  /** The text of a file; null when it cannot be read. */
  static String read(File file) {
    try (FileInputStream in = new FileInputStream(file)) {
      byte[] bytes = new byte[(int) Math.min(file.length(), 1 << 20)];
      int count = 0;
      while (count < bytes.length) {
        int more = in.read(bytes, count, bytes.length - count);
        if (more < 0) break;
        count += more;
      }
      return new String(bytes, 0, count, UTF8);
    } catch (IOException unreadable) {
      return null;
    }
  }

  /** Writes another file and renames it, so that a reader, or a crash, never meets half a text. */
  static void write(File file, File temporary, String text) throws IOException {
    try (FileOutputStream out = new FileOutputStream(temporary)) {
      out.write(text.getBytes(UTF8));
      out.getFD().sync();
    }
    if (!temporary.renameTo(file)) throw new IOException("cannot rename " + temporary.getName());
  }

  private Files() {}
}
