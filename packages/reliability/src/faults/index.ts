import { brokenConnections } from './broken-connections.ts';
import { databaseFaults } from './databases.ts';
import type { Fault } from './fault.ts';
import { fullDisk, jumpingClock, killedServices, rollingRestarts } from './service-faults.ts';

/** Every fault, in the order of the table. Those that need different processes come last. */
export const faults: readonly Fault[] = [
  ...killedServices,
  ...databaseFaults,
  ...brokenConnections,
  fullDisk,
  jumpingClock,
  ...rollingRestarts,
];
