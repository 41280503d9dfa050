package testbed.market;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import org.springframework.stereotype.Component;
import org.springframework.web.bind.annotation.RestController;
import testbed.market.database.Database;
import testbed.market.part.PartOf;

@AnalyzeClasses(packages = "testbed.market", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

  private static final String[] PARTS = {
    "testbed.market.beans..", "testbed.market.inventory..", "testbed.market.clients.."
  };

  @ArchTest
  static final ArchRule beansKnowNoOtherPart =
      noClasses()
          .that()
          .resideInAPackage(PARTS[0])
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(PARTS[1], PARTS[2]);

  @ArchTest
  static final ArchRule theInventoryKnowsNoOtherPart =
      noClasses()
          .that()
          .resideInAPackage(PARTS[1])
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(PARTS[0], PARTS[2]);

  @ArchTest
  static final ArchRule clientsKnowNoOtherPart =
      noClasses()
          .that()
          .resideInAPackage(PARTS[2])
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(PARTS[0], PARTS[1]);

  @ArchTest
  static final ArchRule whatPartsShareKnowsNone =
      noClasses()
          .that()
          .resideInAnyPackage(
              "testbed.market.part",
              "testbed.market.database",
              "testbed.market.between",
              "testbed.market.web")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(PARTS);

  @ArchTest
  static final ArchRule partsKnowNoHttp =
      noClasses()
          .that()
          .resideInAnyPackage(
              "testbed.market.beans", "testbed.market.inventory", "testbed.market.clients")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("..web..", "org.springframework.web..", "org.springframework.http..");

  /** Otherwise a process would have something of a part that it has not. */
  @ArchTest
  static final ArchRule componentsSayWhichPartTheyAreOf =
      classes()
          .that()
          .resideInAnyPackage(PARTS)
          .and()
          .areAnnotatedWith(Component.class)
          .or()
          .areAnnotatedWith(RestController.class)
          .should()
          .beAnnotatedWith(PartOf.class);

  @ArchTest
  static final ArchRule entitiesAreAPartsOwn =
      classes().that().areAnnotatedWith(Entity.class).should().bePackagePrivate();

  /** They hide that their statement failed, see {@link Database#find}. */
  @ArchTest
  static final ArchRule entitiesAreFoundByTheDatabase =
      noClasses()
          .that()
          .doNotBelongToAnyOf(Database.class)
          .should()
          .accessTargetWhere(
              target(owner(assignableTo(EntityManager.class)))
                  .and(target(nameMatching("find|getReference"))));

  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices().matching("testbed.market.(**)").should().beFreeOfCycles();
}
