import { existsSync } from 'node:fs';
import { provideBaseImage } from '../smoke/base-image.ts';
import { nodeImage } from '../smoke/build-images.ts';
import { run } from '../smoke/shell.ts';
import { provideSubstitutes, type Substitute, storeSubstitutes } from '../trial/stores.ts';

const packages = ['busybox', 'postgresql', 'prometheus', 'redis-server'];
/** The certificate authorities that this machine trusts. */
const authorities = '/etc/ssl/certs/ca-certificates.crt';

/**
 * Makes substitutes for the images that `docker-compose.yml` and the Dockerfile name, for a machine without a registry.
 * Postgres, Redis and Prometheus are Debian's. Grafana and the collector are in no registry of packages: one is a page
 * that answers the health check, the other does nothing.
 *
 * @param images the reference of each service that Compose does not build
 */
export function provideImages(images: Readonly<Record<string, string>>): void {
  trustAuthorities(provideBaseImage(nodeImage()));
  const { postgres, redis, prometheus, grafana, collector, ...others } = images;
  if (!postgres || !redis || !prometheus || !grafana || !collector || Object.keys(others).length > 0)
    throw new Error(
      `docker-compose.yml has other services than the trial has images for: ${Object.keys(images)}.`,
    );
  const substitutes: readonly Substitute[] = [
    ...storeSubstitutes({ postgres, redis }),
    { name: prometheus, settings: ['--entrypoint', '["prometheus"]'] },
    { name: grafana, settings: shell('exec busybox httpd -f -p 3000 -h /srv/www') },
    { name: collector, settings: shell('exec sleep infinity') },
  ];
  provideSubstitutes(substitutes, packages);
}

/** The settings of an image that runs a command and ignores the arguments of its container. */
function shell(command: string): string[] {
  return ['--entrypoint', JSON.stringify(['sh', '-c', command, 'sh'])];
}

/**
 * Lets the base image trust what this machine trusts, as a build needs whose registry is reached through a proxy with
 * its own authority.
 */
function trustAuthorities(base: string): void {
  const label = 'mailproof.authorities';
  if (!process.env['NODE_EXTRA_CA_CERTS'] || !existsSync(authorities)) return;
  const format = `{{index .OCIv1.Config.Labels "${label}"}}`;
  if (run('buildah', 'inspect', '--type', 'image', '--format', format, base) === 'added') return;
  const container = run('buildah', 'from', '--pull-never', base);
  run('buildah', 'copy', '--quiet', container, authorities, authorities);
  const variables = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'].flatMap(name => [
    '--env',
    `${name}=${authorities}`,
  ]);
  run('buildah', 'config', '--label', `${label}=added`, ...variables, container);
  run('buildah', 'commit', '--quiet', '--rm', container, base);
}
