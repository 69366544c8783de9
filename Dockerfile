# One image for every node: the wheel is built from the tree, and installed with the pinned constraints.
FROM python:3.11-slim AS build
WORKDIR /source
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
# src/headrace holds links to these six folders
COPY schemas ./schemas
COPY tokenizers ./tokenizers
COPY stages ./stages
COPY loader ./loader
COPY pipeline ./pipeline
COPY trainer ./trainer
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.11-slim
# For GPU nodes: docker compose build --build-arg TORCH_INDEX=https://download.pytorch.org/whl/cu130
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
COPY constraints.txt /wheels/constraints.txt
COPY --from=build /wheels /wheels
# torch first and alone: its index has no other package that we need
RUN pip install --no-cache-dir --no-deps --index-url "$TORCH_INDEX" "$(grep '^torch==' /wheels/constraints.txt)" \
    && pip install --no-cache-dir --constraint /wheels/constraints.txt "$(ls /wheels/headrace-*.whl)[train,demo]"

# Ray writes its token only in token mode; compose says which mode a cluster has
ENV RAY_USAGE_STATS_ENABLED=0 \
    RAY_AUTH_MODE=disabled \
    PYTHONUNBUFFERED=1
RUN useradd --create-home headrace && install --directory --owner=headrace /data
USER headrace
WORKDIR /data
VOLUME /data
ENTRYPOINT ["headrace"]
CMD ["--help"]
