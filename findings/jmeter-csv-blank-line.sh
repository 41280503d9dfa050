#!/usr/bin/env bash
# JMeter 5.6.3 (CSV Data Set Config).
# Guess: a blank line of the file is skipped, or gives empty values. A row with fewer fields leaves the rest empty.
# What happens: a blank line is the end of the file: its iteration has <EOF> in each variable, with "recycle" too, and
# with "stop thread" its thread ends, though the next line has data. Only with "allow quoted data" it is a row:
# the first variable is empty, and the others keep the row before. A row with fewer fields keeps the row before, too.
# Why it matters: a file with a blank line in the middle takes one user away at each pass, and the load falls without an
# error. A customer without a discount code orders with the previous customer's.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries org.apache.jmeter:ApacheJMeter_components:5.6.3
touch jmeter.properties

cat > BlankLine.java <<'END'
import java.io.IOException;
import java.nio.file.*;
import java.util.*;
import org.apache.jmeter.config.CSVDataSet;
import org.apache.jmeter.services.FileServer;
import org.apache.jmeter.threads.*;
import org.apache.jmeter.util.JMeterUtils;
import org.apache.jorphan.util.JMeterStopThreadException;

public class BlankLine extends Finding {

  /** What `customer/code` are in each iteration; "stopped" where the thread ends. */
  static List<String> values(boolean isQuoted, boolean isRecycled, boolean isStopping) throws IOException {
    JMeterContextService.getContext().setVariables(new JMeterVariables());
    var data = new CSVDataSet();
    data.setFilename(Path.of("customers.csv").toAbsolutePath().toString());
    data.setFileEncoding("UTF-8");
    data.setVariableNames("");
    data.setDelimiter(",");
    data.setQuotedData(isQuoted);
    data.setRecycle(isRecycled);
    data.setStopThread(isStopping);
    data.setShareMode("shareMode.all");
    var values = new ArrayList<String>();
    for (int iteration = 0; iteration < 4; iteration++) {
      try {
        data.iterationStart(null);
        var variables = JMeterContextService.getContext().getVariables();
        values.add(variables.get("customer") + "/" + variables.get("code"));
      } catch (JMeterStopThreadException stop) {
        values.add("stopped");
      }
    }
    FileServer.getFileServer().closeFiles();
    System.out.printf("quoted %b, recycle %b, stop thread %b: %s%n", isQuoted, isRecycled, isStopping, values);
    return values;
  }

  public static void main(String[] arguments) throws Exception {
    JMeterUtils.loadJMeterProperties("jmeter.properties");
    JMeterUtils.setLocale(Locale.ENGLISH);
    Files.writeString(Path.of("customers.csv"), "customer,code\n1,half\n\n2\n3,none\n");
    var ended = List.of("1/half", "<EOF>/<EOF>", "2/<EOF>", "3/none");
    expect(values(false, false, false).equals(ended), "a blank line is the end, a short row keeps the value");
    expect(values(false, true, false).equals(ended), "with recycle, too");
    var stopped = List.of("1/half", "stopped", "2/half", "3/none");
    expect(values(false, false, true).equals(stopped), "a blank line stops the thread");
    expect(values(false, true, true).equals(stopped), "with recycle, too");
    expect(values(true, false, true).equals(List.of("1/half", "/half", "2/half", "3/none")), "quoted, it is a row");
  }
}
END
run_java BlankLine
