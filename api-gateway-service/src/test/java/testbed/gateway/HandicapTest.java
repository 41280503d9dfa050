package testbed.gateway;

import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

import org.junit.jupiter.api.Test;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;
import testbed.support.handicap.Handicap;

@TestPropertySource(properties = "gateway.handicap=1us")
class HandicapTest extends RunningGateway {

  @MockitoSpyBean Handicap handicap;

  @Test
  void isOfEachRequestAndOfNoProbe() {
    service.answersAsCinema("strand");
    registerCinema("strand");

    get("/cinema/strand/movie/list").expectStatus().isOk();
    verify(handicap).burn();

    get("/nothing").expectStatus().isNotFound();
    verify(handicap, times(2)).burn();

    getManagement("/actuator/health").expectStatus().isOk();
    getManagement("/actuator/prometheus").expectStatus().isOk();
    verify(handicap, times(2)).burn();
  }
}
