package testbed.market.part;

import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Binds the setting as the settings record does, so that both read the same value. */
class PartCondition implements Condition {

  @Override
  public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
    var parts =
        Binder.get(context.getEnvironment())
            .bind("market.parts", Bindable.setOf(Part.class))
            .orElse(Set.of());
    Map<String, ?> wanted =
        Objects.requireNonNull(metadata.getAnnotationAttributes(PartOf.class.getName()));
    return parts.contains((Part) Objects.requireNonNull(wanted.get("value")))
        != Boolean.TRUE.equals(wanted.get("elsewhere"));
  }
}
