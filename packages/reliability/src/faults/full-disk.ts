import { existsSync } from 'node:fs';
import { rename, rm, symlink } from 'node:fs/promises';
import type { Ground } from '../ground.ts';
import { serviceNames } from '../ground.ts';
import type { Fault } from './fault.ts';

const alwaysFull = '/dev/full';

/** Every write to the logs fails, for every service, from its start to the end of the work. */
export const fullDisk: Fault = {
  name: 'full-disk',
  title: 'logs on a disk that is full',
  lacks: () => (existsSync(alwaysFull) ? undefined : `there is no ${alwaysFull}`),
  async strike({ service }: Ground) {
    await Promise.all(
      serviceNames.map(async name => {
        const { logFile } = service(name);
        await rename(logFile, `${logFile}.before`);
        await symlink(alwaysFull, logFile);
        try {
          await service(name).restart();
        } finally {
          await rm(logFile);
          await rename(`${logFile}.before`, logFile);
        }
      }),
    );
  },
};
