package testbed.broker;

import org.springframework.test.context.TestPropertySource;

@TestPropertySource(properties = "testbed.preset=tuned")
class TunedBrokerIT extends BrokerAmqp {}
