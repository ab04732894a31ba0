import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { testServiceKeys } from '@mailproof/dev-house';
import { defineOperation, problemDocument, streamedAnswer } from '@mailproof/shared-types';
import { z } from 'zod';
import {
  createHealth,
  createLogger,
  createServiceApp,
  type RunningService,
  readConfig,
  route,
  serviceSettings,
  startService,
  unavailable,
} from '../src/index.ts';

const nothing = z.strictObject({});
const recite = defineOperation({
  id: 'recite',
  method: 'get',
  path: '/recite',
  summary: 'Recite',
  description: 'Answers piece by piece.',
  answeredBy: 'gateway',
  access: { kind: 'service', callers: ['gateway'] },
  params: nothing,
  query: nothing,
  body: z.undefined(),
  bodyBytesMax: 0,
  success: { status: 200, description: 'Recited.', schema: streamedAnswer, mediaType: 'text/csv' },
  repeatable: true,
  problems: [],
});

let running: RunningService;
let pieces: () => AsyncGenerator<string>;
/** The number of pieces generated, and a promise that resolves when the generator is stopped. */
let made: number;
let ended: PromiseWithResolvers<void>;

beforeAll(async () => {
  const keys = await testServiceKeys();
  const settings = readConfig(z.object(serviceSettings), { PORT: '0', ...keys.settingsOf('credit-ledger') });
  const logger = createLogger({ service: 'test', level: 'silent' });
  const health = createHealth({});
  const recited = route(
    recite,
    async () => 'somebody',
    async (_input, { setHeader }) => {
      setHeader('content-disposition', 'attachment; filename="recital.csv"');
      return pieces();
    },
  );
  const app = createServiceApp({ logger, health, problemTypeBase: 'urn:', routes: [recited] });
  running = await startService({ app, health, logger, stop: async () => undefined }, settings);
});

afterAll(() => running.stop());

beforeEach(() => {
  made = 0;
  ended = Promise.withResolvers();
});

async function* say(texts: Iterable<string>, failure?: Error): AsyncGenerator<string> {
  try {
    for (const text of texts) {
      made += 1;
      yield text;
    }
    if (failure) {
      throw failure;
    }
  } finally {
    ended.resolve();
  }
}

const ask = (signal = AbortSignal.timeout(60_000)) =>
  fetch(`http://127.0.0.1:${running.port}/recite`, { signal });

describe('an answer that is streamed', () => {
  it('arrives whole, with its type', async () => {
    pieces = () => say(['ä,', 'b\n', 'c,d\n']);
    const response = await ask();
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="recital.csv"');
    expect(await response.text()).toBe('ä,b\nc,d\n');
  });

  it('may be empty', async () => {
    pieces = () => say([]);
    const response = await ask();
    expect([response.status, await response.text()]).toEqual([200, '']);
  });

  it('is a problem when it fails before the first chunk', async () => {
    pieces = () => say([], unavailable('Not now.'));
    const response = await ask();
    expect([response.status, response.headers.get('content-disposition')]).toEqual([503, null]);
    expect(problemDocument.parse(await response.json())).toMatchObject({ code: 'service_unavailable' });
  });

  it('breaks off when it fails later, so that the client does not take a part for the whole', async () => {
    pieces = () => say(['a\n', 'b\n'], new Error('broken'));
    await expect(ask().then(response => response.text())).rejects.toThrow();
  });

  it('is made no faster than it is taken, and no further when the client leaves', async () => {
    const megabyte = 'x'.repeat(1_000_000);
    const piecesMax = 2_000;
    pieces = () => say(Array.from({ length: piecesMax }, () => megabyte));
    const leaving = new AbortController();
    const response = await ask(leaving.signal);
    const reader = response.body?.getReader();
    await reader?.read();
    leaving.abort();
    await ended.promise;
    expect(made).toBeLessThan(piecesMax / 2);
  });
});
