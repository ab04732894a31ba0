import { expect, it } from '@jest/globals';
import { loadedModules } from '@mailproof/dev-house';

it('brings neither queues nor Redis nor commands to a service that uses none', async () => {
  const { files, builtins } = await loadedModules(new URL('../src/index.ts', import.meta.url));
  expect(files.filter(file => /\/node_modules\/express\//.test(file))).not.toEqual([]);
  expect(files.filter(file => /\/node_modules\/(bullmq|ioredis|commander)\//.test(file))).toEqual([]);
  // Each file adds about half a millisecond to every start.
  expect(files.length).toBeLessThan(700);
  expect(builtins).toContain('NativeModule http');
  expect(builtins).not.toContain('NativeModule internal/deps/undici/undici');
});

// The tool server loads it with oidc-provider, which makes two lists of words.
it.each(['credit-ledger', 'enrichment', 'gateway', 'validation-engine', 'webhook-dispatcher'])(
  'loads the %s without the data about languages',
  async service => {
    const compose = new URL(`../../../services/${service}/src/compose.ts`, import.meta.url);
    expect((await loadedModules(compose)).languageUses).toEqual([]);
  },
);
