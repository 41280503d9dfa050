package testbed.ticketservice;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "testbed.ticketservice", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule theWebEdgeDoesNotKnowTheMessagingEdge =
      noClasses()
          .that()
          .resideInAPackage("testbed.ticketservice.web")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("testbed.ticketservice.messaging", "org.springframework.amqp..");

  @ArchTest
  static final ArchRule theMessagingEdgeDoesNotKnowTheWebEdge =
      noClasses()
          .that()
          .resideInAPackage("testbed.ticketservice.messaging")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("testbed.ticketservice.web", "org.springframework.web..");
}
