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
