package testbed.discovery;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "testbed.discovery", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  /** Servlet and reactive front doors use it. */
  @ArchTest
  static final ArchRule knowsNoQueuesAndNoServer =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "testbed.messaging..",
              "testbed.contracts.message..",
              "testbed.support.web..",
              "org.springframework.amqp..",
              "org.springframework.web..",
              "jakarta.servlet..");
}
