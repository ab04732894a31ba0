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

/** The two modules of a service from which a group of services starts it. */
const groupModules = ['compose', 'config'] as const;

/**
 * Bundles every service, the group of services and the mail lab, because a service loads about 1,200 modules, which takes
 * most of its startup CPU time. From now on, this process and its children start them from the bundles, which share the
 * files of what they have in common.
 */
export async function bundleServices(folder: string): Promise<void> {
  const sources = [
    ...services.flatMap(({ name }) =>
      ['main', ...groupModules].map(module => `services/${name}/src/${module}.ts`),
    ),
    ...[labSource, groupSource, runServiceSource],
  ];
  const bundled = await rolldown({
    input: Object.fromEntries(sources.map(source => [bundleName(source), join(projectRoot, source)])),
    platform: 'node',
    plugins: [leaveOutside, keepLocations],
    logLevel: 'silent',
  });
  await bundled.write({
    ...{ dir: folder, format: 'esm' },
    ...{ entryFileNames: '[name].mjs', chunkFileNames: 'shared-[name]-[hash].mjs' },
  });
  await bundled.close();
  process.env[folderVariable] = folder;
}

/**
 * Returns what Node runs for a service: its bundle if this run made one, otherwise its source. Telemetry needs the
 * modules themselves, because it hooks into them while they load.
 */
export function entryOfService(root: string, name: string, environment: NodeJS.ProcessEnv): Entry {
  const source = `services/${name}/src/main.ts`;
  return hasTelemetry(environment) ? { file: join(root, source), environment: {} } : entryOf(root, source);
}

/** Returns what Node runs for the mail lab. */
export function entryOfLab(root: string): Entry {
  return entryOf(root, labSource);
}

/** Returns what Node runs for a group of services. */
export function entryOfGroup(root: string): Entry {
  return entryOf(root, groupSource);
}

/** Returns the URLs of the modules that a group needs to start a service. */
export function modulesOfGroup(root: string, name: string) {
  const [composeUrl, configUrl] = groupModules.map(module =>
    urlOf(root, `services/${name}/src/${module}.ts`),
  );
  return { composeUrl, configUrl, runServiceUrl: urlOf(root, runServiceSource) } as Record<
    'composeUrl' | 'configUrl' | 'runServiceUrl',
    string
  >;
}

/** Whether these settings of a service export telemetry. */
export function hasTelemetry(environment: NodeJS.ProcessEnv): boolean {
  return Object.keys(environment).some(name => /^OTEL_(.+_EXPORTER|EXPORTER_OTLP_.+)$/.test(name));
}

const labSource = 'packages/mail-lab/src/main.ts';
const groupSource = 'packages/dev-house/src/service-group-process.ts';
const runServiceSource = 'packages/service-kit/src/run-service.ts';

function entryOf(root: string, source: string): Entry {
  const bundles = process.env[folderVariable];
  const file = join(bundles ?? '', `${bundleName(source)}.mjs`);
  if (bundles === undefined || root !== projectRoot || !existsSync(file)) {
    return { file: join(root, source), environment: {} };
  }
  // The compiled bundles of a run are of no use to the next one, whose bundles have another path.
  return { file, environment: { NODE_COMPILE_CACHE: join(bundles, 'compiled') } };
}

function urlOf(root: string, source: string): string {
  return pathToFileURL(entryOf(root, source).file).href;
}

/** `services/gateway/src/main.ts` becomes `gateway.main`. */
function bundleName(source: string): string {
  const [, folder, , file = ''] = source.split('/');
  return `${folder}.${basename(file, '.ts')}`;
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
