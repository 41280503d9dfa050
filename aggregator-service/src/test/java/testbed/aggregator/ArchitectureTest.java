package testbed.aggregator;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "testbed.aggregator", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule theCoreKnowsNoEdge =
      noClasses()
          .that()
          .resideInAPackage("testbed.aggregator.movie")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "testbed.aggregator.web",
              "testbed.aggregator.route",
              "testbed.support.discovery",
              "org.springframework..",
              "org.apache..",
              "jakarta..");

  @ArchTest
  static final ArchRule theEdgesDoNotKnowEachOther =
      noClasses()
          .that()
          .resideInAPackage("testbed.aggregator.web")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("testbed.aggregator.route");

  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices().matching("testbed.aggregator.(*)..").should().beFreeOfCycles();
}
