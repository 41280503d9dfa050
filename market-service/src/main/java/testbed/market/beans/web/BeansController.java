package testbed.market.beans.web;

import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import testbed.market.beans.Beans;
import testbed.market.beans.Entries;
import testbed.market.beans.Entry.NewBean;
import testbed.market.beans.ListedBean;
import testbed.market.beans.VarietyType;
import testbed.market.beans.Wanted;
import testbed.market.part.Part;
import testbed.market.part.PartOf;
import testbed.market.web.Parameters;

@RestController
@PartOf(Part.BEANS)
@RequestMapping("/api/beans")
class BeansController extends EntryController<NewBean, ListedBean> {

  private final Beans beans;

  BeansController(Entries<?, NewBean, ListedBean> entries, Beans beans) {
    super(entries, ListedBean::id);
    this.beans = beans;
  }

  @GetMapping
  List<ListedBean> page(Parameters parameters) {
    return beans.page(
        new Wanted(
            parameters.text("countryName"),
            parameters.text("regionName"),
            parameters.text("varietyName"),
            parameters.choice("varietyType", VarietyType.class),
            parameters.text("companyName")),
        parameters.page());
  }

  /** With quantity and price. */
  @Override
  @GetMapping(ID)
  ListedBean get(@PathVariable long id) {
    return beans.details(id);
  }
}
