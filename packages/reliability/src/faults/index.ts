import { brokenConnections } from './broken-connections.ts';
import { databaseFaults } from './databases.ts';
import type { Fault } from './fault.ts';
import { fullDisk } from './full-disk.ts';
import { jumpingClock } from './jumping-clock.ts';
import { killedServices } from './killed-services.ts';
import { rollingRestarts } from './rolling-restarts.ts';

/** Every fault, in the order of the table. Those that need other processes than those before come last. */
export const faults: readonly Fault[] = [
  ...killedServices,
  ...databaseFaults,
  ...brokenConnections,
  fullDisk,
  jumpingClock,
  ...rollingRestarts,
];
