#!/usr/bin/env bash
# @electric-sql/pglite 0.5.17 (npm, PostgreSQL 18 in WebAssembly).
# Guess: statement_timeout, which it takes and shows, cancels a statement, as in the PostgreSQL that it is.
# What happens: nothing is cancelled: the timer of PostgreSQL is a signal, and WebAssembly has none. pg_sleep(0.5)
# returns after its half second, with a statement_timeout or a transaction_timeout of 50 ms, and no warning comes.
# Why it matters: a test that a slow query is given up (57014), tried again or counted as a failure cannot pass, and a
# test that the service works with a time-out of 50 ms passes for queries of seconds.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

npm install --no-audit --no-fund --silent @electric-sql/pglite@0.5.17

cat > timeouts.mjs <<'END'
import { PGlite } from "@electric-sql/pglite";

const db = await PGlite.create();
console.log((await db.query("select version()")).rows[0].version.split(" on ")[0]);
let asStated = true;
for (const setting of ["statement_timeout", "transaction_timeout"]) {
  await db.exec(`set ${setting} = '50ms'`);
  const shown = (await db.query(`show ${setting}`)).rows[0][setting];
  const start = performance.now();
  const ended = await db.query("select pg_sleep(0.5)").then(
    () => "returned",
    (error) => `failed (${error.code})`,
  );
  const milliseconds = performance.now() - start;
  console.log(`${setting} is ${shown}; pg_sleep(0.5) ${ended} after ${milliseconds.toFixed()} ms`);
  asStated &&= shown === "50ms" && ended === "returned" && milliseconds >= 450;
  await db.exec(`reset ${setting}`);
}
if (!asStated) console.log("NO LONGER SO: no time-out cancels a statement");
process.exit(asStated ? 0 : 1);
END
node timeouts.mjs
