package testbed.cinema;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "testbed.cinema", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule theCoreKnowsNoEdge =
      noClasses()
          .that()
          .resideInAnyPackage("testbed.cinema.movie", "testbed.cinema.reservation")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "testbed.cinema.web",
              "testbed.cinema.messaging",
              "testbed.cinema.ticket",
              "testbed.ticket..",
              "testbed.contracts.message",
              "org.springframework.http..",
              "org.springframework.web..",
              "org.springframework.amqp..",
              "jakarta.servlet..");

  @ArchTest
  static final ArchRule theEdgesDoNotKnowEachOther =
      noClasses()
          .that()
          .resideInAPackage("testbed.cinema.web")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("testbed.cinema.messaging");

  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices().matching("testbed.cinema.(*)..").should().beFreeOfCycles();
}
