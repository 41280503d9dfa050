package testbed.feed;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "testbed.feed", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule sourceAndRatesKnowNoEdge =
      noClasses()
          .that()
          .resideInAnyPackage("testbed.feed.source", "testbed.feed.rate")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "testbed.feed.web", "org.springframework.web..", "org.springframework.http..");

  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices().matching("testbed.feed.(*)..").should().beFreeOfCycles();
}
