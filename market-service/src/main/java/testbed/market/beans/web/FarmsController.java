package testbed.market.beans.web;

import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import testbed.market.beans.Entries;
import testbed.market.beans.Entry.ListedFarm;
import testbed.market.beans.Entry.NewFarm;
import testbed.market.beans.Lists;
import testbed.market.part.Part;
import testbed.market.part.PartOf;
import testbed.market.web.Parameters;

@RestController
@PartOf(Part.BEANS)
@RequestMapping("/api/beans/farms")
class FarmsController extends EntryController<NewFarm, ListedFarm> {

  private final Lists lists;

  FarmsController(Entries<?, NewFarm, ListedFarm> entries, Lists lists) {
    super(entries, ListedFarm::id);
    this.lists = lists;
  }

  @GetMapping
  List<ListedFarm> list(Parameters parameters) {
    return lists.farms(
        parameters.text("name"), parameters.text("regionName"), parameters.text("countryName"));
  }
}
