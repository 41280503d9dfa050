"""The Grafana dashboards.

`python -m testbed.watch.dashboards` writes them into `grafana/dashboards`. It needs the extra
``dev`` (grafana-foundation-sdk).
"""
