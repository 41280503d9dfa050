#!/usr/bin/env bash
# JMeter 5.6.3.
# Guess: of an answer that lacks the value, each extractor without a default does the same: it leaves the variable alone.
# What happens: those for a regular expression, boundaries and CSS keep the value of the answer before. Those for JSON
# paths, JMESPath and XPath make it the empty text.
# Why it matters: after an order that failed, one plan asks for the previous order again, and sees a success; the other
# sends the request to the path without an id, which may be the list of all orders. Which of them depends
# on how the plan was written.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries org.apache.jmeter:ApacheJMeter_components:5.6.3
touch jmeter.properties

cat > LastValue.java <<'END'
import java.util.*;
import org.apache.jmeter.extractor.*;
import org.apache.jmeter.extractor.json.jmespath.JMESPathExtractor;
import org.apache.jmeter.extractor.json.jsonpath.JSONPostProcessor;
import org.apache.jmeter.processor.PostProcessor;
import org.apache.jmeter.samplers.SampleResult;
import org.apache.jmeter.threads.*;
import org.apache.jmeter.util.JMeterUtils;

public class LastValue extends Finding {

  static final JMeterContext CONTEXT = JMeterContextService.getContext();

  /** The variable `id` after an answer with 7, and after one without. */
  static List<String> values(PostProcessor extractor, String with, String without) {
    CONTEXT.setVariables(new JMeterVariables());
    var values = new ArrayList<String>();
    for (var body : List.of(with, without)) {
      var answer = new SampleResult();
      answer.setResponseData(body, "UTF-8");
      CONTEXT.setPreviousResult(answer);
      extractor.process();
      CONTEXT.cleanAfterSample();
      values.add(CONTEXT.getVariables().get("id"));
    }
    var name = extractor.getClass().getSimpleName();
    System.out.printf("%s: first '%s', then '%s'%n", name, values.get(0), values.get(1));
    return values;
  }

  static RegexExtractor regularExpression() {
    var extractor = new RegexExtractor();
    extractor.setRefName("id");
    extractor.setUseField("false");
    extractor.setRegex("\"id\":(\\d+)");
    extractor.setTemplate("$1$");
    extractor.setMatchNumber(1);
    return extractor;
  }

  static BoundaryExtractor boundaries() {
    var extractor = new BoundaryExtractor();
    extractor.setRefName("id");
    extractor.setUseField("false");
    extractor.setLeftBoundary("\"id\":");
    extractor.setRightBoundary("}");
    extractor.setMatchNumber(1);
    return extractor;
  }

  static HtmlExtractor css() {
    var extractor = new HtmlExtractor();
    extractor.setRefName("id");
    extractor.setExpression("b");
    extractor.setAttribute("");
    extractor.setMatchNumber(1);
    return extractor;
  }

  static JSONPostProcessor jsonPath() {
    var extractor = new JSONPostProcessor();
    extractor.setRefNames("id");
    extractor.setJsonPathExpressions("$.id");
    extractor.setMatchNumbers("1");
    return extractor;
  }

  static JMESPathExtractor jmesPath() {
    var extractor = new JMESPathExtractor();
    extractor.setRefName("id");
    extractor.setJmesPathExpression("id");
    extractor.setMatchNumber("1");
    return extractor;
  }

  static XPath2Extractor xPath() {
    var extractor = new XPath2Extractor();
    extractor.setRefName("id");
    extractor.setXPathQuery("//b/text()");
    extractor.setMatchNumber(1);
    return extractor;
  }

  public static void main(String[] arguments) {
    JMeterUtils.loadJMeterProperties("jmeter.properties");
    JMeterUtils.setLocale(Locale.ENGLISH);
    var json = List.of("{\"id\":7}", "{\"error\":1}");
    var markup = List.of("<a><b>7</b></a>", "<a/>");
    for (var extractor : List.of(regularExpression(), boundaries())) {
      expect(values(extractor, json.get(0), json.get(1)).equals(List.of("7", "7")), "it keeps the value");
    }
    expect(values(css(), markup.get(0), markup.get(1)).equals(List.of("7", "7")), "it keeps the value");
    for (var extractor : List.of(jsonPath(), jmesPath())) {
      expect(values(extractor, json.get(0), json.get(1)).equals(List.of("7", "")), "it takes the value away");
    }
    expect(values(xPath(), markup.get(0), markup.get(1)).equals(List.of("7", "")), "it takes the value away");
  }
}
END
run_java LastValue
