import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.Scanner;

/** Formats each line of standard input (the format, then arguments, as base64 between spaces) with String.format. */
public class FormatOracle {
  public static void main(String[] unused) {
    Scanner lines = new Scanner(System.in, StandardCharsets.UTF_8);
    StringBuilder answers = new StringBuilder();
    while (lines.hasNextLine()) {
      String[] words =
          Arrays.stream(lines.nextLine().split(" "))
              .map(word -> new String(Base64.getDecoder().decode(word.substring(1)), StandardCharsets.UTF_8))
              .toArray(String[]::new);
      Object[] arguments = Arrays.copyOfRange(words, 1, words.length, Object[].class);
      try {
        byte[] text = String.format(Locale.ENGLISH, words[0], arguments).getBytes(StandardCharsets.UTF_8);
        answers.append("text ").append(Base64.getEncoder().encodeToString(text)).append('\n');
      } catch (RuntimeException exception) {
        answers.append("exception ").append(exception.getClass().getSimpleName()).append('\n');
      }
    }
    System.out.print(answers);
  }
}
