package testbed.cinema.movie;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.codecs.DocumentCodec;
import org.jspecify.annotations.Nullable;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.stereotype.Component;
import testbed.cinema.CinemaSettings;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.contracts.Movie;
import testbed.contracts.MovieId;
import testbed.contracts.ShowTime;
import testbed.support.json.LastMade;

/**
 * The catalogue in the database, which is asked each time. Its answer is parsed only if its bytes
 * differ from the last one. If the catalogue was lost, it is restored and searched again.
 */
@Component
class StoredCatalogue implements Catalogue {

  private static final Document BY_ID = new Document("_id", 1);
  private static final DocumentCodec DOCUMENTS = new DocumentCodec();

  private final CinemaName cinema;
  private final MongoOperations database;
  private final CatalogueSeed seed;
  private final LastMade<CinemaName, List<RawBsonDocument>, Cinema> cinemas;
  private final LastMade<MovieId, RawBsonDocument, Movie> movies;

  StoredCatalogue(CinemaSettings settings, MongoOperations database, CatalogueSeed seed) {
    this.cinema = settings.cinemaName();
    this.database = database;
    this.seed = seed;
    this.cinemas =
        new LastMade<>(
            StoredCatalogue::areSame,
            stored -> Cinema.of(cinema, stored.stream().map(this::movie).toList()));
    this.movies = new LastMade<>(StoredCatalogue::isSame, this::movie);
  }

  @Override
  public Cinema all() {
    var stored = read();
    return cinemas.of(cinema, stored.isEmpty() && seed.restore() ? read() : stored);
  }

  @Override
  public @Nullable Movie find(MovieId id, ShowTime time) {
    var stored = read(id);
    if (stored == null && seed.restore()) {
      stored = read(id);
    }
    return stored == null ? null : movies.of(id, stored);
  }

  private List<RawBsonDocument> read() {
    return Objects.requireNonNull(
        database.execute(
            Movies.COLLECTION,
            stored -> stored.find(RawBsonDocument.class).sort(BY_ID).into(new ArrayList<>())));
  }

  private @Nullable RawBsonDocument read(MovieId id) {
    return database.execute(
        Movies.COLLECTION,
        stored -> stored.find(new Document("_id", id.value()), RawBsonDocument.class).first());
  }

  private Movie movie(RawBsonDocument stored) {
    return database.getConverter().read(Movie.class, stored.decode(DOCUMENTS));
  }

  private static boolean areSame(List<RawBsonDocument> some, List<RawBsonDocument> others) {
    return some.size() == others.size()
        && IntStream.range(0, some.size()).allMatch(i -> isSame(some.get(i), others.get(i)));
  }

  /** By their bytes: the library's comparison would parse both. */
  private static boolean isSame(RawBsonDocument one, RawBsonDocument other) {
    return one.getByteBuffer().asNIO().equals(other.getByteBuffer().asNIO());
  }
}
