#!/usr/bin/env bash
# mongomock 4.3.0 (Python, a MongoDB in memory for tests).
# Guess: an aggregation that mongomock does not refuse as unsupported gives what MongoDB gives: of no documents no row
# (MongoDB's $count and $group return none then); {$not: [...]}, the form of MongoDB's manual, is the opposite of
# what it holds; a field that is missing is compared, and is below every value.
# What happens: $count and a $group with _id null return a row of 0 for no documents, $group with _id 1 returns none.
# $not of an array is false, whatever it holds, as the array itself, which is true, is negated; without the array it is
# right. A comparison with a missing field is neither true nor false: the field that it computes is absent.
# Why it matters: code that takes the first row passes its tests, and fails in production on the first day without
# orders. A test of "not yet paid" counts 0 for correct code.

# shellcheck source=findings/lib/frame.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/frame.sh"

python_packages mongomock==4.3.0

cat > aggregations.py <<'END'
import sys

import mongomock

orders = mongomock.MongoClient().shop.orders
orders.insert_many([{"_id": 1, "total": 20, "paid": 20}, {"_id": 2, "total": 20, "paid": 5}, {"_id": 3, "total": 20}])
failed = False


def aggregation(stated, *stages):
    global failed
    rows = list(orders.aggregate(list(stages)))
    print(*stages, "gives", rows)
    if rows != stated:
        failed = True
        print("NO LONGER SO: it gives", stated)


none = {"$match": {"_id": 99}}
aggregation([{"orders": 0}], none, {"$count": "orders"})
aggregation([{"_id": None, "sum": 0}], none, {"$group": {"_id": None, "sum": {"$sum": "$total"}}})
aggregation([], none, {"$group": {"_id": 1, "sum": {"$sum": "$total"}}})


def computed(expression, *values):
    rows = [{"_id": number} | ({} if value is None else {"is": value}) for number, value in enumerate(values, 1)]
    aggregation(rows, {"$project": {"is": expression}})


paid = {"$gte": ["$paid", "$total"]}
computed(paid, True, False, None)
computed({"$not": [paid]}, False, False, False)
computed({"$not": paid}, False, True, True)
computed({"$lt": ["$paid", "$total"]}, False, True, None)
computed({"$not": ["$paid"]}, False, False, False)
sys.exit(failed)
END
packages/bin/python aggregations.py
