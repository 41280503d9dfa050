package testbed.market.clients.web;

import jakarta.validation.Valid;
import jakarta.validation.constraints.Email;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.net.URI;
import java.util.List;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import testbed.contracts.PlainText;
import testbed.market.clients.AddedClient;
import testbed.market.clients.Clients;
import testbed.market.clients.ListedClient;
import testbed.market.part.Part;
import testbed.market.part.PartOf;
import testbed.market.web.Client;
import testbed.market.web.Parameters;
import testbed.tier.token.Tier;

/** For administrators. */
@RestController
@PartOf(Part.CLIENTS)
@RequestMapping(ClientsController.PATH)
class ClientsController {

  static final String PATH = "/api/admin/clients";
  private static final String ID = "/{id:\\d{1,18}}";
  private static final int MAX_LENGTH = 200;

  private final Clients clients;

  ClientsController(Clients clients) {
    this.clients = clients;
  }

  @GetMapping
  List<ListedClient> list(Parameters parameters) {
    return clients.list(parameters.text("name"), parameters.pageOrFirst());
  }

  @GetMapping(ID)
  ListedClient get(@PathVariable long id) {
    return clients.get(id);
  }

  @PostMapping
  ResponseEntity<AddedClient> add(@Valid @RequestBody NewClient wanted) {
    var added = clients.add(wanted.name(), wanted.mail(), wanted.subscriptionType());
    return ResponseEntity.created(URI.create("%s/%d".formatted(PATH, added.client().id())))
        .cacheControl(CacheControl.noStore())
        .body(added);
  }

  @PutMapping(ID)
  ListedClient change(@PathVariable long id, @Valid @RequestBody ChangedClient wanted) {
    return clients.change(id, wanted.mail(), wanted.subscriptionType(), wanted.enabled());
  }

  @DeleteMapping(ID)
  @ResponseStatus(HttpStatus.NO_CONTENT)
  void remove(@PathVariable long id) {
    clients.remove(id);
  }

  record NewClient(
      @NotNull
          @Pattern(
              regexp = Client.WRITTEN,
              message =
                  "has 1 to 64 letters of ASCII, digits, dots, hyphens and underscores, and begins with a letter or digit")
          String name,
      @NotBlank @Email @Size(max = MAX_LENGTH) @PlainText String mail,
      @NotNull Tier subscriptionType) {}

  record ChangedClient(
      @NotBlank @Email @Size(max = MAX_LENGTH) @PlainText String mail,
      @NotNull Tier subscriptionType,
      @NotNull Boolean enabled) {}
}
