"""The Grafana dashboards.

`python -m testbed.watch.dashboards` writes them into `grafana/dashboards`. Needs the
extra ``dev`` (grafana-foundation-sdk).
"""
