"""Published claims as hypotheses, tested against results and against the published data.

``analysis/claims.yaml`` holds each claim: what it says, its source, and the accepted values. This
package computes a figure with an interval for each kind of claim. "Per sample" is the thesis's
count: every HTTP exchange of a whole run, failures included. "Per operation" is the user's view:
response times of successful operations of the steady part, and its share of failures.
"""
