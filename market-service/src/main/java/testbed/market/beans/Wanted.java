package testbed.market.beans;

import org.jspecify.annotations.Nullable;

/**
 * Which beans are wanted: those that meet all conditions that are given.
 *
 * @param countryName of the farm
 * @param regionName of the farm
 */
public record Wanted(
    @Nullable String countryName,
    @Nullable String regionName,
    @Nullable String varietyName,
    @Nullable VarietyType varietyType,
    @Nullable String companyName) {}
