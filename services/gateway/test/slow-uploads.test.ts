import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { limits } from '@mailproof/shared-types';
import { openSharedHouse, type TestHouse } from './house.ts';

let test: TestHouse;

beforeAll(async () => {
  test = await openSharedHouse();
}, 120_000);

afterAll(() => test?.stop());

/** Sends `octetsAtOnce` octets every 100 milliseconds until the list is complete or an answer arrives. */
async function pasteSlowly(octetsAtOnce: number, octets: number) {
  const owner = await (await test.owner()).signIn();
  const outgoing = request(`${test.house.gatewayUrls[0]}/app/v1/validation-jobs/pasted`, {
    method: 'POST',
    headers: {
      'content-type': 'text/plain',
      cookie: [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    },
  });
  let answered = false;
  const answer = once(outgoing, 'response').then(async ([response]) => {
    answered = true;
    return { status: response.statusCode, body: JSON.parse(await text(response)) as Record<string, unknown> };
  });
  outgoing.on('error', () => undefined);
  const line = 'Ada Lovelace, Countess and Analyst <ada@ordinary.example>\n';
  const list = line.repeat(Math.ceil(octets / line.length)).slice(0, octets);
  for (let at = 0; at < octets && !answered; at += octetsAtOnce) {
    outgoing.write(list.slice(at, at + octetsAtOnce));
    await sleep(100);
  }
  outgoing.end();
  return answer;
}

describe('a list that comes in slowly', () => {
  it.concurrent('ends below the minimum rate, and the answer says what to do', async () => {
    const { status, body } = await pasteSlowly(10, 1_000_000);
    expect([status, body['code']]).toEqual([408, 'request_timeout']);
    expect(body['detail']).toBe(
      `The body arrived at less than 1000 bytes per second for ${limits.uploadSilentMsMax / 1_000} seconds. Retry over a faster connection.`,
    );
  });

  it.concurrent('is taken at 20 KB a second for longer than the pace is measured', async () => {
    const { status, body } = await pasteSlowly(2_000, 1_400_000);
    expect([status, body['code']]).toEqual([201, undefined]);
  });
});
