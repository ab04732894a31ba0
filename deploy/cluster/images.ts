import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceDefinitions } from '@mailproof/installation';
import { provideBaseImage } from '../smoke/base-image.ts';
import { buildImages, nodeImage } from '../smoke/build-images.ts';
import { run } from '../smoke/shell.ts';
import { provideSubstitutes, type StoreReferences, storeSubstitutes } from '../trial/stores.ts';
import { cacheFolder, type Programs } from './programs.ts';

/** An OCI archive of all images of the last run that built them. */
export const imageArchive = join(cacheFolder, 'images.tar');

/** The registry of docs/install-with-helm.md. Nothing is pulled from it: its images are loaded into the nodes. */
export const imageRegistry = 'registry.example.com';

const imageNames = [...serviceDefinitions.map(({ name }) => name), 'migrate'];

/**
 * Builds the images of this checkout, the cluster's own, and substitutes for those of Postgres and Redis, which
 * cannot be pulled everywhere; then writes all into one archive.
 *
 * @param version the tag of the images
 * @param stores the references of the chart's Postgres and Redis
 */
export function makeImages(programs: Programs, version: string, stores: StoreReferences): void {
  const base = provideBaseImage(nodeImage());
  buildImages(base, imageNames);
  provideProgramImage('localhost/pause:1', programs.pause);
  provideProgramImage('localhost/coredns:1', programs.dns);
  provideSubstitutes(storeSubstitutes(stores), ['postgresql', 'redis-server']);
  const named = [
    ...imageNames.map(name => [
      `localhost/mailproof/${name}:${version}`,
      `${imageRegistry}/mailproof/${name}:${version}`,
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
