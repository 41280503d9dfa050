"""The Grafana dashboards.

`./testbed generate` draws what YAML files declare, into `grafana/dashboards`. It needs the extra
``dev`` (grafana-foundation-sdk).
"""
