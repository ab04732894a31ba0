import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { collectionOf } from '@mailproof/docs-site/collection';
import { buildRestDocument, restOperations } from '@mailproof/shared-types';
import { type Customer, openSharedHouse, type TestHouse } from './house.ts';

/* Sends every request of the collection that the documentation offers to Postman and Bruno. */

interface Request {
  readonly name: string;
  readonly request: {
    readonly method: string;
    readonly header?: readonly {
      readonly key: string;
      readonly value: string;
      readonly disabled?: boolean;
    }[];
    readonly body?: { readonly raw?: string };
    readonly url: {
      readonly path: readonly string[];
      readonly query?: readonly {
        readonly key: string;
        readonly value: string;
        readonly disabled?: boolean;
      }[];
      readonly variable?: readonly { readonly key: string; readonly value: string }[];
    };
  };
}

let test: TestHouse;
let customer: Customer;

beforeAll(async () => {
  test = await openSharedHouse();
  customer = await test.open({ credits: 50, requestsPerSecond: 1_000 });
});

afterAll(() => test?.stop());

/** Sends a request as Postman does, with its variables filled in. */
async function send({ request: { method, url, header = [], body } }: Request) {
  const values = new Map(url.variable?.map(({ key, value }) => [key, value]));
  const path = url.path.map(part => (part.startsWith(':') ? (values.get(part.slice(1)) ?? '') : part));
  const sent = (url.query ?? []).filter(each => !each.disabled);
  const query = sent.map(({ key, value }) => `${key}=${encodeURIComponent(value)}`);
  const response = await fetch(
    `${test.house.gatewayUrls[0]}/api/v1/${path.map(encodeURIComponent).join('/')}?${query.join('&')}`,
    {
      method,
      headers: [
        ['x-api-key', customer.apiKey],
        ...header.filter(each => !each.disabled).map(({ key, value }) => [key, value] as [string, string]),
      ],
      ...(body?.raw !== undefined && { body: body.raw }),
      signal: AbortSignal.timeout(30_000),
    },
  );
  const { code } = response.ok ? { code: undefined } : ((await response.json()) as { code: string });
  await response.body?.cancel().catch(() => undefined);
  return { status: response.status, code };
}

it('every request of the collection reaches its operation in a form that the operation reads', async () => {
  const { item: folders } = await collectionOf(buildRestDocument({ forPrograms: true }));
  const requests = folders.flatMap(folder => (folder.item ?? []) as unknown as Request[]);
  expect(requests).toHaveLength(restOperations.length);
  const answers: Record<string, unknown> = {};
  for (const request of requests) {
    const { status, code = 'none' } = await send(request);
    const formFaults = [
      ...['route_not_found', 'method_not_allowed', 'malformed_json', 'unsupported_media_type'],
      ...['missing_api_key', 'invalid_api_key', 'internal_error', 'invalid_request'],
    ];
    if (formFaults.includes(code)) answers[request.name] = [status, code];
  }
  expect(answers).toEqual({});
}, 120_000);
