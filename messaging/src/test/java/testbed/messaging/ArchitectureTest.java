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

  /** Their messages are its business, what is in them is not. */
  @ArchTest
  static final ArchRule knowsNoCinemas =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("testbed.cinemas..", "testbed.discovery..", "testbed.contracts");
}
