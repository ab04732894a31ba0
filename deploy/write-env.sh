#!/bin/sh
# Writes the settings of a new installation for docker compose. See --help.
set -eu

usage() {
  cat <<'TEXT'
Usage: sh deploy/write-env.sh [options]

Writes .env next to docker-compose.yml, readable by you alone: freshly made keys and passwords, and whether Mailproof
asks the real world or the mail lab. What is there already is never overwritten: with other secrets the data could not
be read any more.

  --lab                 the mail lab in place of the internet
  --search              people are searched in a search engine, which runs too
  --program <command>   what makes the secrets: docker run --rm --pull=never mailproof/migrate:0.1.0 (build it
                        with sh deploy/build-images.sh migrate), or node packages/installation/src/main.ts in a checkout
  --output <file>       another file than .env
  --help                print this
TEXT
}

root=$(cd "$(dirname "$0")/.." && pwd)
version=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$root/package.json")
program="docker run --rm --pull=never mailproof/migrate:$version"
output=$root/.env
lab=''
search=''
while [ $# -gt 0 ]; do
  case "$1" in
    --help) usage; exit 0 ;;
    --lab) lab=yes ;;
    --search) search=yes ;;
    --program) program=${2:?}; shift ;;
    --output) output=${2:?}; shift ;;
    *) echo "Unknown option $1." >&2; usage >&2; exit 2 ;;
  esac
  shift
done

if [ -e "$output" ]; then
  echo "$output is there already, and holds the secrets of an installation: move it away first." >&2
  exit 1
fi
umask 077
unfinished=$output.unfinished
trap 'rm -f "$unfinished"' EXIT
cd "$root"
# Words of $program are a command and its arguments.
# shellcheck disable=SC2086
$program secrets --format env > "$unfinished"
{
  echo "GRAFANA_PASSWORD='$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')'"
  if [ -n "$lab$search" ]; then
    echo "COMPOSE_PROFILES='${lab:+lab}${lab:+${search:+,}}${search:+search}'"
  fi
  if [ -n "$search" ]; then
    echo "SEARCH_ENGINE_URL='http://search-engine:9200'"
  fi
  if [ -n "$lab" ]; then
    cat <<'TEXT'
VALIDATION_DNS_SERVERS='127.20.0.1:5353'
VALIDATION_ALLOWED_PRIVATE_RANGES='127.20.0.0/16'
VALIDATION_SMTP_PORT='2525'
TEXT
  fi
} >> "$unfinished"
mv "$unfinished" "$output"
echo "Wrote $output."
