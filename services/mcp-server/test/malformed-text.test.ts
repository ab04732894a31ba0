import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Customer, openSharedToolHouse, type ToolHouse } from './house.ts';
import { callTool, connect, structuredContent } from './oauth-client.ts';

const form = 'application/x-www-form-urlencoded';

let house: ToolHouse;
let customer: Customer;
let accessToken: string;

beforeAll(async () => {
  house = await openSharedToolHouse();
  customer = await house.customer({ credits: 100 });
  ({ accessToken } = await connect(house, customer));
}, 120_000);

afterAll(() => house?.stop());

async function credits(): Promise<unknown> {
  const response = await fetch(`${house.house.gatewayUrls[0]}/api/v1/me`, {
    headers: { 'x-api-key': customer.apiKey },
    signal: AbortSignal.timeout(30_000),
  });
  return ((await response.json()) as Record<string, unknown>)['credits'];
}

function messageOf(email: string): string {
  const params = { name: 'svc_validate_email', arguments: { email: 'EMAIL' } };
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }).replace('EMAIL', email);
}

it('spoilt and invisible text is refused by the tool and free', async () => {
  for (const email of [
    'ada\xff@a.example',
    'ada\xc3@a.example',
    'ada\\ud800@a.example',
    'ada\\u0000@a.example',
  ]) {
    const response = await fetch(house.resource, {
      method: 'POST',
      headers: {
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        authorization: `Bearer ${accessToken}`,
      },
      body: Buffer.from(messageOf(email), 'latin1'),
      signal: AbortSignal.timeout(30_000),
    });
    expect([response.status, await response.json()]).toEqual([
      400,
      {
        jsonrpc: '2.0',
        id: null,
        error: {
          code: -32_700,
          message: expect.stringMatching(/not valid UTF-8: byte \d+|unpaired surrogate/),
        },
      },
    ]);
  }
  for (const email of [
    'ad\u200ba@ordinary.example',
    'ada@ordi\u00adnary.example',
    'ada\ufffd@ordinary.example',
  ]) {
    const answer = await callTool(house.url, accessToken, 'svc_validate_email', { email });
    expect(JSON.stringify(answer.body)).toMatch(/U\+(?:200B ZERO WIDTH SPACE|00AD SOFT HYPHEN|FFFD)/);
  }
  expect(await credits()).toBe(100);
  const email = '\u200bada@ordinary.example\u2069';
  const answer = await callTool(house.url, accessToken, 'svc_validate_email', { email });
  expect(structuredContent(answer)).toMatchObject({ ok: true });
  // The charged call comes last, so that no charge of the others is still in flight.
  const deadline = Date.now() + 30_000;
  while ((await credits()) === 100 && Date.now() < deadline) {
    // Each request is sent after the response to the previous one.
  }
  expect(await credits()).toBe(99);
});

it.each([
  ['a registration', '/register', 'application/json', '{"client_name":"Ren\xe9e"}', 'byte 20 is damaged'],
  ['a registration', '/register', 'application/json', '{"client_name":"a\\ud800"}', 'an unpaired surrogate'],
  ['a form for tokens', '/token', form, 'grant_type=refresh_token&refresh_token=\xff', 'byte 40 is damaged'],
  [
    'a form for tokens',
    '/token',
    form,
    'grant_type=refresh_token&refresh_token=%ff',
    'The form is not valid text',
  ],
  ['the sign-in form', '/sign-in/request/sign-in', form, 'email=ad\xe4', 'byte 9 is damaged'],
  ['the sign-in form', '/sign-in/request/sign-in', form, 'email=ada%00', 'The form is not valid text'],
])('%s at %s that is no text is refused', async (_what, path, type, body, words) => {
  const response = await fetch(`${house.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: Buffer.from(body, 'latin1'),
    signal: AbortSignal.timeout(30_000),
  });
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(words)]);
});
