import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { serviceNames } from '../ground.ts';
import type { Fault } from './fault.ts';

/** How far the clock of the services is from that of the databases and the customers, and for how long. */
const [aheadSeconds, aheadMs] = [120, 6_000];

const offsetFile = join(tmpdir(), `mailproof-clock-${process.pid}`);

/** The clocks of all services jump ahead and back, while they run; those of Postgres, Redis and the customers stay. */
export const jumpingClock: Fault = {
  name: 'clock',
  title: `the clocks of all services jump ${aheadSeconds} s ahead, and back`,
  env: () => Object.fromEntries(serviceNames.map(name => [name, fakedTime()])),
  lacks: () =>
    library() ? undefined : 'libfaketime is not installed (Debian, Ubuntu: apt-get install faketime)',
  async strike() {
    await writeFile(offsetFile, `+${aheadSeconds}\n`);
    await sleep(aheadMs);
    await writeFile(offsetFile, '+0\n');
  },
};

function fakedTime(): Record<string, string> {
  if (!existsSync(offsetFile)) {
    writeFileSync(offsetFile, '+0\n');
    process.once('exit', () => rmSync(offsetFile, { force: true }));
  }
  return {
    LD_PRELOAD: library() ?? '',
    FAKETIME_TIMESTAMP_FILE: offsetFile,
    FAKETIME_NO_CACHE: '1',
    // Timers go on as they do on a machine whose clock was put right.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

/** Where Debian and its kin keep it, whatever the processor. */
function library(): string | undefined {
  const root = '/usr/lib';
  if (!existsSync(root)) return undefined;
  return [root, ...readdirSync(root).map(folder => join(root, folder))]
    .map(folder => join(folder, 'faketime/libfaketime.so.1'))
    .find(file => existsSync(file));
}
