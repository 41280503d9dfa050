package testbed.market.beans.web;

import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import testbed.market.beans.Entries;
import testbed.market.beans.Entry.ListedMill;
import testbed.market.beans.Entry.NewMill;
import testbed.market.beans.Lists;
import testbed.market.part.Part;
import testbed.market.part.PartOf;
import testbed.market.web.Parameters;

@RestController
@PartOf(Part.BEANS)
@RequestMapping("/api/beans/mills")
class MillsController extends EntryController<NewMill, ListedMill> {

  private final Lists lists;

  MillsController(Entries<?, NewMill, ListedMill> entries, Lists lists) {
    super(entries, ListedMill::id);
    this.lists = lists;
  }

  @GetMapping
  List<ListedMill> list(Parameters parameters) {
    return lists.mills(
        parameters.text("name"), parameters.text("regionName"), parameters.text("countryName"));
  }
}
