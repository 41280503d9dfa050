package testbed.market.database;

/**
 * A file that changes how a part's entities are mapped.
 *
 * @param resource on the class path
 */
public record Mapping(String resource) {}
