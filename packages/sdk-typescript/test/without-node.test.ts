import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { afterEach, expect, it } from '@jest/globals';
import { rolldown } from 'rolldown';
import type * as Sdk from '../src/index.ts';
import { json, scriptedApi } from './scripted-api.ts';

/** What workers of browsers, Deno and Bun have in common, and nothing of Node. */
const webGlobals = {
  ...{ AbortController, AbortSignal, Blob, crypto, DOMException, fetch, FormData, Headers, ReadableStream },
  ...{ Request, Response, TextDecoder, TextEncoder, URL, URLSearchParams, setTimeout, clearTimeout },
};

let close: (() => void) | undefined;

afterEach(() => close?.());

it('the whole client runs with the globals of the web alone', async () => {
  const input = fileURLToPath(new URL('../src/index.ts', import.meta.url));
  const bundle = await rolldown({ input, platform: 'browser', logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'iife', name: 'sdk' });
  expect(output).toHaveLength(1);
  expect(output[0].imports).toEqual([]);
  const context = createContext({ ...webGlobals });
  runInContext('globalThis.self = globalThis', context);
  const { Mailproof, verifyWebhook } = runInContext(`${output[0].code}; sdk`, context) as typeof Sdk;

  const api = await scriptedApi(
    json(429, { code: 'rate_limited', status: 429 }, { 'retry-after': '0' }),
    json(200, { result: 'ok' }),
    json(201, { job_id: 'vjob_1' }),
  );
  close = api.close;
  const mailproof = new Mailproof({ baseUrl: api.baseUrl, apiKey: 'mp_live_key' });
  const verdict = await mailproof.send('post', '/validate-single-email', { body: { email: 'a@b.example' } });
  expect(verdict.result).toBe('ok');
  expect(await mailproof.uploadList({ addresses: ['a@b.example'] })).toEqual({ job_id: 'vjob_1' });
  expect(api.seen).toHaveLength(3);
  expect(() => verifyWebhook('{}', new Headers(), 'whsec_AAAA')).toThrow('Missing required headers');
});
