"""Published claims as hypotheses, held against results and against the published data.

Every claim is data (``analysis/claims.yaml``): what it says, where, and which values it allows.
Here are the few ways in which a claim of a kind is turned into a figure with an interval. Per
sample is the thesis's count: every HTTP exchange of a whole run, failed ones included. Per
operation is what a user waits: successful operations of the steady part, and its share of failed
ones.
"""
