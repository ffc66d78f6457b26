# Atoll in a container:
#
#   docker build -t atoll .
#   docker run -d --name atoll -p 8080:8080 -v atoll:/data atoll
#   docker exec atoll /atoll/atoll keys create project
#
# It runs the platform and the webhook gateway; `docker run … atoll up --with cluster` runs more. The container engine
# belongs on the machine itself.

# Any Linux with glibc, libstdc++, and a Node and npm to install with. What runs afterwards is Atoll's own Node.
ARG BASE=node:24-bookworm-slim

# What has the packages in /atoll: they are installed below, unless another image is named that has them already.
ARG PACKAGES=installed

# What the packages depend on, and nothing else: a change of the code does not install them anew.
FROM ${BASE} AS manifests
WORKDIR /source
COPY atoll package.json package-lock.json .npmrc ./
COPY bin bin
COPY bench bench
COPY cli cli
COPY console console
COPY packages packages
COPY services services
RUN mkdir -p /manifests \
  && for path in $(find packages services cli console bench -name package.json) package.json package-lock.json .npmrc atoll bin; do \
    mkdir -p "/manifests/$(dirname "$path")" && cp -r "$path" "/manifests/$path"; \
  done

FROM ${BASE} AS installed
WORKDIR /atoll
COPY --from=manifests /manifests ./
RUN --mount=type=cache,target=/root/.npm node bin/launcher.js up > /dev/null \
  && rm -rf node_modules/node-linux-*/include

FROM ${PACKAGES} AS packages

# Models that come with Atoll.
FROM scratch AS weights
COPY weights /

FROM ${BASE}
WORKDIR /atoll
COPY --from=packages /atoll ./
COPY --from=weights / weights/
COPY atoll package.json package-lock.json LICENSE ./
COPY bin bin
COPY cli cli
COPY console console
COPY docs docs
COPY packages packages
COPY services services
RUN mkdir -p /data && chown 10001:10001 /data
USER 10001:10001
ENV HOME=/data ATOLL_DATA=/data/atoll ATOLL_HOST=0.0.0.0
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --start-interval=2s \
  CMD ["node_modules/.bin/node", "-e", "fetch('http://127.0.0.1:' + (process.env.ATOLL_PORT || 8080) + '/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["./atoll"]
CMD ["up"]
