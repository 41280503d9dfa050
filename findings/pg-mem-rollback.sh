#!/usr/bin/env bash
# pg-mem 3.0.14 (npm, a PostgreSQL in memory for tests), by its adapter for the client pg.
# Guess: BEGIN, INSERT and ROLLBACK leave no row, and another connection does not see it in between. INSERT ... ON
# CONFLICT (id) DO NOTHING inserts no row if it was there: rowCount 0, and nothing for RETURNING.
# What happens: each query commits on its own: after the ROLLBACK the row is there, and other connections have seen it
# from the start. Only in one string, "BEGIN; INSERT ...; ROLLBACK", it is taken back. With ON CONFLICT (id) rowCount
# is 1 and RETURNING returns the row that was there; with ON CONFLICT alone they are right.
# Why it matters: a test of what a failed transaction leaves is a test of something else. "Was a row inserted?" is how
# a consumer sees that a message is new: here each one is, so that it is processed twice.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

npm install --no-audit --no-fund --silent pg-mem@3.0.14

cat > rollback.js <<'END'
const { newDb } = require("pg-mem");

(async () => {
  const { Client } = newDb().adapters.createPg();
  const [client, other] = [new Client(), new Client()];
  await client.connect();
  await other.connect();
  const ids = async (connection) => (await connection.query("SELECT id FROM messages")).rows.map((row) => row.id);

  await client.query("CREATE TABLE messages (id INT PRIMARY KEY)");
  await client.query("BEGIN; INSERT INTO messages VALUES (1); ROLLBACK");
  const afterOneString = await ids(client);
  await client.query("BEGIN");
  await client.query("INSERT INTO messages VALUES (2)");
  const uncommitted = await ids(other);
  await client.query("ROLLBACK");
  const afterRollback = await ids(client);
  console.log("rows after BEGIN, INSERT 1 and ROLLBACK in one string:", afterOneString);
  console.log("rows after BEGIN and INSERT 2, to another connection:", uncommitted);
  console.log("rows after ROLLBACK:", afterRollback);

  const again = async (target) => {
    const query = `INSERT INTO messages VALUES (2) ON CONFLICT${target} DO NOTHING RETURNING id`;
    const { rowCount, rows } = await client.query(query);
    console.log(`${query}: rowCount ${rowCount}, rows`, rows);
    return [rowCount, rows];
  };
  const seen = [afterOneString, uncommitted, afterRollback, await again(" (id)"), await again("")];
  const stated = [[], [2], [2], [1, [{ id: 2 }]], [0, []]];
  if (JSON.stringify(seen) !== JSON.stringify(stated)) {
    console.log("NO LONGER SO: the row stays, and a row that was there counts as inserted");
    process.exit(1);
  }
})();
END
node rollback.js
