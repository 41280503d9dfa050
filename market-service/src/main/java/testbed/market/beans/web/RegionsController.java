package testbed.market.beans.web;

import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import testbed.market.beans.Entries;
import testbed.market.beans.Entry.ListedRegion;
import testbed.market.beans.Entry.NewRegion;
import testbed.market.beans.Lists;
import testbed.market.part.Part;
import testbed.market.part.PartOf;
import testbed.market.web.Parameters;

@RestController
@PartOf(Part.BEANS)
@RequestMapping("/api/beans/regions")
class RegionsController extends EntryController<NewRegion, ListedRegion> {

  private final Lists lists;

  RegionsController(Entries<?, NewRegion, ListedRegion> entries, Lists lists) {
    super(entries, ListedRegion::id);
    this.lists = lists;
  }

  @GetMapping
  List<ListedRegion> list(Parameters parameters) {
    return lists.regions(parameters.text("name"), parameters.text("countryName"));
  }
}
