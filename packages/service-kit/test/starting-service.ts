import { z } from 'zod';
import {
  createHealth,
  createLogger,
  createServiceApp,
  readConfig,
  runService,
  serviceSettings,
  startService,
} from '../src/index.ts';

/** A process whose service never finishes starting, or fails to start, depending on its argument. */
const [way = ''] = process.argv.slice(2);

runService('gateway', () => {
  const settings = readConfig(z.object(serviceSettings), process.env);
  const options = { logger: createLogger({ service: 'gateway', level: 'silent' }), health: createHealth({}) };
  const app = createServiceApp({ ...options, problemTypeBase: 'urn:', routes: [] });
  return startService(
    {
      ...{ ...options, app },
      start: () =>
        way === 'fails'
          ? Promise.reject(new Error('The database is another one.'))
          : new Promise(() => undefined),
      stop: async () => undefined,
    },
    settings,
  );
});
