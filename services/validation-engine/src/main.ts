import { runService, startService } from '@mailproof/service-kit';
import { compose } from './compose.ts';
import { loadConfig } from './config.ts';

runService('validation-engine', async () => {
  const config = loadConfig(process.env);
  return startService(compose(config), config);
});
