#!/usr/bin/env bash
# mongomock 4.3.0 (Python, a MongoDB in memory for tests).
# Guess: an upsert takes the equalities of its query into the new document, those within $and and of an $all with a
# single value, too, as MongoDB does; the second upsert then updates it. A TTL index with a partialFilterExpression
# removes only the documents that match it, as its unique indexes respect the expression.
# What happens: an equality within $and or $all is dropped, so that the document does not match its own query, and each
# upsert inserts another. The TTL index removes every document that is old enough.
# Why it matters: a counter or "process each message once" by an upsert makes duplicates in tests alone; the same
# query without $and works. A test that open orders are kept fails, or "old orders are gone" passes for the wrong ones.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

python_packages mongomock==4.3.0

cat > upserts.py <<'END'
import datetime
import sys

import mongomock

shop = mongomock.MongoClient().shop
failed = False


def documents(collection):
    return [{name: value for name, value in row.items() if name != "_id"} for row in collection.find()]


def upsert_twice(query, stated, matching):
    global failed
    shop.seats.delete_many({})
    for _ in range(2):
        shop.seats.update_one(query, {"$inc": {"sold": 1}}, upsert=True)
    left = documents(shop.seats)
    print(f"{query}, upserted twice: {left}, of which match the query: {shop.seats.count_documents(query)}")
    if left != stated or shop.seats.count_documents(query) != matching:
        failed = True
        print("NO LONGER SO:", stated, "of which match:", matching)


upsert_twice({"show": 7, "seat": 3}, [{"show": 7, "seat": 3, "sold": 2}], 1)
upsert_twice({"$and": [{"show": 7}, {"seat": 3}]}, [{"sold": 1}, {"sold": 1}], 0)
upsert_twice({"show": 7, "seats": {"$all": [3]}}, [{"show": 7, "sold": 1}, {"show": 7, "sold": 1}], 0)

shop.orders.create_index("at", expireAfterSeconds=60, partialFilterExpression={"done": True})
shop.orders.insert_many([{"_id": 1, "done": True}, {"_id": 2, "done": False}, {"_id": 3}])
shop.orders.update_many({}, {"$set": {"at": datetime.datetime(2025, 12, 1)}})
left = list(shop.orders.find())
print("old orders, done, open and neither, with a TTL index of those that are done:", left)
if left:
    failed = True
    print("NO LONGER SO: the open orders are gone")
sys.exit(failed)
END
packages/bin/python upserts.py
