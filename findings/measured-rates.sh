#!/usr/bin/env bash
# measured-core 2.0.0 (Node.js port of Dropwizard Metrics), Meter.
# Guess: at a steady 10 calls a second the 1-, 5- and 15-minute rates are 10, as Dropwizard's are, and `tickInterval`
# ("the interval in which the averages are updated") changes how soon they follow.
# What happens: the timer runs every 5 s whatever `tickInterval` is, and the sum of 5 s is divided by `tickInterval`:
# with 1 s the rates are 50, with 30 s they are 1.7, beside a mean of 10. By default they rise from 0, where Dropwizard
# starts with the first rate: after a minute they are 6.3, 1.8 and 0.6. `mark(0)` counts 1.
# Why it matters: who wants fresher rates has five times the load. After each restart the load seems to rise for an
# hour: an alert on too few calls fires, and of two instances the older one seems to have more.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

npm install --no-audit --no-fund --silent measured-core@2.0.0

cat > rates.js <<'END'
const { Meter } = require("measured-core");

// a clock that goes as fast as one likes: the meters' timers are called by it
let now = 0;
const timers = [];
global.setInterval = (tick, every) => timers.push({ tick, every }) && { unref() {} };

const meters = [undefined, 1000, 30_000].map((tickInterval) => new Meter({ getTime: () => now, tickInterval }));
console.log("timers run every %s ms", [...new Set(timers.map(({ every }) => every))].join(", "));

function callsUntil(seconds) {
  for (; now < seconds * 1000; now += 1000) {
    timers.filter(({ every }) => now && now % every === 0).forEach(({ tick }) => tick());
    meters.forEach((meter) => meter.mark(10));
  }
  return meters.map((meter) => {
    const { mean, ...rates } = meter.toJSON();
    return [mean, rates["1MinuteRate"], rates["5MinuteRate"], rates["15MinuteRate"]].map((rate) => rate.toFixed(1));
  });
}

console.log("10 calls a second: mean, 1-, 5- and 15-minute rate");
const minute = callsUntil(61)[0].join(", ");
console.log("after a minute: %s", minute);
const settled = callsUntil(24 * 3600 + 1).map((rates) => rates.join(", "));
console.log("after a day: %s", settled[0]);
console.log("with a tickInterval of 1 s: %s; of 30 s: %s", settled[1], settled[2]);

const nothing = new Meter();
nothing.mark(0);
const { count } = nothing.toJSON();
console.log("mark(0) counts %d", count);

const expected = ["10.0, 6.3, 1.8, 0.6", "10.0, 10.0, 10.0, 10.0", "10.0, 50.0, 50.0, 50.0", "10.0, 1.7, 1.7, 1.7", 1];
if (JSON.stringify([minute, ...settled, count]) !== JSON.stringify(expected)) {
  console.log("NO LONGER SO: rates rise from 0, and are wrong with another tickInterval");
  process.exit(1);
}
END
node rates.js
