package testbed.contracts;

import jakarta.validation.Constraint;
import jakarta.validation.Payload;
import jakarta.validation.ReportAsSingleViolation;
import jakarta.validation.constraints.Pattern;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Text without control characters, which no form can have in a field, and without halves of
 * characters, which cannot be stored.
 */
@Documented
@Constraint(validatedBy = {})
@ReportAsSingleViolation
@Pattern(regexp = PlainText.WRITTEN)
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER})
@Retention(RetentionPolicy.RUNTIME)
public @interface PlainText {

  /** Neither control characters (Cc) nor lone surrogates (Cs). ASCII first, as it is quicker. */
  String WRITTEN = "[ -~]*+[^\\p{Cc}\\p{Cs}]*+";

  String message() default "must not contain control characters";

  Class<?>[] groups() default {};

  Class<? extends Payload>[] payload() default {};
}
