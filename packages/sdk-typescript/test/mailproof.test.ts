import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { buildRestDocument, restOperations } from '@mailproof/shared-types';
import { keyedOperations } from '../src/generated/facts.ts';
import { Mailproof, MailproofError, type RetryPolicy } from '../src/index.ts';
import { brokenBody, brokenConnection, json, type Step, scriptedApi } from './scripted-api.ts';

type Api = Awaited<ReturnType<typeof scriptedApi>>;

const apis: Api[] = [];
const verdict = json(200, { email: 'ada@ordinary.example', result: 'ok' });
const busy = json(503, { code: 'service_unavailable', status: 503, title: 'Busy' });
const body = { email: 'ada@ordinary.example' };
const asked = { code: 'rate_limited', status: 429, title: 'Too many requests' };

async function clientOf(steps: readonly Step[], retries: Partial<RetryPolicy> = {}) {
  const api = await scriptedApi(...steps);
  apis.push(api);
  const mailproof = new Mailproof({ baseUrl: `${api.baseUrl}/`, apiKey: 'mp_live_key', retries });
  return { mailproof, seen: api.seen };
}

afterEach(() => {
  for (const api of apis.splice(0)) api.close();
});

describe('a request', () => {
  it('is repeated with the same Idempotency-Key until it has its whole answer', async () => {
    const { mailproof, seen } = await clientOf([brokenConnection, brokenBody, busy, verdict]);
    const answer = await mailproof.send('post', '/validate-single-email', { body });
    expect(answer.result).toBe('ok');
    expect(seen).toHaveLength(4);
    expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(seen[0]).toMatchObject({
      method: 'POST',
      path: '/api/v1/validate-single-email',
      headers: { 'x-api-key': 'mp_live_key', 'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/) },
    });
    expect(seen.map(each => each.body)).toEqual(Array(4).fill(JSON.stringify(body)));
  });

  it('keeps the key that the caller gives', async () => {
    const { mailproof, seen } = await clientOf([verdict]);
    const params = { header: { 'Idempotency-Key': 'mine' } };
    await mailproof.send('post', '/validate-single-email', { body, params });
    expect(seen[0]?.headers['idempotency-key']).toBe('mine');
  });

  it('waits as long as Retry-After says', async () => {
    const { mailproof, seen } = await clientOf([
      json(429, asked, { 'retry-after': '1' }),
      json(200, { credits: 3 }),
    ]);
    const startedAt = performance.now();
    expect(await mailproof.send('get', '/me')).toEqual({ credits: 3 });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(995);
    expect(seen).toHaveLength(2);
  });

  it('that neither is idempotent nor takes a key is sent once, unless it was refused unread', async () => {
    const filters = { countries: ['DE'] };
    const failing = await clientOf([busy]);
    await expect(failing.mailproof.send('post', '/people-counts', { body: { filters } })).rejects.toThrow(
      '503',
    );
    expect(failing.seen).toHaveLength(1);
    const limited = await clientOf([json(429, asked, { 'retry-after': '0' }), json(200, { total: 1 })]);
    expect(await limited.mailproof.send('post', '/people-counts', { body: { filters } })).toEqual({
      total: 1,
    });
  });

  it('ends after its attempts', async () => {
    const { mailproof, seen } = await clientOf([brokenConnection], { attemptsMax: 3 });
    await expect(mailproof.send('get', '/me')).rejects.toMatchObject({
      name: 'MailproofError',
      status: undefined,
    });
    expect(seen).toHaveLength(3);
  });

  it('ends at its deadline: no wait goes past it, and no answer is awaited longer', async () => {
    const hour = await clientOf([json(429, asked, { 'retry-after': '3600' })]);
    await expect(hour.mailproof.send('get', '/me')).rejects.toMatchObject({
      status: 429,
      retryAfterMs: 3_600_000,
    });
    expect(hour.seen).toHaveLength(1);
    const silent = await clientOf([() => undefined], { deadlineMs: 200 });
    await expect(silent.mailproof.send('get', '/me')).rejects.toThrow('No answer in time');
  });

  it.each([2 ** 31, Infinity])('has as much time as a deadline of %d ms gives', async deadlineMs => {
    const slowly: Step = (response, seen) =>
      void setTimeout(() => json(200, { credits: 3 })(response, seen), 100);
    const slow = await clientOf([slowly], { deadlineMs, attemptsMax: 1 });
    expect(await slow.mailproof.send('get', '/me')).toEqual({ credits: 3 });
    const far = await clientOf([json(429, asked, { 'retry-after': '9000000' })], { deadlineMs: Infinity });
    const signal = AbortSignal.timeout(200);
    await expect(far.mailproof.send('get', '/me', { signal })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    expect(far.seen).toHaveLength(1);
  });

  it.each([301, 302, 303, 307, 308])(
    'follows no redirect, so that no other host gets the key: %d',
    async status => {
      const other = await scriptedApi(verdict);
      apis.push(other);
      const location = `${other.baseUrl}/api/v1/me`;
      const { mailproof, seen } = await clientOf([
        response => response.writeHead(status, { location }).end(),
      ]);
      const error = {
        name: 'MailproofError',
        status,
        message: `The base URL redirects to ${location}. Redirects are not followed: use the final URL.`,
      };
      await expect(mailproof.send('post', '/validate-single-email', { body })).rejects.toMatchObject(error);
      await expect(mailproof.uploadList({ addresses: [] })).rejects.toMatchObject(error);
      await expect(mailproof.stream('/statement.csv')).rejects.toMatchObject(error);
      expect(seen).toHaveLength(3);
      expect(other.seen).toEqual([]);
    },
  );

  it('is not repeated either after a redirect that a browser hides', async () => {
    // Node shows the redirect itself, and has no way to make such a response.
    const hidden = { type: 'opaqueredirect', status: 0, ok: false };
    const requests: Request[] = [];
    const mailproof = new Mailproof({
      baseUrl: 'https://mailproof.example',
      apiKey: 'mp_live_key',
      async fetch(request) {
        requests.push(request);
        const facts = Object.entries(hidden).map(([name, value]) => [name, { value }]);
        return Object.defineProperties(new Response(null), Object.fromEntries(facts));
      },
    });
    await expect(mailproof.send('get', '/me')).rejects.toMatchObject({
      status: 0,
      message: 'The base URL redirects to another URL. Redirects are not followed: use the final URL.',
    });
    expect(requests.map(({ redirect }) => redirect)).toEqual(['manual']);
  });

  it('ends when its signal is aborted, also while it waits', async () => {
    const { mailproof, seen } = await clientOf([json(429, asked, { 'retry-after': '30' })]);
    const stopping = AbortSignal.timeout(300);
    const startedAt = performance.now();
    await expect(mailproof.send('get', '/me', { signal: stopping })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(seen).toHaveLength(1);
  });

  it.each(restOperations.filter(({ takesIdempotencyKey }) => takesIdempotencyKey))(
    'has a key if the contract takes one: $method $path',
    ({ method, path }) => {
      const name = path.slice('/api/v1'.length).replace(/:(\w+)/g, '{$1}');
      expect(keyedOperations).toContain(`${method.toUpperCase()} ${name}`);
    },
  );
});

describe('a client', () => {
  it('takes a key with a line break at its end, and repeats no secret that it refuses', async () => {
    const { baseUrl, seen, close } = await scriptedApi(json(200, { credits: 3 }));
    apis.push({ baseUrl, seen, close });
    await new Mailproof({ baseUrl, apiKey: 'mp_live_key\r\n' }).send('get', '/me');
    expect(seen[0]?.headers['x-api-key']).toBe('mp_live_key');
    for (const [url, apiKey] of [
      [baseUrl, 'mp_live_one\nmp_live_two'],
      [baseUrl, 'mp_live_7Hbx…'],
      ['https://ada:mp_live_word@mailproof.example', 'key'],
    ] as const) {
      expect(() => new Mailproof({ baseUrl: url, apiKey })).toThrow(
        expect.objectContaining({
          name: 'TypeError',
          message: expect.not.stringContaining('mp_live'),
        }),
      );
    }
  });
});

describe('an error', () => {
  it('says why there was no response', async () => {
    const api = await scriptedApi(verdict);
    api.close();
    const mailproof = new Mailproof({
      baseUrl: api.baseUrl,
      apiKey: 'mp_live_key',
      retries: { attemptsMax: 1 },
    });
    await expect(mailproof.send('get', '/me')).rejects.toThrow(/^no response: .*ECONNREFUSED/);
  });

  it('carries the problem document and what to do', async () => {
    const problem = {
      ...{
        type: 'https://mailproof.example/docs/errors/credits_exhausted',
        title: 'No credits',
        status: 402,
      },
      ...{
        code: 'credits_exhausted',
        detail: '1 credit is needed.',
        remedy: 'Add credits.',
        requestId: 'req_1',
        required: 1,
        available: 0,
      },
    };
    const { mailproof, seen } = await clientOf([json(402, problem)]);
    const error = await mailproof
      .send('post', '/validate-single-email', { body })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(MailproofError);
    expect(error).toMatchObject({
      ...{ status: 402, code: 'credits_exhausted', type: problem.type, title: 'No credits' },
      ...{ detail: '1 credit is needed.', requestId: 'req_1', problem, remedy: 'Add credits.' },
      message: '402 credits_exhausted: 1 credit is needed. Add credits.',
    });
    expect(seen).toHaveLength(1);
  });

  it('says so if a proxy answers with something else', async () => {
    const { mailproof } = await clientOf([response => response.writeHead(413).end('<html>Too large</html>')]);
    await expect(mailproof.send('get', '/me')).rejects.toMatchObject({
      status: 413,
      problem: undefined,
      message: '413',
    });
  });
});

it('an answer that is not JSON is an error of its kind', async () => {
  const { mailproof } = await clientOf([response => response.end('<html>')]);
  await expect(mailproof.send('get', '/me')).rejects.toMatchObject({
    name: 'MailproofError',
    status: undefined,
  });
});

describe('pages', () => {
  it('follow the cursor, keep the filters, and are requested when they are needed', async () => {
    const { mailproof, seen } = await clientOf([
      json(200, { jobs: [1], next_cursor: 'a b' }),
      json(200, { jobs: [2], next_cursor: 'c' }),
      json(200, { jobs: [3] }),
    ]);
    const found: unknown[] = [];
    for await (const page of mailproof.pages('/validation-jobs', { params: { query: { limit: 1 } } })) {
      found.push(...page.jobs);
      expect(seen).toHaveLength(found.length);
    }
    expect(found).toEqual([1, 2, 3]);
    expect(seen.map(({ path }) => path)).toEqual([
      '/api/v1/validation-jobs?limit=1',
      '/api/v1/validation-jobs?limit=1&cursor=a%20b',
      '/api/v1/validation-jobs?limit=1&cursor=c',
    ]);
  });
});

describe('a wait', () => {
  const init = { params: { path: { job_id: 'vjob_1' } } };

  it('reports each state and returns the final one', async () => {
    const { mailproof } = await clientOf([
      json(200, { state: 'running' }),
      json(200, { state: 'succeeded' }),
    ]);
    const states: unknown[] = [];
    const onProgress = (job: { state: string }) => states.push(job.state);
    expect(await mailproof.wait('/validation-jobs/{job_id}', init, { onProgress })).toEqual({
      state: 'succeeded',
    });
    expect(states).toEqual(['running', 'succeeded']);
  });

  it('ends at its deadline', async () => {
    const { mailproof } = await clientOf([json(200, { state: 'paused' })]);
    await expect(
      mailproof.wait('/validation-jobs/{job_id}', init, { deadlineMs: 100 }),
    ).rejects.toMatchObject({
      name: 'TimeoutError',
      message: 'Still paused after 0.1 s: /validation-jobs/vjob_1',
    });
  });

  it('continues while an installation that has answered does not, and ends when it refuses', async () => {
    const once = { attemptsMax: 1 };
    const [running, succeeded] = ['running', 'succeeded'].map(state => json(200, { state }));
    const { mailproof } = await clientOf([running, brokenConnection, busy, succeeded] as Step[], once);
    expect(await mailproof.wait('/validation-jobs/{job_id}', init)).toEqual({ state: 'succeeded' });
    const refused = json(401, { code: 'revoked_api_key', status: 401, title: 'Revoked' });
    for (const steps of [[brokenConnection], [running, refused]]) {
      const ended = await clientOf([...steps, succeeded] as Step[], once);
      await expect(ended.mailproof.wait('/validation-jobs/{job_id}', init)).rejects.toThrow(MailproofError);
      expect(ended.seen).toHaveLength(steps.length);
    }
  });
});

describe('a list', () => {
  it('of addresses is one column of quoted cells', async () => {
    const { mailproof, seen } = await clientOf([json(201, { job_id: 'vjob_1' })]);
    await mailproof.uploadList(
      { addresses: ['ada@ordinary.example', '"a,b"@ordinary.example'] },
      { name: 'Two' },
    );
    expect(seen[0]?.path).toBe(
      '/api/v1/validation-jobs?delimiter=%2C&encoding=utf-8&has_header=true&name=Two',
    );
    expect(seen[0]?.body).toBe('"email"\r\n"ada@ordinary.example"\r\n"""a,b""@ordinary.example"\r\n');
  });

  it('of rows is written as they are read, one a line, and again if they can be read again', async () => {
    const { mailproof, seen } = await clientOf([
      json(429, asked, { 'retry-after': '0' }),
      json(201, { job_id: 'vjob_1' }),
    ]);
    const rows = ['ada@ordinary.example', { email: 'grace@ordinary.example', name: 'Grace\n"H"', id: 7 }];
    await mailproof.uploadList({ rows }, { name: 'Two' });
    const lines =
      '"ada@ordinary.example"\n{"email":"grace@ordinary.example","name":"Grace\\n\\"H\\"","id":7}\n';
    expect(seen.map(({ body, path }) => [body, path])).toEqual(
      [lines, lines].map(each => [each, '/api/v1/validation-jobs?name=Two']),
    );
    expect(seen[0]?.headers).toMatchObject({
      'content-type': 'application/x-ndjson',
      'transfer-encoding': 'chunked',
    });
  });

  it('is sent again with its key after a broken connection and an answer that says to retry', async () => {
    const inUse = json(
      409,
      { ...asked, code: 'idempotency_key_in_use', status: 409 },
      { 'retry-after': '0' },
    );
    const { mailproof, seen } = await clientOf([
      brokenConnection,
      busy,
      inUse,
      json(201, { job_id: 'vjob_1' }),
    ]);
    expect(await mailproof.uploadList({ addresses: ['ada@ordinary.example'] })).toMatchObject({
      job_id: 'vjob_1',
    });
    expect(seen).toHaveLength(4);
    expect(new Set(seen.map(({ body }) => body))).toEqual(new Set(['"email"\r\n"ada@ordinary.example"\r\n']));
    expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('is uploaded and started with the key of the caller, and with new ones otherwise', async () => {
    const steps = [json(201, { job_id: 'vjob_1' }), json(202, {}), json(200, { state: 'succeeded' })];
    const { mailproof, seen } = await clientOf([...steps, ...steps]);
    const list = { addresses: ['ada@ordinary.example'] };
    await mailproof.validateList(list, { idempotencyKey: 'mine' });
    await mailproof.validateList(list);
    expect(seen.map(({ path }) => path)).not.toContain(expect.stringContaining('idempotency'));
    const keys = seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys.slice(0, 3)).toEqual(['mine', 'mine', undefined]);
    expect(new Set(keys.slice(3, 5)).size).toBe(2);
    expect(keys.slice(3, 5)).not.toContain(undefined);
  });

  it('of rows from a generator is sent once, and never as a whole in memory', async () => {
    const { mailproof, seen } = await clientOf([json(429, asked, { 'retry-after': '0' })]);
    let isClosed = false;
    async function* rows() {
      try {
        for (let at = 0; at < 50_000; at += 1) yield { email: `p${at}@ordinary.example`, at };
      } finally {
        isClosed = true;
      }
    }
    await expect(mailproof.uploadList({ rows: rows() })).rejects.toMatchObject({ code: 'rate_limited' });
    expect(seen).toHaveLength(1);
    const lines = seen[0]?.body.trimEnd().split('\n') ?? [];
    expect([lines.length, lines.at(-1)]).toEqual([50_000, '{"email":"p49999@ordinary.example","at":49999}']);
    expect(isClosed).toBe(true);
  });

  it('of rows that fail is not sent to its end, and says why', async () => {
    const { mailproof } = await clientOf([json(201, { job_id: 'vjob_1' })]);
    function* rows() {
      yield 'ada@ordinary.example';
      throw new Error('The source of the rows failed.');
    }
    await expect(mailproof.uploadList({ rows: rows() })).rejects.toThrow(/no response/);
  });

  it.each([
    ['is not started', [busy], {}, { message: /^503 /, code: 'service_unavailable' }],
    ['is lost from sight', [json(202, {}), brokenConnection], {}, { message: /^no response/ }],
    [
      'takes too long',
      [json(202, {}), json(200, { state: 'running' })],
      { deadlineMs: 100 },
      {
        message: /^Still running after 0.1 s: \/validation-jobs\/vjob_1$/,
        cause: expect.objectContaining({ name: 'TimeoutError' }),
      },
    ],
  ])('that %s leaves the id of its job', async (_reason, steps, options, { message, ...rest }) => {
    const uploaded = { job_id: 'vjob_1', state: 'ready' };
    const { mailproof } = await clientOf([json(201, uploaded), ...steps], { attemptsMax: 1 });
    const seen: unknown[] = [];
    const ended = mailproof.validateList(
      { addresses: ['ada@ordinary.example'] },
      { ...options, onProgress: job => seen.push(job) },
    );
    await expect(ended).rejects.toMatchObject({
      ...{ name: 'MailproofError', jobId: 'vjob_1', message: expect.stringMatching(message) },
      ...rest,
    });
    // Known before anything is charged, so that a program that is killed can keep it.
    expect(seen[0]).toEqual(uploaded);
  });

  it('that is aborted ends with the reason of its signal', async () => {
    const { mailproof } = await clientOf([json(201, { job_id: 'vjob_1' }), () => undefined]);
    const signal = AbortSignal.timeout(200);
    const ended = mailproof.validateList({ addresses: ['ada@ordinary.example'] }, { signal });
    expect(await ended.catch((error: unknown) => error)).toBe(signal.reason);
  });

  it('has a day, because greylisting alone can take longer than half an hour', async () => {
    const { mailproof } = await clientOf([
      json(201, { job_id: 'vjob_1' }),
      json(202, {}),
      json(200, { state: 'running' }),
      json(200, { state: 'succeeded' }),
    ]);
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now');
    const onProgress = ({ state }: { state: string }) =>
      state === 'running' && clock.mockReturnValue(now + 23 * 3_600_000);
    const ended = mailproof.validateList({ addresses: ['ada@ordinary.example'] }, { onProgress });
    expect(await ended.finally(() => clock.mockRestore())).toEqual({ state: 'succeeded' });
  });

  it('as a stream is sent once and piece by piece', async () => {
    const { mailproof, seen } = await clientOf([json(429, asked, { 'retry-after': '0' })]);
    const file = new Blob(['email\n', 'ada@ordinary.example\n']).stream();
    await expect(mailproof.uploadList({ file })).rejects.toMatchObject({ code: 'rate_limited' });
    expect(seen.map(each => each.body)).toEqual(['email\nada@ordinary.example\n']);
    expect(seen[0]?.headers).toMatchObject({ 'transfer-encoding': 'chunked', 'content-type': 'text/csv' });
  });
});

it('a stream outlives the deadline of its request', async () => {
  const slowly: Step = response => {
    response.writeHead(200).write('a');
    setTimeout(() => response.end('b'), 400);
  };
  const { mailproof } = await clientOf([slowly], { deadlineMs: 200 });
  expect(await text(await mailproof.stream('/statement.csv'))).toBe('ab');
});

it('the version follows the version of the API', () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const minor = (each: string) => each.split('.').slice(0, 2);
  expect(minor(version)).toEqual(minor(String(buildRestDocument().info.version)));
});
