package testbed.contracts;

import jakarta.validation.Constraint;
import jakarta.validation.Payload;
import jakarta.validation.ReportAsSingleViolation;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Text of which something can be seen, as the schema {@code PlainText} of the documents says. */
@Documented
@Constraint(validatedBy = {})
@ReportAsSingleViolation
@NotNull
@Pattern(regexp = Shown.WRITTEN)
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER})
@Retention(RetentionPolicy.RUNTIME)
public @interface Shown {

  /**
   * For a class of a regular expression: control characters, all kinds of space, and what Unicode
   * has as ignorable by default or draws as nothing.
   */
  String NOTHING =
      "\\x00-\\x20\\x7F-\\xA0\\xAD\\u034F\\u061C\\u115F-\\u1160\\u1680\\u17B4-\\u17B5\\u180B-\\u180F"
          + "\\u2000-\\u200F\\u2028-\\u202F\\u205F-\\u206F\\u2800\\u3000\\u3164\\uFE00-\\uFE0F\\uFEFF\\uFFA0\\uFFF0-\\uFFFB"
          + "\\x{1BCA0}-\\x{1BCA3}\\x{1D173}-\\x{1D17A}\\x{E0000}-\\x{E0FFF}";

  /** Anything with one character that shows. ASCII first, as it is quicker. */
  String WRITTEN = "(?s)(?:[!-~]|[" + NOTHING + "]*+[^" + NOTHING + "]).*+";

  /** Nothing that cannot be seen. */
  String THROUGHOUT = "[!-~]*+[^" + NOTHING + "]*+";

  String message() default "must not be blank";

  Class<?>[] groups() default {};

  Class<? extends Payload>[] payload() default {};
}
