import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceDefinitions } from '@mailproof/installation';
import { provideBaseImage } from '../smoke/base-image.ts';
import { buildImages, nodeImage } from '../smoke/build-images.ts';
import { run, succeeds } from '../smoke/shell.ts';
import { cacheFolder, type Programs } from './programs.ts';

/** An OCI archive of all images of the last run that built them. */
export const imageArchive = join(cacheFolder, 'images.tar');

const imageNames = [...serviceDefinitions.map(({ name }) => name), 'migrate'];

/**
 * Builds the images of this checkout, the cluster's own, and substitutes for those of Postgres and Redis, which
 * cannot be pulled everywhere; then writes all into one archive.
 *
 * @param version the tag of the images
 * @param stores the references of the chart's Postgres and Redis
 */
export function makeImages(
  programs: Programs,
  version: string,
  stores: { readonly postgres: string; readonly redis: string },
): void {
  const base = provideBaseImage(nodeImage());
  buildImages(base, imageNames);
  provideProgramImage('localhost/pause:1', programs.pause);
  provideProgramImage('localhost/coredns:1', programs.dns);
  provideStores(stores);
  const named = [
    ...imageNames.map(name => [
      `localhost/mailproof/${name}:${version}`,
      `docker.io/mailproof/${name}:${version}`,
    ]),
    ...[stores.postgres, stores.redis, 'localhost/pause:1', 'localhost/coredns:1'].map(name => [name, name]),
  ] as const;
  writeArchive(named);
}

/** Writes images into one archive, in which equal layers exist once. */
function writeArchive(named: readonly (readonly string[])[]): void {
  const layout = join(cacheFolder, 'images');
  rmSync(layout, { recursive: true, force: true });
  mkdirSync(layout, { recursive: true });
  for (const [image = '', name] of named)
    run('buildah', 'push', '--quiet', '--disable-compression', image, `oci:${layout}:${name}`);
  const index = join(layout, 'index.json');
  const { manifests, ...rest } = JSON.parse(readFileSync(index, 'utf8')) as {
    manifests: { annotations: Record<string, string> }[];
  };
  for (const { annotations } of manifests)
    annotations['io.containerd.image.name'] = annotations['org.opencontainers.image.ref.name'] ?? '';
  writeFileSync(index, JSON.stringify({ manifests, ...rest }));
  // A run that is killed leaves no part of an archive.
  run('tar', '--create', '--file', `${imageArchive}.unfinished`, '--directory', layout, '.');
  renameSync(`${imageArchive}.unfinished`, imageArchive);
  rmSync(layout, { recursive: true, force: true });
}

/** Makes an image of one static program. */
function provideProgramImage(name: string, program: string): void {
  const container = run('buildah', 'from', 'scratch');
  run('buildah', 'copy', '--quiet', container, program, '/program');
  run('buildah', 'config', '--entrypoint', '["/program"]', '--user', '65534:65534', container);
  run('buildah', 'commit', '--quiet', '--rm', container, name);
}

/** As much of the official image's entry point as the chart uses. */
const postgresEntryPoint = `#!/bin/bash
set -eu
case "\${1-}" in -* | '') set -- postgres "$@" ;; esac
[ "$1" = postgres ] || exec "$@"
mkdir -p "$PGDATA"
chmod 700 "$PGDATA"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb -D "$PGDATA" -U postgres --auth-host=scram-sha-256 --pwfile=<(echo "$POSTGRES_PASSWORD") >&2
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  echo "create database \\"$POSTGRES_DB\\"" | postgres --single -D "$PGDATA" postgres >&2
fi
exec "$@" -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql
`;

/** Makes the substitutes for Postgres and Redis from Debian's packages. */
function provideStores({ postgres, redis }: { readonly postgres: string; readonly redis: string }): void {
  const packages = 'localhost/stores:1';
  if (!succeeds('buildah', 'inspect', '--type', 'image', packages)) {
    inFolder(folder => {
      console.log('Making images of Postgres and Redis with debootstrap, once.');
      const include = '--include=postgresql,redis-server';
      execFileSync('debootstrap', ['--variant=minbase', include, 'bookworm', folder], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      writeFileSync(join(folder, 'usr/local/bin/docker-entrypoint.sh'), postgresEntryPoint, { mode: 0o755 });
      // `initdb` needs a name for the user that it runs as.
      appendFileSync(join(folder, 'etc/passwd'), 'store:x:999:999::/tmp:/bin/sh\n');
      const container = run('buildah', 'from', 'scratch');
      run('buildah', 'copy', '--quiet', container, folder, '/');
      const path = '/usr/lib/postgresql/15/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
      run('buildah', 'config', '--env', `PATH=${path}`, '--user', '999:999', container);
      run('buildah', 'commit', '--quiet', '--rm', container, packages);
    });
  }
  for (const [name, ...settings] of [
    [postgres, '--entrypoint', '["docker-entrypoint.sh"]', '--cmd', 'postgres'],
    [redis, '--cmd', 'redis-server'],
  ] as const) {
    const container = run('buildah', 'from', '--pull-never', packages);
    run('buildah', 'config', ...settings, container);
    run('buildah', 'commit', '--quiet', '--rm', container, name);
  }
}

function inFolder(work: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-cluster-image-'));
  try {
    work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
