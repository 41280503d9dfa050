package testbed.market.beans.web;

import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import testbed.market.beans.Entries;
import testbed.market.beans.Entry.ListedCountry;
import testbed.market.beans.Entry.NewCountry;
import testbed.market.beans.Lists;
import testbed.market.part.Part;
import testbed.market.part.PartOf;
import testbed.market.web.Parameters;

@RestController
@PartOf(Part.BEANS)
@RequestMapping("/api/beans/countries")
class CountriesController extends EntryController<NewCountry, ListedCountry> {

  private final Lists lists;

  CountriesController(Entries<?, NewCountry, ListedCountry> entries, Lists lists) {
    super(entries, ListedCountry::id);
    this.lists = lists;
  }

  @GetMapping
  List<ListedCountry> list(Parameters parameters) {
    return lists.countries(parameters.text("name"));
  }
}
