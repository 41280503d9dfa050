"""The Grafana dashboards.

`python -m testbed.watch.dashboards` draws what YAML files declare and writes it into
`grafana/dashboards`. It needs the extra ``dev`` (grafana-foundation-sdk).
"""
