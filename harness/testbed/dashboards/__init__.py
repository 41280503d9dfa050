"""The Grafana dashboards, generated into `grafana/dashboards` by `python -m testbed.dashboards`.

Needs the extra ``dev`` (grafana-foundation-sdk).
"""
