import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { catalog } from '@mailproof/mail-lab';
import { isCharged, type ValidationResult } from '@mailproof/shared-types';
import { type Customer, openSharedHouse, type TestHouse } from './house.ts';

/** The documented verdict of every address of the lab, as seen through the public interface. */
const documented = catalog.flatMap(({ expected }) => expected);
/**
 * The most domains validated at once; the addresses of one domain are sequential, as some hosts allow only one session.
 */
const domainsMax = 24;

let test: TestHouse;
let customer: Customer;

beforeAll(async () => {
  // Uses the customers' deadline: a shorter one leaves slow hosts undecided on a slow machine.
  test = await openSharedHouse();
  customer = await test.open({ credits: 1_000, requestsPerSecond: 1_000 });
});

afterAll(() => test.stop());

describe('the lab’s catalog', () => {
  it('gets its documented verdicts, and the ledger moves by exactly the credits that the answers say', async () => {
    const before = await customer.credits();
    const remaining = [...catalog];
    const wrong: object[] = [];
    let consumed = 0;
    async function check({ address, result }: (typeof documented)[number]): Promise<void> {
      const { status, body } = await customer.validate(address);
      const charged = isCharged(body['result'] as ValidationResult);
      if (status !== 200 || body['result'] !== result || body['credits_consumed'] !== charged) {
        wrong.push({ address, result, status, body });
      }
      consumed += charged ? 1 : 0;
    }
    async function work(): Promise<void> {
      for (let domain = remaining.shift(); domain; domain = remaining.shift()) {
        for (const expected of domain.expected) {
          await check(expected);
        }
      }
    }
    await Promise.all(Array.from({ length: domainsMax }, work));
    expect(wrong).toEqual([]);
    expect(documented.length).toBeGreaterThan(80);
    expect(await customer.credits()).toBe(before - consumed);
  });
});

describe('the README', () => {
  it('shows a request with the answer that it really gets', async () => {
    const text = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
    const example =
      /```sh\n[^`]*?curl -sS \$MAILPROOF_URL\/api\/v1(\S+)[^`]*?-d '([^']+)'\n```\s+```json\n([^`]+)```/.exec(
        text,
      );
    const [, path = '', body = '', answer = ''] = example ?? [];
    expect(path).toBe('/validate-single-email');
    const { status, body: given } = await customer.post(path, body);
    expect(status).toBe(200);
    expect(given).toEqual(JSON.parse(answer));
  });
});
