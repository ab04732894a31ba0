import { createLogger, runService } from '../src/index.ts';

/*
 * A process that logs its lines and ends in the way that its argument names. It logs the last lines together, so that
 * they cannot have been written before the end.
 */

const [way = '', count = '1'] = process.argv.slice(2);
const logger = createLogger({ service: 'gateway', level: 'info' });

function logAll(): void {
  for (let line = 1; line <= Number(count); line += 1) {
    logger.info({ line }, 'one of many');
  }
}

const ways: Readonly<Record<string, () => unknown>> = {
  'calls process.exit': () => process.exit(0),
  'throws an error that is not caught': () => {
    throw new Error('not caught');
  },
  'leaves a rejection unhandled': () => Promise.reject(new Error('not awaited')),
  'is told to stop': () => process.kill(process.pid, 'SIGTERM'),
  'is killed after a fatal line': () => {
    logger.fatal('the last words');
    process.kill(process.pid, 'SIGKILL');
  },
};

if (way === 'ends normally') {
  logAll();
} else {
  runService('gateway', async () => {
    setImmediate(() => {
      logAll();
      ways[way]?.();
    });
    const life = setInterval(() => undefined, 1_000);
    return { port: 0, internalPort: 0, stop: async () => clearInterval(life) };
  });
}
