import { expect, it } from '@jest/globals';
import { loadedModules } from '@mailproof/dev-house';

it.each(['people-index/index-thread', 'lookalike-worker/ranking-thread'])(
  'starts the thread %s without the contracts',
  async thread => {
    const { files } = await loadedModules(new URL(`../src/adapters/${thread}.ts`, import.meta.url));
    expect(files.filter(file => file.includes('/node_modules/pg/'))).not.toEqual([]);
    expect(files.filter(file => file.includes('/node_modules/zod/'))).toEqual([]);
    // Each file adds about half a millisecond to every start.
    expect(files.length).toBeLessThan(150);
  },
);
