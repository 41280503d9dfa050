"""Systems, and load generators, on Kubernetes."""
