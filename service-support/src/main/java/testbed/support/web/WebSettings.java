package testbed.support.web;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * Settings of every HTTP edge.
 *
 * @param maxBody the largest request body that is read
 */
@ConfigurationProperties("testbed.web")
public record WebSettings(@DefaultValue("64KB") DataSize maxBody) {}
