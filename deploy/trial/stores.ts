import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, succeeds } from '../smoke/shell.ts';

/** A substitute for an image that cannot be pulled everywhere. */
export interface Substitute {
  /** The reference that it replaces. */
  readonly name: string;
  /** Its configuration, as options of `buildah config`. */
  readonly settings: readonly string[];
}

/** The user and group of the stores in the official images of Postgres and Redis on Debian. */
const storesUser = '999:999';

/** As much of the official image's entry point as the chart and Compose use. */
const postgresEntryPoint = `#!/bin/bash
set -eu
case "\${1-}" in -* | '') set -- postgres "$@" ;; esac
[ "$1" = postgres ] || exec "$@"
mkdir -p "$PGDATA"
chmod 700 "$PGDATA"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb -D "$PGDATA" -U postgres --auth-host=scram-sha-256 \${POSTGRES_INITDB_ARGS-} --pwfile=<(echo "$POSTGRES_PASSWORD") >&2
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  echo "create database \\"$POSTGRES_DB\\"" | postgres --single -D "$PGDATA" postgres >&2
fi
exec "$@" -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql
`;

/** The substitutes for Postgres and Redis. */
export function storeSubstitutes({ postgres, redis }: StoreReferences): readonly Substitute[] {
  return [
    {
      name: postgres,
      settings: [
        ...['--entrypoint', '["docker-entrypoint.sh"]', '--cmd', 'postgres', '--user', storesUser],
        ...['--env', 'PGDATA=/var/lib/postgresql/18/docker'],
        // SIGTERM would wait until every client has disconnected.
        ...['--stop-signal', 'SIGINT'],
      ],
    },
    { name: redis, settings: ['--cmd', 'redis-server', '--user', storesUser, '--workingdir', '/data'] },
  ];
}

export interface StoreReferences {
  readonly postgres: string;
  readonly redis: string;
}

/** Makes substitutes from one image of Debian's packages, which an earlier run may have left. */
export function provideSubstitutes(substitutes: readonly Substitute[], packages: readonly string[]): void {
  const image = `localhost/stores:${packages.length}-2`;
  if (!succeeds('buildah', 'inspect', '--type', 'image', image)) makePackageImage(image, packages);
  for (const { name, settings } of substitutes) {
    const container = run('buildah', 'from', '--pull-never', image);
    run('buildah', 'config', ...settings, container);
    run('buildah', 'commit', '--quiet', '--rm', container, name);
  }
}

function makePackageImage(image: string, packages: readonly string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-packages-image-'));
  const root = join(folder, 'root');
  const empty = join(folder, 'empty');
  try {
    console.log(`Making an image of ${packages.join(', ')} with debootstrap, once.`);
    execFileSync('debootstrap', ['--variant=minbase', `--include=${packages}`, 'bookworm', root], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    writeFileSync(join(root, 'usr/local/bin/docker-entrypoint.sh'), postgresEntryPoint, { mode: 0o755 });
    // `initdb` needs a name for the user that it runs as.
    appendFileSync(join(root, 'etc/passwd'), 'store:x:999:999::/tmp:/bin/sh\n');
    // A new volume begins as a copy of the image's folder, with its owner. Debian's package has made a database there.
    rmSync(join(root, 'var/lib/postgresql'), { recursive: true, force: true });
    mkdirSync(empty);
    // Health checks of Compose request pages with wget.
    mkdirSync(join(root, 'srv/www/api'), { recursive: true });
    writeFileSync(join(root, 'srv/www/api/health'), 'substitute\n');
    if (packages.includes('busybox')) symlinkSync('/bin/busybox', join(root, 'usr/local/bin/wget'));
    const container = run('buildah', 'from', 'scratch');
    run('buildah', 'copy', '--quiet', container, root, '/');
    for (const path of ['/var/lib/postgresql', '/data'])
      run('buildah', 'copy', '--quiet', '--chown', storesUser, container, empty, path);
    const path = '/usr/lib/postgresql/15/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    run('buildah', 'config', '--env', `PATH=${path}`, container);
    run('buildah', 'commit', '--quiet', '--rm', container, image);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
