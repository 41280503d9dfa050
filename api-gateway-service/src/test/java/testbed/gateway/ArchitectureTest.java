package testbed.gateway;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "testbed.gateway", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  @ArchTest
  static final ArchRule breakersDoNotKnowWhoIsRegistered =
      noClasses()
          .that()
          .resideInAnyPackage("testbed.gateway.breaker", "testbed.gateway.problem")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "testbed.gateway.route",
              "testbed.support.discovery",
              "org.springframework.cloud.client.discovery..");

  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices().matching("testbed.gateway.(*)..").should().beFreeOfCycles();
}
