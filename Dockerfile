# The packages and this project, for machines and clusters that run containers (docs/cluster.md):
#   docker build --tag muver . && docker run --volume "$PWD:/work" muver muver run table1
# With a GPU: --build-arg GPU=1.
FROM debian:12-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git make python3-venv \
    && rm -rf /var/lib/apt/lists/*
COPY . /opt/muver
ARG GPU=0
# s3.lock: pods keep what they make in a bucket.
RUN make -C /opt/muver setup .venv/.has-s3 GPU=$GPU && rm -rf /root/.cache
ENV PATH=/opt/muver/.venv/bin:$PATH
WORKDIR /work
