import { spawn } from 'node:child_process';
import { projectRoot } from '../src/project-root.ts';
import { findRedisProgram } from '../src/redis-users.ts';
import { startKeeper } from '../src/start-keeper.ts';

/*
 * A parent that the keeper will lose. It starts a keeper and a process that ignores requests to stop, reports all
 * processes, and waits until the test kills it.
 */

const [stateDir = ''] = process.argv.slice(2);
const keeper = await startKeeper(
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
