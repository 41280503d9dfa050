package testbed.market.beans;

import jakarta.validation.constraints.Email;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Positive;
import jakarta.validation.constraints.Size;
import org.jspecify.annotations.Nullable;
import testbed.contracts.PlainText;

/** What administrators write and clients read. */
public final class Entry {

  /** Of any name, and of other texts. */
  public static final int MAX_LENGTH = 200;

  private static final int HIGHEST = 9_000;
  private static final int FIRST_YEAR = 1_900;
  private static final int LAST_YEAR = 2_100;

  private Entry() {}

  public record NewCountry(@NotBlank @Size(max = MAX_LENGTH) @PlainText String name) {}

  public record ListedCountry(long id, String name) {}

  public record NewRegion(
      @NotBlank @Size(max = MAX_LENGTH) @PlainText String name, @Positive long countryId) {}

  public record ListedRegion(long id, String name) {}

  /**
   * A farm.
   *
   * @param altitude metres
   */
  public record NewFarm(
      @NotBlank @Size(max = MAX_LENGTH) @PlainText String name,
      @Min(0) @Max(HIGHEST) @Nullable Integer altitude,
      @Positive long regionId) {}

  public record ListedFarm(long id, String name, @Nullable Integer altitude) {}

  public record NewMill(
      @NotBlank @Size(max = MAX_LENGTH) @PlainText String name, @Positive long regionId) {}

  public record ListedMill(long id, String name) {}

  public record NewCompany(
      @NotBlank @Size(max = MAX_LENGTH) @PlainText String name,
      @Size(max = MAX_LENGTH) @PlainText @Nullable String phone,
      @Size(max = MAX_LENGTH) @PlainText @Email @Nullable String email) {}

  public record ListedCompany(
      long id, String name, @Nullable String phone, @Nullable String email) {}

  public record NewVariety(
      @NotBlank @Size(max = MAX_LENGTH) @PlainText String name, @NotNull VarietyType type) {}

  public record ListedVariety(long id, String name, VarietyType type) {}

  /** A bean. Without a farm it has no region. */
  public record NewBean(
      @Min(FIRST_YEAR) @Max(LAST_YEAR) @Nullable Integer harvestYear,
      @Size(max = MAX_LENGTH) @PlainText @Nullable String processingMethod,
      @Size(max = MAX_LENGTH) @PlainText @Nullable String color,
      @Positive @Nullable Long farmId,
      @Positive @Nullable Long millId,
      @Positive long companyId,
      @Positive long varietyId) {}
}
