#!/usr/bin/env bash
# mollitia 0.1.1 (circuit breaker for Node.js), SlidingCountBreaker.
# Guess: when the breaker is half-open, `permittedNumberOfCallsInHalfOpenState` calls decide: if all are answered, it
# closes. With a failure rate threshold of 100 it opens when all calls fail.
# What happens: calls from before it opened, which end while it is half-open, are put into the same list, and the
# decision is made if the list has exactly the permitted length. Two late answers, and two answered trials: the list is
# past it, nobody decides, and as the permitted calls are used up all others are refused for ever. A threshold of 100
# is none (`checkResult` asks for less than 100), as 100 switches slow calls off.
# Why it matters: in an outage slow calls are what is in flight. If they outlast the open state, the service is back and
# its clients do without it until they are started anew; `halfOpenStateMaxDelay`, off by default, is the way out.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

npm install --no-audit --no-fund --silent mollitia@0.1.1

cat > late.js <<'END'
const { BreakerState, Circuit, SlidingCountBreaker } = require("mollitia");

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const answer = async () => "answered";
const late = async () => sleep(2000).then(answer);
const fail = async () => Promise.reject(new Error("down"));

function guarded(settings) {
  const breaker = new SlidingCountBreaker({
    minimumNumberOfCalls: 4,
    openStateDelay: 1000,
    permittedNumberOfCallsInHalfOpenState: 2,
    ...settings,
  });
  const circuit = new Circuit({ options: { modules: [breaker] } });
  const call = (what) => circuit.fn(what).execute().catch((error) => error.message || error.constructor.name);
  return { breaker, call };
}

/** The states of a breaker that opens while `pending` slow calls run, and how two trials and five more calls end. */
async function outage(pending) {
  const { breaker, call } = guarded();
  const slow = Array.from({ length: pending }, () => call(late));
  await Promise.all(Array.from({ length: 4 }, () => call(fail)));
  const states = [breaker.state];
  await Promise.all([...slow, sleep(2000)]);
  states.push(breaker.state);
  const ends = [await call(answer), await call(answer)];
  await sleep(3000);
  states.push(breaker.state);
  for (let other = 0; other < 5; other++) {
    ends.push(await call(answer));
  }
  breaker.dispose();
  console.log("%d slow calls end after the outage: %s", pending, states.join(", "));
  console.log("  two trials, and 3 s later five calls: %s", ends.join(", "));
  return `${states.at(-1)}, ${ends.filter((end) => end === "answered").length}`;
}

(async () => {
  const seen = [await outage(0), await outage(2)];

  for (const failureRateThreshold of [99, 100]) {
    const { breaker, call } = guarded({ failureRateThreshold });
    for (let calls = 0; calls < 100; calls++) {
      await call(fail);
    }
    console.log("threshold %d, 100 of 100 calls fail: %s", failureRateThreshold, breaker.state);
    seen.push(breaker.state);
    breaker.dispose();
  }

  const { CLOSED, HALF_OPENED, OPENED } = BreakerState;
  if (JSON.stringify(seen) !== JSON.stringify([`${CLOSED}, 7`, `${HALF_OPENED}, 2`, OPENED, CLOSED])) {
    console.log("NO LONGER SO: late answers keep it half-open for ever, and a threshold of 100 never opens it");
    process.exit(1);
  }
})();
END
node late.js
