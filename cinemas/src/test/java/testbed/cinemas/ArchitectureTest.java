package testbed.cinemas;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "testbed.cinemas", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  /** Front doors of both variants use it. */
  @ArchTest
  static final ArchRule knowsNoTransport =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "testbed.messaging..",
              "testbed.discovery..",
              "testbed.support.web..",
              "testbed.contracts.message..",
              "org.springframework.amqp..",
              "org.springframework.cloud..",
              "org.springframework.web..",
              "jakarta.servlet..");
}
