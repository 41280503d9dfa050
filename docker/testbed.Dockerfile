# The testbed command with its Python, Java and JMeter, to compare services that run already where there is only
# Docker: docs/your-own-system.md. Its context is dist/, after ./testbed build --wheel.
ARG RUNTIME_IMAGE
FROM ${RUNTIME_IMAGE}
RUN apt-get update && apt-get install --yes --no-install-recommends python3-venv && rm -rf /var/lib/apt/lists/*
COPY testbed-*.whl /opt/testbed/
ENV PATH=/opt/testbed/bin:$PATH XDG_CACHE_HOME=/opt/testbed/cache MPLCONFIGDIR=/tmp/matplotlib
RUN python3 -m venv /opt/testbed \
  && pip install --no-cache-dir /opt/testbed/testbed-*.whl \
  && rm /opt/testbed/testbed-*.whl \
  && python -c 'from testbed.deploy.building import jmeter_parts; from testbed.model.project import Project; jmeter_parts.fetch(Project.find().jmeter_home, print)'
WORKDIR /work
ENTRYPOINT ["testbed"]
