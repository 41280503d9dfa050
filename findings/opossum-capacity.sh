#!/usr/bin/env bash
# opossum 9.0.0 (circuit breaker for Node.js).
# Guess: `capacity` is a bulkhead beside the breaker: of 20 calls at once 5 run, 15 are refused, and the next call runs,
# as no call of the service failed. The error rate is of calls to the service: if all fail, the breaker opens.
# What happens: a refusal is a failure. The sixth opens the breaker, the others are refused as "Breaker is open", and
# so is each call of the next 30 s, to a service that answered all it was sent. Answers from opossum's cache are in the
# rate, too: of 300 calls 200 come from the cache, all 100 to the service fail, and the breaker stays closed.
# Why it matters: a burst of 20 ms takes a healthy service away for 30 s. With a cache that serves half of the calls
# the breaker never opens, however long the service is down.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

npm install --no-audit --no-fund --silent opossum@9.0.0

cat > capacity.js <<'END'
const CircuitBreaker = require("opossum");

const count = (calls, text) => calls.filter((call) => call.reason?.message === text).length;

(async () => {
  const answer = async () => new Promise((resolve) => setTimeout(resolve, 20));
  const full = new CircuitBreaker(answer, { capacity: 5 });
  const calls = await Promise.allSettled(Array.from({ length: 20 }, () => full.fire()));
  const answered = calls.filter((call) => call.status === "fulfilled").length;
  const refusals = [answered, count(calls, "Semaphore locked"), count(calls, "Breaker is open")];
  const [next] = await Promise.allSettled([full.fire()]);
  console.log("20 calls at once, capacity 5: %d answered, %d refused as full, %d as open", ...refusals);
  console.log("next call, when none runs:", next.reason?.message ?? "answered");
  full.shutdown();

  let down = false;
  let failed = 0;
  const look = async (page) => {
    if (down) {
      failed++;
      throw new Error("down");
    }
    return page;
  };
  const cached = new CircuitBreaker(look, { cache: true });
  await cached.fire("start");
  down = true;
  for (let call = 0; call < 300; call++) {
    await cached.fire(call % 3 ? "start" : `page ${call}`).catch(() => {});
  }
  const { cacheHits, failures, fires } = cached.stats;
  console.log("300 calls, service down: %d from the cache, %d to the service, all failed", cacheHits, failed);
  console.log("error rate %d / %d, breaker %s", failures, fires, cached.opened ? "open" : "closed");

  const seen = [...refusals, next.reason?.message, cacheHits, failed, cached.opened];
  cached.shutdown();
  if (JSON.stringify(seen) !== JSON.stringify([5, 6, 9, "Breaker is open", 200, 100, false])) {
    console.log("NO LONGER SO: refusals open the breaker, and answers from the cache keep it closed");
    process.exit(1);
  }
})();
END
node capacity.js
