import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Customer, openTestHouse, type TestHouse } from './house.ts';

let test: TestHouse;
let customer: Customer;

beforeAll(async () => {
  test = await openTestHouse();
  customer = await test.open({ credits: 1 });
});

afterAll(() => test.stop());

describe('the README', () => {
  it('shows a request with the answer that it really gets', async () => {
    const text = await readFile(new URL('../../../README.md', import.meta.url), 'utf8');
    const example =
      /```sh\n[^`]*?curl -sS http:\/\/127\.0\.0\.1:8080\/api\/v1(\S+)[^`]*?-d '([^']+)'\n```\s+```json\n([^`]+)```/.exec(
        text,
      );
    const [, path = '', body = '', answer = ''] = example ?? [];
    expect(path).toBe('/validate-single-email');
    const { status, body: given } = await customer.post(path, body);
    expect(status).toBe(200);
    expect(given).toEqual(JSON.parse(answer));
  });
});
