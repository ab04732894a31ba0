import { setTimeout as wait } from 'node:timers/promises';
import { type ServiceName, services } from '@mailproof/installation';
import { compileCacheDirectory } from '../../project-root.ts';
import { withBenchHouse } from '../bench-house.ts';
import { circumstances, markdownTable } from '../markdown-table.ts';
import { costsOfServices } from '../service-costs.ts';
import { probeMiB } from './probe.ts';

/*
 * Measures the memory of services that have nothing to do, compared with a process that only has their libraries, and
 * how long each takes to get ready (docs/sizing.md). After a change of code the first run compiles, so the second counts.
 */

/** Time without requests before memory is measured. */
const idleMs = 15_000;
/** The most memory that all services together may have. */
const sumMiBMax = 740;
/** The most that a service may have above its libraries: at most 38, and in some runs 8 more in one or two services. */
const aboveMiBMax = 46;

// As `npm start` does.
process.env['NODE_COMPILE_CACHE'] ??= compileCacheDirectory;
const startedAt = new Date();

const measured = await withBenchHouse({ isDurable: false }, async house => {
  await wait(idleMs);
  const costs = new Map(costsOfServices(house).map(({ name, nowMiB }) => [name, nowMiB]));
  const readyMs = new Map<ServiceName, number>();
  for (const { name } of services) {
    await house.services[name]?.kill('SIGKILL');
    const killedAt = performance.now();
    await house.services[name]?.restart();
    readyMs.set(name, performance.now() - killedAt);
  }
  return services.map(({ name }) => ({
    name,
    idleMiB: costs.get(name) ?? Number.NaN,
    readyMs: readyMs.get(name) ?? Number.NaN,
  }));
});
const rows: string[][] = [];
const above: ServiceName[] = [];
for (const { name, idleMiB, readyMs } of measured) {
  const probe = await probeMiB(name, 1_000);
  const figures = [idleMiB, probe, idleMiB - probe].map(mib => `${Math.round(mib)} MiB`);
  rows.push([name, ...figures, `${(readyMs / 1_000).toFixed(1)} s`]);
  if (!(idleMiB - probe <= aboveMiBMax)) above.push(name);
}
const sumMiB = measured.reduce((sum, { idleMiB }) => sum + idleMiB, 0);
console.log(markdownTable(['service', 'idle', 'its libraries alone', 'above them', 'ready after'], rows));
console.log(`\nAll services: ${Math.round(sumMiB)} MiB, at most ${sumMiBMax}. ${circumstances(startedAt)}`);
if (above.length > 0) console.log(`More than ${aboveMiBMax} MiB above their libraries: ${above.join(', ')}.`);
if (!(sumMiB <= sumMiBMax) || above.length > 0) process.exitCode = 1;
