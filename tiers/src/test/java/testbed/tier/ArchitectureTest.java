package testbed.tier;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "testbed.tier", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  /** Servlet and reactive front doors use it. */
  @ArchTest
  static final ArchRule knowsNoServer =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "testbed.support.web..",
              "org.springframework.web..",
              "org.springframework.security.web..",
              "jakarta.servlet..",
              "reactor..");

  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices().matching("testbed.tier.(*)..").should().beFreeOfCycles();
}
