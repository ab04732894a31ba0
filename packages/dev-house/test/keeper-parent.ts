import { spawn } from 'node:child_process';
import { hireKeeper } from '../src/hire-keeper.ts';
import { projectRoot } from '../src/project-root.ts';
import { findRedisProgram } from '../src/redis-program.ts';

/*
 * A parent for the keeper to lose: it has one hired, starts a process that heeds no request to stop, reports
 * every process there is, and then waits for its end. The test is what brings it about.
 */

const [stateDir = ''] = process.argv.slice(2);
const keeper = await hireKeeper(
  {
    projectRoot,
    stateDir,
    installationId: 'keeper-test',
    isDurable: false,
    postgresPassword: 'not-secret',
    redis: { program: await findRedisProgram({ report: () => undefined }), password: 'not-secret' },
  },
  { onLost: () => process.send?.({ type: 'lost' }) },
);
const service = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], {
  detached: true,
  stdio: 'ignore',
});
keeper.watch(service.pid as number);
process.send?.({
  type: 'ready',
  keeper: keeper.pid,
  kept: [keeper.serverPids.postgres, keeper.serverPids.redis, service.pid],
});
process.on('message', () => keeper.stop().then(() => process.disconnect()));
