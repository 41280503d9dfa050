package testbed.generator;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import org.slf4j.LoggerFactory;

/**
 * Runs JMeter plans on command, one after the other, in a JMeter that is started once.
 *
 * <p>Standard output is {@code ready} when JMeter has started, then one line for each command. A
 * command is a line of standard input: the path of a {@link Load}'s properties file. Its answer is
 * {@code ended SAMPLES} once the result file is complete, or {@code failed REASON}. The end of
 * standard input ends the program, in the middle of a load too.
 */
public final class LoadGenerator {

  private LoadGenerator() {}

  /** Takes the folder of JMeter and the file for JMeter's log. */
  public static void main(String[] arguments) throws IOException {
    if (arguments.length != 2) {
      System.err.println("arguments: JMETER_HOME LOG_FILE");
      System.exit(2);
    }
    var answers = System.out;
    // JMeter and its functions print there too.
    System.setOut(System.err);
    var jmeter = JMeterInstance.start(Path.of(arguments[0]), Path.of(arguments[1]));
    answers.println("ready");
    var loads = Executors.newSingleThreadExecutor();
    try (var commands =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (var command = commands.readLine(); command != null; command = commands.readLine()) {
        var file = Path.of(command);
        loads.execute(() -> run(jmeter, file, answers));
      }
    }
    // Users of a load that is under way would keep the program alive.
    System.exit(0);
  }

  private static void run(JMeterInstance jmeter, Path command, PrintStream answers) {
    try {
      answers.println("ended " + jmeter.run(Load.read(command)));
    } catch (Throwable reason) {
      // Errors too: who asked waits for an answer.
      LoggerFactory.getLogger(LoadGenerator.class).error("{} failed", command, reason);
      answers.println("failed " + reason.toString().replaceAll("\\R", " "));
    }
  }
}
