package testbed.market.beans;

import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.NamedAttributeNode;
import jakarta.persistence.NamedEntityGraph;
import jakarta.persistence.NamedSubgraph;
import jakarta.persistence.Table;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The graph is that of the document's figure 4.9. */
@Entity
@Table(schema = "beans")
@NamedEntityGraph(
    name = Bean.GRAPH,
    attributeNodes = {
      @NamedAttributeNode("variety"),
      @NamedAttributeNode("company"),
      @NamedAttributeNode(value = "farm", subgraph = "farm"),
      @NamedAttributeNode("mill")
    },
    subgraphs = {
      @NamedSubgraph(
          name = "farm",
          attributeNodes = @NamedAttributeNode(value = "region", subgraph = "region")),
      @NamedSubgraph(name = "region", attributeNodes = @NamedAttributeNode("country"))
    })
class Bean {

  static final String GRAPH = "Bean.all";

  @Id
  @GeneratedValue(strategy = GenerationType.IDENTITY)
  private @Nullable Long id;

  private @Nullable Integer harvestYear;
  private @Nullable String processingMethod;
  private @Nullable String color;

  /** Some beans have none, and so no region. */
  @ManyToOne(fetch = FetchType.LAZY)
  private @Nullable Farm farm;

  @ManyToOne(fetch = FetchType.LAZY)
  private @Nullable Mill mill;

  @ManyToOne(fetch = FetchType.LAZY, optional = false)
  private @Nullable Company company;

  @ManyToOne(fetch = FetchType.LAZY, optional = false)
  private @Nullable Variety variety;

  long id() {
    return Objects.requireNonNull(id);
  }

  @Nullable Integer harvestYear() {
    return harvestYear;
  }

  @Nullable String processingMethod() {
    return processingMethod;
  }

  @Nullable String color() {
    return color;
  }

  void harvested(
      @Nullable Integer changedYear,
      @Nullable String changedMethod,
      @Nullable String changedColor) {
    harvestYear = changedYear;
    processingMethod = changedMethod;
    color = changedColor;
  }

  @Nullable Farm farm() {
    return farm;
  }

  @Nullable Mill mill() {
    return mill;
  }

  void from(@Nullable Farm changedFarm, @Nullable Mill changedMill) {
    farm = changedFarm;
    mill = changedMill;
  }

  Company company() {
    return Objects.requireNonNull(company);
  }

  Variety variety() {
    return Objects.requireNonNull(variety);
  }

  void of(Company changedCompany, Variety changedVariety) {
    company = changedCompany;
    variety = changedVariety;
  }
}
