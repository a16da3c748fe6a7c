# The packages and this project, for machines and clusters that run containers (docs/reproduce.md):
#   docker build --tag muver .
#   docker run --user "$(id -u):$(id -g)" --volume "$PWD:/work" muver run table1
# By itself it serves the index in /work/index (docs/serve.md):
#   docker run --volume "$PWD/index:/work/index" --publish 127.0.0.1:8017:8017 muver
# With a GPU: --build-arg GPU=1.
# Debian's image of one day, which the digest names; its packages are brought up to date.
FROM debian:12.15-slim@sha256:88200866dfff7ea7f5cbcb6ec7c8a701889efe6fe859fe64d6990e4b07ea4171
RUN apt-get update \
    && apt-get upgrade --yes \
    && apt-get install --yes --no-install-recommends ca-certificates git make python3-venv \
    && rm -rf /var/lib/apt/lists/*
COPY . /opt/muver
ARG GPU=0
# All is compiled here, as only root could keep it.
RUN UV_COMPILE_BYTECODE=1 make -C /opt/muver setup GPU=$GPU \
    && /opt/muver/.venv/bin/python -m compileall -q /opt/muver/muver \
    && rm -rf /root/.cache
# Any user may run it, this one by default.
RUN useradd --uid 1000 --create-home muver \
    && chmod 1777 /home/muver \
    && install --directory --mode 1777 /work
# Snakemake asks for the name of its user, which another one than this has not.
ENV PATH=/opt/muver/.venv/bin:$PATH HOME=/home/muver USER=muver
WORKDIR /work
USER 1000
ENTRYPOINT ["muver"]
CMD ["serve", "index", "--host", "0.0.0.0"]
