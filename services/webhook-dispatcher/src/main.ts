import { runService, startService } from '@mailproof/service-kit';
import { compose } from './compose.ts';
import { loadConfig } from './config.ts';

runService('webhook-dispatcher', async () => {
  const config = loadConfig(process.env);
  return startService(await compose(config), config);
});
