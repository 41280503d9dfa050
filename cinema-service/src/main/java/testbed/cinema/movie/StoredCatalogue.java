package testbed.cinema.movie;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.codecs.DocumentCodec;
import org.jspecify.annotations.Nullable;
import org.springframework.data.mongodb.core.MongoOperations;
import org.springframework.stereotype.Component;
import testbed.cinema.CinemaSettings;
import testbed.cinema.JoinedCalls;
import testbed.cinema.JoinedCalls.Call;
import testbed.cinema.Joining;
import testbed.contracts.Cinema;
import testbed.contracts.CinemaName;
import testbed.contracts.Movie;
import testbed.contracts.MovieId;
import testbed.contracts.ShowTime;
import testbed.support.deadline.Deadline;
import testbed.support.json.LastMade;

/**
 * The catalogue in the database, which is asked for each request, or once for all that wait. Its
 * answer is parsed only if its bytes differ from the last one. If the catalogue was lost, it is
 * restored and searched again.
 */
@Component
class StoredCatalogue implements Catalogue {

  private static final Document BY_ID = new Document("_id", 1);
  private static final DocumentCodec DOCUMENTS = new DocumentCodec();

  private final CinemaName cinema;
  private final MongoOperations database;
  private final CatalogueSeed seed;
  private final LastMade<CinemaName, List<RawBsonDocument>, Cinema> cinemas;
  private final LastMade<String, RawBsonDocument, Movie> movies;
  private final JoinedCalls<CinemaName, Cinema> lists;
  private final JoinedCalls<MovieId, Optional<Movie>> searches;

  StoredCatalogue(
      CinemaSettings settings, MongoOperations database, CatalogueSeed seed, Joining joining) {
    this.cinema = settings.cinemaName();
    this.database = database;
    this.seed = seed;
    this.cinemas =
        new LastMade<>(
            StoredCatalogue::areSame,
            stored -> Cinema.of(cinema, stored.stream().map(this::movie).toList()));
    this.movies = new LastMade<>(StoredCatalogue::isSame, this::movie);
    this.lists = joining.reads(this::list);
    this.searches = joining.reads(this::search);
  }

  @Override
  public Cinema all() {
    Deadline.requireTime();
    var stored = lists.call(cinema);
    return stored.movies().isEmpty() && seed.restore() ? lists.call(cinema) : stored;
  }

  @Override
  public @Nullable Movie find(MovieId id, ShowTime time) {
    Deadline.requireTime();
    var stored = searches.call(id);
    return (stored.isEmpty() && seed.restore() ? searches.call(id) : stored).orElse(null);
  }

  private void list(List<Call<CinemaName, Cinema>> calls) {
    var all = cinemas.of(cinema, read());
    calls.forEach(call -> call.answer(all));
  }

  private void search(List<Call<MovieId, Optional<Movie>>> calls) {
    var ids = calls.stream().map(Call::wanted).distinct().toList();
    var stored = new HashMap<MovieId, Movie>();
    for (var document : read(ids)) {
      var movie = movies.of(document.getString("_id").getValue(), document);
      stored.put(movie.id(), movie);
    }
    calls.forEach(call -> call.answer(Optional.ofNullable(stored.get(call.wanted()))));
  }

  private List<RawBsonDocument> read() {
    return Objects.requireNonNull(
        database.execute(
            Movies.COLLECTION,
            stored -> stored.find(RawBsonDocument.class).sort(BY_ID).into(new ArrayList<>())));
  }

  private List<RawBsonDocument> read(List<MovieId> ids) {
    var values = ids.stream().map(MovieId::value).toList();
    var wanted =
        new Document("_id", values.size() == 1 ? values.getFirst() : new Document("$in", values));
    return Objects.requireNonNull(
        database.execute(
            Movies.COLLECTION,
            stored ->
                stored
                    .find(wanted, RawBsonDocument.class)
                    // All in the first answer, and no cursor stays open.
                    .limit(-values.size())
                    .into(new ArrayList<>())));
  }

  private Movie movie(RawBsonDocument stored) {
    return database.getConverter().read(Movie.class, stored.decode(DOCUMENTS));
  }

  private static boolean areSame(List<RawBsonDocument> some, List<RawBsonDocument> others) {
    return some.size() == others.size()
        && IntStream.range(0, some.size()).allMatch(i -> isSame(some.get(i), others.get(i)));
  }

  /** By their bytes: the library's comparison would parse both. */
  private static boolean isSame(RawBsonDocument first, RawBsonDocument second) {
    return first.getByteBuffer().asNIO().equals(second.getByteBuffer().asNIO());
  }
}
