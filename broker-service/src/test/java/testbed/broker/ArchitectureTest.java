package testbed.broker;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "testbed.broker", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule theCoreKnowsNoEdge =
      noClasses()
          .that()
          .resideInAPackage("testbed.broker.operation")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "testbed.broker",
              "testbed.broker.web",
              "testbed.broker.messaging",
              "testbed.messaging",
              "testbed.support.web",
              "org.springframework..",
              "com.rabbitmq..",
              "jakarta.servlet..");

  /** The core knows which cinema a request is for, and no queues. */
  @ArchTest
  static final ArchRule theCoreKnowsNoTopology =
      noClasses()
          .that()
          .resideInAPackage("testbed.broker.operation")
          .should()
          .dependOnClassesThat()
          .haveFullyQualifiedName("testbed.contracts.message.Topology");

  @ArchTest
  static final ArchRule theWebEdgeDoesNotKnowTheMessagingEdge =
      noClasses()
          .that()
          .resideInAPackage("testbed.broker.web")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("testbed.broker.messaging", "org.springframework.amqp..");

  @ArchTest
  static final ArchRule theMessagingEdgeDoesNotKnowTheWebEdge =
      noClasses()
          .that()
          .resideInAPackage("testbed.broker.messaging")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("testbed.broker.web", "org.springframework.web..");

  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices().matching("testbed.broker.(*)..").should().beFreeOfCycles();
}
