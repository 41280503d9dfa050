package testbed.ticket;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "testbed.ticket", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule aTicketIsMadeOfAReservationAndNothingElse =
      noClasses()
          .that()
          .resideInAPackage("testbed.ticket.pdf")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "testbed.ticket",
              "testbed.ticket.office",
              "testbed.ticket.web",
              "testbed.support..",
              "org.springframework..",
              "io.micrometer..");

  @ArchTest
  static final ArchRule theCoreKnowsNoEdge =
      noClasses()
          .that()
          .resideInAPackage("testbed.ticket.office")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "testbed.ticket.web",
              "testbed.support.web",
              "testbed.messaging",
              "org.springframework.http..",
              "org.springframework.web..",
              "jakarta.servlet..");

  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices().matching("testbed.ticket.(*)..").should().beFreeOfCycles();
}
