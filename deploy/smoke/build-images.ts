import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const certificates = '/etc/ssl/certs';

/**
 * Builds images with buildah; all of them if none are named. Without a container engine, the build has no separate
 * network and no isolation except chroot, which is enough here.
 */
export function buildImages(baseImage: string, names: readonly string[] = []): void {
  const bundle = `${certificates}/ca-certificates.crt`;
  const options = [
    '--isolation=chroot',
    '--network=host',
    `--volume=${certificates}:${certificates}:ro`,
    `--build-arg=NODE_EXTRA_CA_CERTS=${bundle}`,
    `--build-arg=SSL_CERT_FILE=${bundle}`,
  ].map(option => `--with=${option}`);
  const script = join(root, 'deploy/build-images.sh');
  const args = [script, '--engine', 'buildah', '--node-image', baseImage, ...options, ...names];
  execFileSync('sh', args, { stdio: 'inherit' });
}

/** The base image that the Dockerfile names. */
export function nodeImage(): string {
  const image = /^ARG NODE_IMAGE=(\S+)$/m.exec(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8'))?.[1];
  if (!image) throw new Error('deploy/Dockerfile names no NODE_IMAGE.');
  return image;
}

/** The version of this checkout, which is the tag of its images. */
export function version(): string {
  return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
}
