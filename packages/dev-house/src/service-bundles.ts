import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { services } from '@mailproof/installation';
import { type Plugin, rolldown } from 'rolldown';
import { projectRoot } from './project-root.ts';

/** The variable that tells the processes of a test run the folder of the bundles. */
const folderVariable = 'MAILPROOF_SERVICE_BUNDLES';

/** The file that Node runs, and settings of that process. */
export interface Entry {
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Bundles every service and the mail lab into one file each, because a service loads about 1,200 modules, which takes
 * most of its startup CPU time. From now on, this process and its children start them from the bundles.
 */
export async function bundleServices(folder: string): Promise<void> {
  await Promise.all(
    [...services.map(({ name }) => `services/${name}`), labFolder].map(from => bundle(from, folder)),
  );
  process.env[folderVariable] = folder;
}

/**
 * Returns what Node runs for a service: its bundle if this run made one, otherwise its source. Telemetry needs the
 * modules themselves, because it hooks into them while they load.
 */
export function entryOfService(root: string, name: string, environment: NodeJS.ProcessEnv): Entry {
  const folder = `services/${name}`;
  return hasTelemetry(environment) ? sourceOf(root, folder) : entryOf(root, folder);
}

/** Returns what Node runs for the mail lab. */
export function entryOfLab(root: string): Entry {
  return entryOf(root, labFolder);
}

const labFolder = 'packages/mail-lab';

function entryOf(root: string, folder: string): Entry {
  const bundles = process.env[folderVariable];
  const file = join(bundles ?? '', `${basename(folder)}.mjs`);
  if (bundles === undefined || root !== projectRoot || !existsSync(file)) return sourceOf(root, folder);
  // The compiled bundles of a run are of no use to the next one, whose bundles have another path.
  return { file, environment: { NODE_COMPILE_CACHE: join(bundles, 'compiled') } };
}

function sourceOf(root: string, folder: string): Entry {
  return { file: join(root, folder, 'src/main.ts'), environment: {} };
}

function hasTelemetry(environment: NodeJS.ProcessEnv): boolean {
  return Object.keys(environment).some(name => /^OTEL_(.+_EXPORTER|EXPORTER_OTLP_.+)$/.test(name));
}

async function bundle(from: string, folder: string): Promise<void> {
  const name = basename(from);
  const bundled = await rolldown({
    input: { [name]: sourceOf(projectRoot, from).file },
    platform: 'node',
    plugins: [leaveOutside, keepLocations],
    logLevel: 'silent',
  });
  await bundled.write({
    ...{ dir: folder, format: 'esm' },
    ...{ entryFileNames: '[name].mjs', chunkFileNames: `${name}-[name]-[hash].mjs` },
  });
  await bundled.close();
}

/** Packages with native code, or with files that their code reads. */
const outside = /^(@node-rs\/|@prisma\/client)/;

const leaveOutside: Plugin = {
  name: 'leave-outside',
  resolveId: {
    filter: { id: outside },
    async handler(id, importer, options) {
      const resolved = await this.resolve(id, importer, { ...options, skipSelf: true });
      return resolved && { id: pathToFileURL(resolved.id).href, external: true };
    },
  },
};

/** Makes a bundled module find its files, threads and packages relative to its source. */
const keepLocations: Plugin = {
  name: 'keep-locations',
  transform: {
    filter: { id: { include: /\.ts$/, exclude: /node_modules/ }, code: /import\.meta/ },
    handler: (code, id) =>
      code
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
        .replaceAll('import.meta.filename', JSON.stringify(id)),
  },
};
