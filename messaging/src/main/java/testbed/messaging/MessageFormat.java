package testbed.messaging;

import com.fasterxml.jackson.annotation.JsonTypeName;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.support.converter.DefaultJacksonJavaTypeMapper;
import org.springframework.amqp.support.converter.JacksonJavaTypeMapper.TypePrecedence;
import org.springframework.amqp.support.converter.JacksonJsonMessageConverter;
import org.springframework.amqp.support.converter.MessageConversionException;
import org.springframework.amqp.support.converter.MessageConverter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import testbed.contracts.message.CinemaMessage;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON bodies with the message's declared id in the type header. Class names would tie services to
 * package names and let a sender choose the class that is instantiated.
 */
@AutoConfiguration(
    beforeName = "org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration",
    afterName = "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration")
public class MessageFormat {

  @Bean
  MessageConverter messageConverter(JsonMapper json) {
    var types = new DeclaredTypes();
    types.setIdClassMapping(
        messages(CinemaMessage.class)
            .collect(Collectors.toMap(MessageFormat::id, Function.identity())));
    types.setTypePrecedence(TypePrecedence.TYPE_ID);
    var converter = new JacksonJsonMessageConverter(json);
    converter.setJavaTypeMapper(types);
    return converter;
  }

  private static Stream<Class<?>> messages(Class<?> type) {
    var kinds = type.getPermittedSubclasses();
    return kinds == null ? Stream.of(type) : Stream.of(kinds).flatMap(MessageFormat::messages);
  }

  private static String id(Class<?> message) {
    return Objects.requireNonNull(message.getAnnotation(JsonTypeName.class)).value();
  }

  /**
   * Instantiates declared messages only. The library's mapper also accepts all of {@code java.util}
   * and {@code java.lang}; packages can be added to its list but not removed.
   */
  private static final class DeclaredTypes extends DefaultJacksonJavaTypeMapper {

    @Override
    public JavaType toJavaType(MessageProperties properties) {
      var id = retrieveHeaderAsString(properties, getClassIdFieldName());
      if (id == null || !getIdClassMapping().containsKey(id)) {
        throw new MessageConversionException("no message has this type id");
      }
      return super.toJavaType(properties);
    }
  }
}
