# SPDX-License-Identifier: GPL-2.0-or-later
# nsecwatchd alone; PostgreSQL is another container: see docker-compose.yml.

FROM debian:bookworm-slim AS build
WORKDIR /src
RUN apt-get update -q && apt-get install -y -q --no-install-recommends make git ca-certificates
# the packages first: they change less often than the sources
COPY tools/deps.sh tools/deps.sh
ARG WITH_NPM=yes
RUN WITH_NPM=$WITH_NPM tools/deps.sh build
COPY . .
ARG VERSION=container
RUN make -j"$(nproc)" VERSION="$VERSION" WITH_NPM=$WITH_NPM build/nsecwatchd

FROM debian:bookworm-slim
RUN apt-get update -q && apt-get install -y -q --no-install-recommends \
		libmicrohttpd12 libgnutls30 libpq5 libjansson4 libcurl4 libnettle8 libzstd1 libxxhash0 libdeflate0 zlib1g libyaml-0-2 r-mathlib ca-certificates && \
	rm -rf /var/lib/apt/lists/* && \
	useradd --system --no-create-home --home-dir / --shell /usr/sbin/nologin nsecwatch
COPY --from=build /src/build/nsecwatchd /usr/local/bin/nsecwatchd
COPY LICENSE /usr/share/doc/nsecwatch/LICENSE
USER nsecwatch
EXPOSE 8080
ENTRYPOINT ["nsecwatchd"]
CMD ["serve"]
