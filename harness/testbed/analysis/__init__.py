"""From JMeter's result files to operations, tables, figures and the report."""
