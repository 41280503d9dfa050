package testbed.generator;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.LongAdder;
import org.apache.jmeter.JMeter;
import org.apache.jmeter.control.ReplaceableController;
import org.apache.jmeter.engine.StandardJMeterEngine;
import org.apache.jmeter.engine.util.NoThreadClone;
import org.apache.jmeter.exceptions.IllegalUserActionException;
import org.apache.jmeter.gui.tree.JMeterTreeModel;
import org.apache.jmeter.gui.tree.JMeterTreeNode;
import org.apache.jmeter.reporters.ResultCollector;
import org.apache.jmeter.samplers.SampleEvent;
import org.apache.jmeter.samplers.SampleListener;
import org.apache.jmeter.save.SaveService;
import org.apache.jmeter.services.FileServer;
import org.apache.jmeter.testelement.AbstractTestElement;
import org.apache.jmeter.util.JMeterUtils;
import org.apache.jorphan.collections.HashTree;
import org.apache.jorphan.collections.SearchByClass;

/** The JMeter of this JVM, which runs one plan at a time as {@code jmeter -n -t -l} does. */
final class JMeterInstance {

  private final Properties stock;

  private JMeterInstance(Properties stock) {
    this.stock = stock;
  }

  /**
   * Starts JMeter as its own launcher does; an error ends the program.
   *
   * @param home the folder of a JMeter whose jars are on the class path
   * @param log the file for JMeter's log
   */
  static JMeterInstance start(Path home, Path log) {
    System.setProperty("jmeter.home", home.toString());
    System.setProperty("jmeter.logfile", log.toString());
    System.setProperty(
        "log4j.configurationFile", home.resolve("bin").resolve("log4j2.xml").toUri().toString());
    System.setProperty(JMeter.JMETER_NON_GUI, "true");
    // JMeter's own start, then only its version is printed. Users that do not stop must not end the
    // program. Starts and ends of users are not logged. A redirect is a part of its sample.
    new JMeter()
        .start(
            new String[] {
              "-v",
              "-Jjmeterengine.stopfail.system.exit=false",
              "-Jjmeter.save.saveservice.subresults=false",
              "-Lorg.apache.jmeter.threads.JMeterThread=WARN"
            });
    return new JMeterInstance((Properties) JMeterUtils.getJMeterProperties().clone());
  }

  /**
   * Runs a plan to its end; the result file is complete then.
   *
   * @return how many samples JMeter handed to its listeners
   * @throws IOException if the plan cannot be read
   * @throws IllegalUserActionException if the plan has no place in a test
   * @throws ExecutionException if the test failed as a whole
   */
  long run(Load load)
      throws IOException, IllegalUserActionException, ExecutionException, InterruptedException {
    var properties = JMeterUtils.getJMeterProperties();
    properties.clear();
    properties.putAll(stock);
    properties.putAll(load.properties());
    var plan = read(load.plan().toFile());
    var collector = new ResultCollector();
    collector.setFilename(load.samples().toString());
    var delivered = new Delivered();
    plan.add(plan.getArray()[0], List.of(collector, delivered));
    var engine = new StandardJMeterEngine();
    engine.configure(plan);
    var test = new FutureTask<>(engine, true);
    // JMeter leaves its state in the thread that runs a test.
    new Thread(test, "test").start();
    try {
      test.get();
    } finally {
      FileServer.getFileServer().closeFiles();
    }
    if (engine.isActive()) {
      throw new IllegalStateException("JMeter did not begin the test, see its log");
    }
    return delivered.samples.sum();
  }

  /** Reads a plan and puts what module controllers lead to in their place. */
  private static HashTree read(File plan) throws IOException, IllegalUserActionException {
    FileServer.getFileServer().setBaseForScript(plan);
    var tree = SaveService.loadTree(plan);
    @SuppressWarnings("deprecation") // The constructor for use without a GUI.
    var model = new JMeterTreeModel(new Object());
    var root = (JMeterTreeNode) model.getRoot();
    model.addSubTree(tree, root);
    var modules = new SearchByClass<>(ReplaceableController.class);
    tree.traverse(modules);
    modules.getSearchResults().forEach(module -> module.resolveReplacementSubTree(root));
    return JMeter.convertSubTree(tree, true);
  }

  /** Counts the samples, for all threads together. */
  private static final class Delivered extends AbstractTestElement
      implements SampleListener, NoThreadClone {

    private static final long serialVersionUID = 1;

    private final LongAdder samples = new LongAdder();

    @Override
    public void sampleOccurred(SampleEvent event) {
      samples.increment();
    }

    @Override
    public void sampleStarted(SampleEvent event) {}

    @Override
    public void sampleStopped(SampleEvent event) {}
  }
}
