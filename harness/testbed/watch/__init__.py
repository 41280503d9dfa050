"""Live views of a running measurement: metrics, annotations, dashboards."""
