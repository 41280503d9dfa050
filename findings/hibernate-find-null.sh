#!/usr/bin/env bash
# Hibernate ORM 7.4.1, on H2 2.4.240.
# Guess: where the connection is lost, EntityManager.find throws, as every other read does.
# What happens: in a transaction that is marked to be taken back find answers null, which is its answer for "there is
# no such row"; the failure is a line in the log. A query for the same row throws, and so does find before the mark.
# A statement that is wrong (a missing table) throws in either.
# Why it matters: an operation that reads on after a first failure, or that takes everything back on purpose, tells
# its client that a row is not there (404) while the database is away (503).

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

libraries org.hibernate.orm:hibernate-core:7.4.1.Final com.h2database:h2:2.4.240

cat > FindNull.java <<'END'
import jakarta.persistence.*;
import java.sql.Connection;
import org.hibernate.*;
import org.hibernate.cfg.Configuration;

public class FindNull extends Finding {

  @Entity(name = "Bean")
  public static class Bean {
    @Id long id;
  }

  interface Read {
    Object from(EntityManager entities);
  }

  /** What a read answers whose connection is gone. */
  static String read(SessionFactory factory, boolean rollbackOnly, Read read) {
    try (var entities = factory.createEntityManager()) {
      entities.getTransaction().begin();
      if (rollbackOnly) {
        entities.getTransaction().setRollbackOnly();
      }
      entities.unwrap(Session.class).doWork(Connection::close);
      try {
        return String.valueOf(read.from(entities));
      } catch (PersistenceException failed) {
        return "an exception";
      }
    } catch (PersistenceException atTheEnd) {
      return "an exception at the end only";
    }
  }

  public static void main(String[] arguments) {
    var factory =
        new Configuration()
            .addAnnotatedClass(Bean.class)
            .setProperty("hibernate.connection.url", "jdbc:h2:mem:finding")
            .buildSessionFactory();
    Read find = entities -> entities.find(Bean.class, 1L);
    Read query = entities -> entities.createQuery("from Bean where id = 1", Bean.class).getResultList();
    var before = read(factory, false, find);
    var queried = read(factory, true, query);
    var found = read(factory, true, find);
    System.out.printf(
        "connection lost: find %s; to be taken back: query %s, find %s%n", before, queried, found);
    expect(before.equals("an exception"), "find throws in an ordinary transaction");
    expect(queried.equals("an exception"), "a query throws in a transaction to be taken back");
    expect(found.equals("null"), "find answers null in a transaction to be taken back");
  }
}
END
run_java FindNull
