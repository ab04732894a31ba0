#!/bin/sh
# Builds all images of Mailproof with docker, podman or buildah. See --help.
set -eu

usage() {
  cat <<'TEXT'
Usage: sh deploy/build-images.sh [options] [name …]

Builds mailproof/<name> for each service, for migrate and for mail-lab, or for the names given.

  --engine <program>   docker, podman or buildah; the first of them that works otherwise
  --tag <tag>          0.1.0, the version of this checkout
  --prefix <prefix>    before each name: mailproof/, or registry.example/mailproof/
  --node-image <name>  the base; by its digest for a build that can be repeated
  --with <option>      one more option for each build, as often as needed: --with=--network=host
  --help               print this
TEXT
}

names='gateway credit-ledger validation-engine mcp-server enrichment webhook-dispatcher migrate mail-lab'
root=$(cd "$(dirname "$0")/.." && pwd)
tag=$(sed -n 's/^  "version": "\(.*\)",$/\1/p' "$root/package.json")
engine='' prefix='mailproof/' node_image='' wanted='' extra=''
while [ $# -gt 0 ]; do
  case "$1" in
    --help) usage; exit 0 ;;
    --engine) engine=${2:?}; shift ;;
    --tag) tag=${2:?}; shift ;;
    --prefix) prefix=${2:?}; shift ;;
    --node-image) node_image=${2:?}; shift ;;
    --with) extra="$extra ${2:?}"; shift ;;
    --with=*) extra="$extra ${1#--with=}" ;;
    -*) echo "Unknown option $1." >&2; usage >&2; exit 2 ;;
    *) case " $names " in *" $1 "*) wanted="$wanted $1" ;; *) echo "There is no image $1; there are: $names." >&2; exit 2 ;; esac ;;
  esac
  shift
done

if [ -z "$engine" ]; then
  if docker info >/dev/null 2>&1; then engine=docker
  elif podman info >/dev/null 2>&1; then engine=podman
  elif buildah info >/dev/null 2>&1; then engine=buildah
  else echo 'No docker, podman or buildah works here: start one of them, or install it.' >&2; exit 1
  fi
fi
case "$engine" in
  # Health checks are no part of the OCI format.
  */buildah | buildah | */podman | podman) build="$engine build --format docker --layers" ;;
  *) build="$engine build" ;;
esac
revision=$(git -C "$root" rev-parse HEAD 2>/dev/null || echo unknown)

for name in ${wanted:-$names}; do
  target=service
  part=services/$name
  case "$name" in
    migrate) target=program part=packages/installation ;;
    mail-lab) target=program part=packages/mail-lab ;;
  esac
  echo "Building $prefix$name:$tag"
  # $build and $extra are split into words: each word is an option.
  # shellcheck disable=SC2086
  $build $extra --file "$root/deploy/Dockerfile" --target "$target" --build-arg "PART=$part" \
    ${node_image:+--build-arg "NODE_IMAGE=$node_image"} \
    --build-arg "VERSION=$tag" --build-arg "REVISION=$revision" --tag "$prefix$name:$tag" "$root"
done
