package testbed.market.inventory.web;

import jakarta.validation.Valid;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.Digits;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.PositiveOrZero;
import java.math.BigDecimal;
import java.math.RoundingMode;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import testbed.market.between.Stock;
import testbed.market.inventory.Stocks;
import testbed.market.part.Part;
import testbed.market.part.PartOf;

/** What administrators say about stock and prices. */
@RestController
@PartOf(Part.INVENTORY)
@RequestMapping("/api/inventory/stocks/{beanId:[1-9]\\d{0,17}}")
class StocksController {

  private static final int CENTS = 2;
  private static final long MOST_KILOGRAMS = 1_000_000_000;
  private static final String HIGHEST_PRICE = "100000";

  private final Stocks stocks;

  StocksController(Stocks stocks) {
    this.stocks = stocks;
  }

  @GetMapping
  Stock get(@PathVariable long beanId) {
    return stocks.get(beanId);
  }

  @PutMapping
  Stock set(@PathVariable long beanId, @Valid @RequestBody NewStock wanted) {
    return stocks.set(
        new Stock(
            beanId, wanted.quantity(), wanted.price().setScale(CENTS, RoundingMode.UNNECESSARY)));
  }

  @DeleteMapping
  @ResponseStatus(HttpStatus.NO_CONTENT)
  void remove(@PathVariable long beanId) {
    stocks.get(beanId);
    stocks.remove(beanId);
  }

  record NewStock(
      @NotNull @PositiveOrZero @Max(MOST_KILOGRAMS) Long quantity,
      @NotNull @PositiveOrZero @DecimalMax(HIGHEST_PRICE) @Digits(integer = 6, fraction = CENTS)
          BigDecimal price) {}
}
