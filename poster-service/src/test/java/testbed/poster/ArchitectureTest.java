package testbed.poster;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "testbed.poster", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule theStepsKnowNothingButImages =
      noClasses()
          .that()
          .resideInAPackage("testbed.poster.image")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "testbed.poster.work",
              "testbed.poster.web",
              "org.springframework..",
              "io.micrometer..",
              "java.net..",
              "jakarta..");

  @ArchTest
  static final ArchRule theWorkKnowsNoEdge =
      noClasses()
          .that()
          .resideInAPackage("testbed.poster.work")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "testbed.poster.web",
              "org.springframework.web..",
              "org.springframework.http..",
              "jakarta..");

  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices().matching("testbed.poster.(*)..").should().beFreeOfCycles();
}
