import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { waitFor } from '@mailproof/dev-house';
import { assistantRefusalKinds, assistantRefusals, unknownUsage } from '@mailproof/shared-types';
import { type Behavior, json } from './fake-gateway.ts';
import { startToolServer, type ToolServer } from './lone-tool-server.ts';
import { type Era, eras, messageOf, type Result, resultOf, send } from './messages.ts';

let server: ToolServer;
let authorization: string;

beforeAll(async () => {
  server = await startToolServer();
  authorization = `Bearer ${await server.token()}`;
});

beforeEach(() => server.gateway.reset());

afterEach(() => expect(server.gateway.unexpected).toEqual([]));

afterAll(() => server?.stop());

const validatePath = '/validate-single-email';

async function call(era: Era, name: string, args?: unknown, asked = server): Promise<Result> {
  const params = { name, ...(args !== undefined && { arguments: args }) };
  const headers = { authorization: asked === server ? authorization : `Bearer ${await asked.token()}` };
  const answer = await send(asked.url, era, { method: 'tools/call', params }, headers);
  expect(answer.status).toBe(200);
  return resultOf(answer);
}

const validate = (era: Era, asked = server) =>
  call(era, 'svc_validate_email', { email: 'ada@ordinary.example' }, asked);

function expectFailure(result: Result, status: number): string {
  const { error } = (result.structuredContent['data'] ?? {}) as { error?: string };
  expect(result).toMatchObject({
    isError: true,
    structuredContent: { ok: false, status, data: { error: expect.any(String) }, usage: unknownUsage },
  });
  expect(Object.keys(result.structuredContent).sort()).toEqual(['data', 'ok', 'status', 'usage']);
  expect(Object.keys(result.structuredContent['data'] as object)).toEqual(['error']);
  expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(result.structuredContent) }]);
  return error ?? '';
}

function problem(status: number, code: string, more: object = {}, headers = {}): Behavior {
  const body = { type: `http://host/docs/errors/${code}`, title: 'A title', status, code, ...more };
  return json(status, body, headers);
}

describe.each(eras)('a failed call in %s', era => {
  it.each([
    ['no arguments at all', undefined, /email/],
    ['a missing argument', {}, /email/],
    ['an argument of another type', { email: 12 }, /`email`.*expected string/],
    ['an empty one', { email: '' }, /email/],
    ['one that is far too long', { email: `${'a'.repeat(5_000)}@ordinary.example` }, /email/],
    ['a surplus one', { email: 'ada@ordinary.example', force: true }, /force/],
  ])('is an envelope for %s, and calls no service', async (_what, args, words) => {
    expect(expectFailure(await call(era, 'svc_validate_email', args), 400)).toMatch(words);
    expect(server.gateway.received).toEqual([]);
  });

  it('refuses arguments of the tool that takes none', async () => {
    expect(expectFailure(await call(era, 'svc_get_account_status', { verbose: true }), 400)).toMatch(
      'verbose',
    );
  });

  it.each([
    [
      problem(400, 'invalid_email_address', { detail: 'two @ in a row' }),
      400,
      /The email address is not valid: two @ in a row/,
    ],
    [
      problem(402, 'credits_exhausted', { required: 1, available: 0 }),
      402,
      /1 needed, 0 available.*add credits/,
    ],
    [problem(409, 'idempotency_key_in_use', {}, { 'retry-after': '7' }), 409, /7 seconds/],
    [problem(429, 'rate_limited', {}, { 'retry-after': '1' }), 429, /Wait 1 second,/],
    [problem(429, 'too_many_failed_attempts', {}, { 'retry-after': '42' }), 429, /Wait 42 seconds/],
    [problem(429, 'rate_limited', {}, { 'retry-after': 'tomorrow' }), 429, /Wait 1 second,/],
    [problem(413, 'body_too_large', { detail: 'at most 16 KiB' }), 413, /at most 16 KiB/],
  ])('says in words what the answer refuses (%#)', async (behavior, status, words) => {
    server.gateway.on(validatePath, behavior);
    expect(expectFailure(await validate(era), status)).toMatch(words);
  });

  it.each([
    ['a problem of 500', problem(500, 'internal_error', { detail: 'at pg.connect 10.1.2.3 secret' }), 500],
    ['a problem of 503', problem(503, 'service_unavailable', { detail: 'ledger 10.1.2.3 secret' }), 503],
    [
      'a page of a proxy',
      (response => response.writeHead(502, { 'content-type': 'text/html' }).end('<p>secret</p>')) as Behavior,
      502,
    ],
    ['an unknown status', json(599, { secret: true }), 599],
    ['a refusal that is no problem document', json(403, { secret: '10.1.2.3' }), 403],
    ['a redirect', json(302, {}, { location: 'http://secret.example/' }), 502],
    ['another success', json(201, { email: 'secret@ordinary.example' }), 502],
    ['a body that is no JSON', (response => response.end('secret')) as Behavior, 502],
    ['what is no HTTP', (response => response.socket?.end('secret\r\n\r\n')) as Behavior, 502],
    ['a body without end', (response => response.end(`"${'secret'.repeat(60_000)}"`)) as Behavior, 502],
    ['a body without the address', json(200, { result: 'ok', secret: 1 }), 502],
    ['an unknown result', json(200, { email: 'a@b.example', result: 'secret' }), 502],
  ])('shows nothing of %s', async (_what, behavior, status) => {
    server.gateway.on(validatePath, behavior);
    const error = expectFailure(await validate(era), status);
    expect(error).not.toMatch(/secret|10\.1\.2\.3|http|html/i);
    // None of these is a broken connection, so a retry would only repeat the work.
    expect(server.gateway.received.filter(({ path }) => path.endsWith(validatePath))).toHaveLength(1);
  });

  it('is 503 when the answer breaks off each time, and the second attempt has the same idempotency key', async () => {
    server.gateway.on(validatePath, response => response.destroy());
    expect(expectFailure(await validate(era), 503)).not.toMatch(/socket|ECONN|127/);
    const keys = server.gateway.received
      .filter(({ path }) => path.endsWith(validatePath))
      .map(({ headers }) => headers['idempotency-key']);
    expect(keys).toHaveLength(2);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is none when only the first connection breaks', async () => {
    let attempts = 0;
    server.gateway.on(validatePath, (response, received) => {
      attempts += 1;
      if (attempts === 1) {
        response.destroy();
      } else {
        json(200, { email: 'ada@ordinary.example', result: 'ok', credits_consumed: true })(
          response,
          received,
        );
      }
    });
    expect(await validate(era)).toMatchObject({
      structuredContent: { ok: true, usage: { creditsConsumed: 1 } },
    });
  });

  it.each(assistantRefusalKinds)('is 401 with a sentence when the account is refused: %s', async reason => {
    server.gateway.on(validatePath, problem(401, 'assistant_refused', { detail: assistantRefusals[reason] }));
    expect(expectFailure(await validate(era), 401)).toBe(assistantRefusals[reason]);
  });
});

describe.each(eras)('a call in %s to a gateway that takes too long', era => {
  let impatient: ToolServer;

  beforeAll(async () => {
    // Long enough for the call to reach the gateway on a slow machine, because the test waits for the whole deadline.
    impatient = await startToolServer({ TOOL_CALL_DEADLINE_MS: '3000' });
  });

  afterAll(() => impatient?.stop());

  it('is 504, and the gateway is told that no client waits', async () => {
    let gone = false;
    impatient.gateway.on(validatePath, response => {
      response.once('close', () => {
        gone = true;
      });
    });
    expect(expectFailure(await validate(era, impatient), 504)).toMatch(/timed out/);
    await waitFor('The gateway notices', async () => gone, { deadlineMs: 60_000 });
  });

  it('is 504 when the answer begins and does not end', async () => {
    impatient.gateway.on(validatePath, response => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"email":');
    });
    expectFailure(await validate(era, impatient), 504);
  });
});

describe.each(eras)('usage in %s', era => {
  it.each([
    [true, 1],
    [false, 0],
    [undefined, null],
  ])('takes credits_consumed %p for %p', async (charged, creditsConsumed) => {
    const body = {
      email: 'ada@ordinary.example',
      ...(charged !== undefined && { credits_consumed: charged }),
    };
    server.gateway.on(validatePath, json(200, body));
    expect((await validate(era)).structuredContent).toEqual({
      ok: true,
      status: 200,
      data: body,
      usage: { ...unknownUsage, creditsConsumed },
    });
  });

  it('has null for what is missing or no number, and never 0', async () => {
    const headers = {
      'x-ratelimit-limit': 'ten',
      'x-ratelimit-remaining': '',
      'x-ratelimit-reset': '-1',
      'x-credits-remaining': '0',
    };
    server.gateway.on('/api/v1/me', json(200, { credits: 0 }, headers));
    const { structuredContent } = await call(era, 'svc_get_account_status');
    expect(structuredContent['usage']).toEqual({ ...unknownUsage, creditsRemaining: 0 });
  });

  it('removes members that the contract does not define', async () => {
    server.gateway.on('/api/v1/me', json(200, { credits: 3, internal: 'secret' }));
    expect((await call(era, 'svc_get_account_status')).structuredContent['data']).toEqual({ credits: 3 });
  });
});

describe.each(eras)('a client of %s that disconnects', era => {
  let patient: ToolServer;

  beforeAll(async () => {
    patient = await startToolServer({ TOOL_CALL_DEADLINE_MS: '60000' });
  });

  afterAll(() => patient?.stop());

  it('ends the request to the gateway', async () => {
    let asked = false;
    let gone = false;
    patient.gateway.on(validatePath, response => {
      asked = true;
      response.once('close', () => {
        gone = true;
      });
    });
    const leaving = new AbortController();
    const params = { name: 'svc_validate_email', arguments: { email: 'ada@ordinary.example' } };
    const { headers, body } = messageOf(era, { method: 'tools/call', params });
    const lost = fetch(`${patient.url}/mcp`, {
      method: 'POST',
      signal: leaving.signal,
      headers: {
        ...headers,
        authorization: `Bearer ${await patient.token()}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    })
      .then(response => response.text())
      .catch(() => 'left');
    await waitFor('The gateway is asked', async () => asked, { deadlineMs: 60_000 });
    expect(gone).toBe(false);
    leaving.abort();
    expect(await lost).toBe('left');
    await waitFor('The gateway notices', async () => gone, { deadlineMs: 60_000 });
  });
});
