package testbed.messaging;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "testbed.messaging", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule knowsNoHttp =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "testbed.support.web..",
              "org.springframework.web..",
              "org.springframework.http..",
              "jakarta.servlet..");

  /** This module sends the messages of services. It does not know what they hold. */
  @ArchTest
  static final ArchRule knowsNoCinemas =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("testbed.cinemas..", "testbed.discovery..", "testbed.contracts");
}
