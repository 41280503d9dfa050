"""What people watch while something runs: live metrics, annotations, dashboards."""
