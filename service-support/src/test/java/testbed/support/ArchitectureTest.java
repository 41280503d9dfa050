package testbed.support;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import testbed.contracts.IdempotencyKey;
import testbed.contracts.Page;
import testbed.contracts.ProblemType;

@AnalyzeClasses(packages = "testbed.support", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule knowsNoQueues =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "testbed.messaging..",
              "testbed.contracts.message..",
              "org.springframework.amqp..",
              "com.rabbitmq..");

  @ArchTest
  static final ArchRule knowsNoRegistry =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "testbed.discovery..", "org.springframework.cloud..", "com.netflix..");

  /** What other products need as well. */
  @ArchTest
  static final ArchRule knowsNoCinemas =
      noClasses()
          .should()
          .dependOnClassesThat(
              resideInAnyPackage("testbed.cinemas..", "testbed.contracts..")
                  .and(not(belongToAnyOf(ProblemType.class, IdempotencyKey.class, Page.class))));

  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices().matching("testbed.support.(*)..").should().beFreeOfCycles();
}
