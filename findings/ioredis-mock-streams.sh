#!/usr/bin/env bash
# ioredis-mock 8.13.1 (npm), beside Redis 7.0 (Debian's) with ioredis 5.11.1.
# Guess: XREAD gives each reader all entries after the id that it names, as often as it asks.
# What happens: an entry is given once in all: the first XREAD that returns it marks it as polled, and no other reader,
# id or repetition gets it again. XREAD with COUNT and BLOCK, in this order, takes the time-out and the word STREAMS for
# the names of streams, and returns at once, with nothing; if there is nothing new it returns empty streams, Redis null.
# Why it matters: a test of two services that both follow a stream, or of a consumer that starts again from its last id,
# loses entries with correct code; and a stream that is a queue by mistake of the mock hides that in production each
# reader gets each entry.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

debian redis-server Redis 7.0 redis-server --version
npm install --no-audit --no-fund --silent ioredis-mock@8.13.1 ioredis@5.11.1
redis-server --unixsocket "$folder/socket" --port 0 --save '' > redis.log &
started+=("$!")
await 100 test -S socket

cat > streams.mjs <<'END'
import Redis from "ioredis";
import RedisMock from "ioredis-mock";

const stated = {
  "ioredis and Redis": [[1, 2, 3], [1, 2, 3], [2, 3], [1, 2], null],
  "ioredis-mock": [[1, 2, 3], [], [], [], []],
};
let asStated = true;
for (const [name, redis] of [
  ["ioredis and Redis", new Redis({ path: "socket" })],
  ["ioredis-mock", new RedisMock()],
]) {
  const ids = [];
  for (const order of [1, 2, 3]) ids.push(await redis.xadd("orders", "*", "order", order));
  const read = async (...request) => {
    const streams = await redis.xread(...request);
    return streams && streams.flatMap(([, entries]) => entries.map(([, [, order]]) => Number(order)));
  };
  const answers = [
    await read("STREAMS", "orders", "0"),
    await read("STREAMS", "orders", "0"),
    await read("STREAMS", "orders", ids[0]),
    await read("COUNT", 2, "BLOCK", 300, "STREAMS", "orders", "0"),
    await read("STREAMS", "orders", ids[2]),
  ];
  console.log(
    `${name}: the first reader of all gets %j, the second %j; after order 1 %j; COUNT 2 BLOCK 300 %j; after order 3 %j`,
    ...answers,
  );
  asStated &&= JSON.stringify(answers) === JSON.stringify(stated[name]);
}
if (!asStated) console.log("NO LONGER SO:", JSON.stringify(stated));
process.exit(asStated ? 0 : 1);
END
node streams.mjs
