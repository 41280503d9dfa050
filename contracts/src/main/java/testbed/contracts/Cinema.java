package testbed.contracts;

import java.util.List;
import java.util.UUID;

/** A cinema and its catalogue, as every list answers it (thesis, figure 7.9). */
public record Cinema(UUID id, CinemaName cinemaName, List<Movie> movies) {

  public Cinema {
    movies = List.copyOf(movies);
  }

  public static Cinema of(CinemaName name, List<Movie> movies) {
    return new Cinema(name.id(), name, movies);
  }
}
