"""Systems as processes of this machine."""
