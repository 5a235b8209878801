package postrider.app;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URL;

/** HTTP by the platform's own client. */
final class Transport {
  private static final int CONNECT_MS = 10_000;
  private static final int ANSWER_MS = 20_000;
  private static final int ANSWER_BYTES_MAX = 256 * 1024;

  /** Sends a request; null when there is no answer. */
  static Answer send(Request request) {
    Configuration configuration = request.configuration;
    HttpURLConnection connection = null;
    try {
      connection = (HttpURLConnection) new URL(configuration.server + request.path).openConnection();
      connection.setConnectTimeout(CONNECT_MS);
      connection.setReadTimeout(ANSWER_MS);
      // A redirect would carry the key to another server.
      connection.setInstanceFollowRedirects(false);
      connection.setUseCaches(false);
      connection.setRequestMethod("POST");
      connection.setRequestProperty("Authorization", "Bearer " + configuration.key);
      connection.setRequestProperty("Content-Type", "application/json");
      if (request.identity != null) connection.setRequestProperty("Postrider-Identity", request.identity);
      byte[] body = request.body.getBytes(Files.UTF8);
      // Not streamed: of a streamed request, a 401 has no body, which says what was refused.
      connection.setDoOutput(true);
      try (OutputStream out = connection.getOutputStream()) {
        out.write(body);
      }
      int status = connection.getResponseCode();
      try (InputStream in = status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
        return new Answer(status, connection.getHeaderField("Retry-After"), read(in));
      }
    } catch (IOException | RuntimeException failure) {
      // A runtime exception: header values that the platform does not accept, or no permission for the network.
      return null;
    } finally {
      if (connection != null) connection.disconnect();
    }
  }

  private static String read(InputStream in) throws IOException {
    if (in == null) return "";
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    byte[] chunk = new byte[4096];
    for (int count; out.size() < ANSWER_BYTES_MAX && (count = in.read(chunk)) > 0; ) out.write(chunk, 0, count);
    return out.toString("UTF-8");
  }

  private Transport() {}
}
