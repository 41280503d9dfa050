package testbed.market.part;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Conditional;

/** Of processes that have a part; or of those that have it not. */
@Documented
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Conditional(PartCondition.class)
public @interface PartOf {

  Part value();

  /** Whether the part is in another process. */
  boolean elsewhere() default false;
}
