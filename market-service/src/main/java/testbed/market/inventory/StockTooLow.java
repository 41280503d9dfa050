package testbed.market.inventory;

import java.util.List;
import java.util.stream.Collectors;
import testbed.contracts.ProblemType;
import testbed.support.problem.ProblemException;

/** Less is there of a bean than is ordered: nothing was taken. */
public class StockTooLow extends ProblemException {

  StockTooLow(List<StoredStock> low) {
    super(
        ProblemType.STOCK_TOO_LOW,
        low.stream()
            .map(stock -> "There are %d kg of bean %d.".formatted(stock.quantity(), stock.beanId()))
            .collect(Collectors.joining(" ")));
  }
}
