package testbed.broker;

import org.springframework.test.context.TestPropertySource;

@TestPropertySource(properties = "testbed.preset=thesis")
class ThesisBrokerIT extends BrokerAmqp {}
