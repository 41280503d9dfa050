package testbed.market.beans.web;

import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import testbed.market.beans.Entries;
import testbed.market.beans.Entry.ListedVariety;
import testbed.market.beans.Entry.NewVariety;
import testbed.market.beans.Lists;
import testbed.market.beans.VarietyType;
import testbed.market.part.Part;
import testbed.market.part.PartOf;
import testbed.market.web.Parameters;

@RestController
@PartOf(Part.BEANS)
@RequestMapping("/api/beans/varieties")
class VarietiesController extends EntryController<NewVariety, ListedVariety> {

  private final Lists lists;

  VarietiesController(Entries<?, NewVariety, ListedVariety> entries, Lists lists) {
    super(entries, ListedVariety::id);
    this.lists = lists;
  }

  @GetMapping
  List<ListedVariety> list(Parameters parameters) {
    return lists.varieties(parameters.text("name"), parameters.choice("type", VarietyType.class));
  }
}
