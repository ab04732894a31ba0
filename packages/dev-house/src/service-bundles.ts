import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { services } from '@mailproof/installation';
import { type Plugin, rolldown } from 'rolldown';
import { projectRoot } from './project-root.ts';

/** The variable that tells the processes of a test run the folder of the bundles. */
const folderVariable = 'MAILPROOF_SERVICE_BUNDLES';

/**
 * Bundles every service into one file, because a service loads about 1,200 modules, which takes most of its startup CPU
 * time. From now on, this process and its children start services from the bundles.
 */
export async function bundleServices(folder: string): Promise<void> {
  await Promise.all(services.map(({ name }) => bundle(name, folder)));
  process.env[folderVariable] = folder;
}

/**
 * Returns the file that Node runs for a service: its bundle if this run made one, otherwise its source. Telemetry needs
 * the modules themselves, because it hooks into them while they load.
 */
export function entryOfService(root: string, name: string, environment: NodeJS.ProcessEnv): string {
  const bundled = join(process.env[folderVariable] ?? '', `${name}.mjs`);
  const isOurs = root === projectRoot && process.env[folderVariable] !== undefined && existsSync(bundled);
  return isOurs && !hasTelemetry(environment) ? bundled : join(root, 'services', name, 'src/main.ts');
}

function hasTelemetry(environment: NodeJS.ProcessEnv): boolean {
  return Object.keys(environment).some(name => /^OTEL_(.+_EXPORTER|EXPORTER_OTLP_.+)$/.test(name));
}

async function bundle(name: string, folder: string): Promise<void> {
  const bundled = await rolldown({
    input: { [name]: join(projectRoot, 'services', name, 'src/main.ts') },
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
