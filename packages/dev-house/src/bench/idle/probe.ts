import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { mallocEnvironment, nodeOptionsOf, type ServiceName } from '@mailproof/installation';
import { projectRoot } from '../../project-root.ts';
import { costsOfProcess } from '../service-costs.ts';
import { keptLibraries } from './kept-libraries.ts';

/** Imports each module as the package in its folder does, and collects garbage as a service does after its start. */
const program = `
  for (const [specifier, parent] of JSON.parse(process.argv[1])) await import(import.meta.resolve(specifier, parent));
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  process.send('loaded');
  setInterval(() => undefined, 60_000);
`;

/** Returns the resident memory, in MiB, of a process that only has the libraries that a service keeps loaded. */
export async function probeMiB(name: ServiceName, settleMs: number): Promise<number> {
  const modules = Object.entries(keptLibraries[name]).flatMap(([folder, specifiers]) =>
    specifiers.map(specifier => [specifier, pathToFileURL(join(projectRoot, folder, 'package.json')).href]),
  );
  const child = spawn(
    process.execPath,
    [
      ...nodeOptionsOf(name),
      ...['--experimental-import-meta-resolve', '--input-type=module', '--eval', program],
      ...['--', JSON.stringify(modules)],
    ],
    { env: { ...process.env, ...mallocEnvironment }, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
  );
  const exited = once(child, 'exit');
  try {
    await Promise.race([
      once(child, 'message'),
      exited.then(() => Promise.reject(new Error(`The probe of ${name} ended early.`))),
    ]);
    await new Promise(resolve => setTimeout(resolve, settleMs));
    return costsOfProcess(child.pid).nowMiB;
  } finally {
    child.kill();
    await exited;
  }
}
