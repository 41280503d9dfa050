package testbed.market.beans.web;

import java.util.List;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import testbed.market.beans.Entries;
import testbed.market.beans.Entry.ListedCompany;
import testbed.market.beans.Entry.NewCompany;
import testbed.market.beans.Lists;
import testbed.market.part.Part;
import testbed.market.part.PartOf;
import testbed.market.web.Parameters;

@RestController
@PartOf(Part.BEANS)
@RequestMapping("/api/beans/companies")
class CompaniesController extends EntryController<NewCompany, ListedCompany> {

  private final Lists lists;

  CompaniesController(Entries<?, NewCompany, ListedCompany> entries, Lists lists) {
    super(entries, ListedCompany::id);
    this.lists = lists;
  }

  @GetMapping
  List<ListedCompany> list(Parameters parameters) {
    return lists.companies(parameters.text("name"));
  }
}
