#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# docker-compose.yml and Dockerfile for real, with podman and without a registry of images: a
# bookworm from this machine's apt mirror stands in for debian:bookworm-slim, and PostgreSQL on
# it, with the official image's contract, for postgres:15. Everything is in a temporary
# folder and a network namespace of its own. Needs root; where containers can't run it
# says so and ends with 0. KEEP=1 keeps the folder with the images, REUSE=FOLDER takes them again.
set -eu
cd "$(dirname "$0")/.."
say() { echo "compose: $*"; }
skip() { say "skipped: $*"; exit 0; }

[ "$(id -u)" = 0 ] || skip "containers are tried as root"
tools/deps.sh compose || skip "podman and its parts could not be installed"
base=${REUSE:-}
[ -n "$base" ] || base=$(mktemp -d "${TMPDIR:-/tmp}/nsecwatch-compose.XXXXXX")
netns=nsecwatch-$$
export CONTAINERS_CONF=$base/containers.conf CONTAINERS_STORAGE_CONF=$base/storage.conf

# In a namespace of its own, entered so that cgroups stay visible (ip netns exec would remount /sys).
in_net() { nsenter --net="/run/netns/$netns" "$@"; }
compose() { (cd "$base/project" && in_net podman-compose -p nswtest "$@"); }
container() { in_net podman ps -aq --filter "label=com.docker.compose.service=$1" --filter label=io.podman.compose.project=nswtest | head -1; }
up() { compose up -d --no-build > "$base/up.log" 2>&1 || { cat "$base/up.log"; return 1; }; }

cleanup() {
	status=$?
	if [ $status != 0 ]; then
		for service in db migrate serve watch; do
			id=$(container $service 2>/dev/null) && [ -n "$id" ] && { say "log of $service"; in_net podman logs --tail 10 "$id" 2>&1; }
		done
	fi
	compose down -v >/dev/null 2>&1 || true
	in_net podman rm -af >/dev/null 2>&1 || true
	ip netns del "$netns" 2>/dev/null || true
	awk -v base="$base/" 'index($2, base) == 1 { print $2 }' /proc/mounts | sort -r | while read -r at; do umount -l "$at" || true; done
	[ -n "${KEEP:-}" ] && say "kept: $base" || rm -rf --one-file-system "$base"
	exit $status
}
trap cleanup EXIT
trap 'exit 1' INT TERM

configure() {
	nofile=$(ulimit -Hn)
	cat > "$CONTAINERS_CONF" <<-END
		[containers]
		default_ulimits = ["nofile=$nofile:$nofile", "nproc=32768:32768"]
		[engine]
		runtime = "runc"
		cgroup_manager = "cgroupfs"
		events_logger = "file"
	END
	cat > "$CONTAINERS_STORAGE_CONF" <<-END
		[storage]
		driver = "overlay"
		graphroot = "$base/storage"
		runroot = "$base/run"
	END
	# a folder beside it, as its head says, so that no .env of somebody is touched
	mkdir -p "$base/project"
	cp docker-compose.yml "$base/project/"
	printf 'POSTGRES_PASSWORD=%s\nNSECWATCH_WEBHOOK_URL=http://127.0.0.1:9/\nNSECWATCH_WEBHOOK_ALLOW=127.0.0.1\n' \
		"$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')" > "$base/project/.env"
	ip netns add "$netns" 2>"$base/netns.log" || skip "no network namespace: $(cat "$base/netns.log")"
	ip -n "$netns" link set lo up
}

make_base() {
	mirror=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME) $(COMPONENT)' 'Created-By: Packages' |
		awk '$2 == "bookworm" && $3 == "main" { print $1; exit }')
	[ -n "$mirror" ] || skip "apt's sources here have no bookworm main to make the base image from"
	say "base image"
	debootstrap --variant=minbase bookworm "$base/root" "$mirror" > "$base/debootstrap.log" 2>&1 ||
		{ tail -20 "$base/debootstrap.log"; exit 1; }
	rm -f "$base/root/etc/apt/sources.list"
	for f in etc/apt/sources.list etc/apt/sources.list.d etc/apt/apt.conf etc/apt/apt.conf.d etc/apt/auth.conf.d \
		etc/npmrc usr/etc/npmrc usr/local/share/ca-certificates; do
		[ -e "/$f" ] || continue
		mkdir -p "$base/root/$(dirname "$f")"
		cp -RL "/$f" "$base/root/$(dirname "$f")/"
	done
	tar -C "$base/root" -c . | podman import - docker.io/library/debian:bookworm-slim > "$base/import.log" 2>&1 ||
		{ cat "$base/import.log"; skip "podman cannot import an image here"; }
	rm -rf "$base/root"
	podman run --rm --network=none debian:bookworm-slim true > "$base/run.log" 2>&1 ||
		skip "a container does not run here: $(tail -1 "$base/run.log")"
}

# The contract of the official image that docker-compose.yml relies on.
make_postgres() {
	say "postgres image"
	mkdir "$base/postgres"
	cat > "$base/postgres/entrypoint" <<'END'
#!/bin/sh
set -eu
export PATH=/usr/lib/postgresql/15/bin:$PATH PGDATA=/var/lib/postgresql/data
if [ "$(id -u)" = 0 ]; then
	chown postgres "$PGDATA"
	exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi
if [ ! -s "$PGDATA/PG_VERSION" ]; then
	echo "$POSTGRES_PASSWORD" > /tmp/pw
	initdb -U "$POSTGRES_USER" --pwfile=/tmp/pw -A scram-sha-256 --auth-local=trust $POSTGRES_INITDB_ARGS
	rm /tmp/pw
	echo "host all all all scram-sha-256" >> "$PGDATA/pg_hba.conf"
	pg_ctl -w -o "-c listen_addresses=" start
	createdb -U "$POSTGRES_USER" "$POSTGRES_DB"
	pg_ctl -w -m fast stop
fi
exec postgres -c listen_addresses='*'
END
	chmod +x "$base/postgres/entrypoint"
	cat > "$base/postgres/Dockerfile" <<'END'
FROM debian:bookworm-slim
RUN apt-get update -q && mkdir -p /etc/postgresql-common/createcluster.d && \
	echo 'create_main_cluster = false' > /etc/postgresql-common/createcluster.d/none.conf && \
	apt-get install -y -q --no-install-recommends postgresql-15 && \
	mkdir -p /var/lib/postgresql/data /var/run/postgresql && chown postgres /var/lib/postgresql/data /var/run/postgresql
COPY entrypoint /entrypoint
ENTRYPOINT ["/entrypoint"]
STOPSIGNAL SIGINT
END
	podman build --network=host -q -t docker.io/library/postgres:15 "$base/postgres" > "$base/postgres.log" 2>&1 ||
		{ tail -30 "$base/postgres.log"; exit 1; }
}

make_ours() {
	say "our image"
	podman build --network=host -t nsecwatch . > "$base/build.log" 2>&1 || { tail -60 "$base/build.log"; exit 1; }
	[ "$(podman image inspect -f '{{.Config.User}}' nsecwatch)" = nsecwatch ] || { say "the image runs as root"; exit 1; }
}

# There is no systemd here that would run health checks; so they are asked for.
healthy() { in_net podman healthcheck run "$(container "$1")" > /dev/null 2>&1; }
wait_healthy() {
	tries=0
	until healthy "$1"; do
		tries=$((tries + 1))
		[ $tries -lt 360 ] || { say "$1 does not become healthy"; exit 1; }
		sleep 0.5
	done
	say "$1 is healthy"
}

get() { in_net curl -fsS --noproxy '*' "http://127.0.0.1:8080$1"; }

try() {
	up
	for service in db serve watch; do wait_healthy $service; done
	get / | grep -q '<title>' || { say "no page"; exit 1; }
	token=$(in_net podman exec "$(container serve)" nsecwatchd token add --name ci --scope ingest 2>/dev/null)
	answer=$(in_net curl -fsS --noproxy '*' -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \
		-d '{"machine":{"name":"m"},"kernel":"v6.16","results":[{"benchmark":"b","metric":"latency","unit":"ns/call","better":"lower","values":[1,2]}]}' \
		http://127.0.0.1:8080/api/v1/runs)
	run=$(echo "$answer" | sed 's/.*"run_id":"\([^"]*\)".*/\1/')
	case $answer in *'"stored"'*) ;; *) say "not stored: $answer"; exit 1 ;; esac
	for service in serve watch; do
		in_net podman stop -t 25 "$(container $service)" > /dev/null 2>&1
		code=$(in_net podman inspect -f '{{.State.ExitCode}}' "$(container $service)")
		[ "$code" = 0 ] || { say "$service ends with $code on SIGTERM"; exit 1; }
	done
	compose down > "$base/down.log" 2>&1 || { cat "$base/down.log"; exit 1; }
	up
	for service in db serve; do wait_healthy $service; done
	get "/api/v1/runs/$run" > /dev/null || { say "the run is gone after down and up"; exit 1; }
	say "up, a page, a run stored, stopped cleanly, and still there after down and up"
}

configure
[ -n "${REUSE:-}" ] || { make_base; make_postgres; }
make_ours
try
