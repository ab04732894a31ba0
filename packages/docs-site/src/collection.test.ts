import { createRequire } from 'node:module';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { buildRestDocument, type Operation, restOperations } from '@mailproof/shared-types';
import { type Collection, collectionOf } from './collection.ts';

/** A request as Postman's library has read it. */
interface Item {
  readonly request: {
    readonly method: string;
    readonly url: {
      readonly path?: readonly string[];
      readonly host?: readonly string[];
      readonly query: { readonly all: () => readonly Entry[] };
    };
    readonly headers: { readonly all: () => readonly Entry[] };
    readonly body?: { readonly raw?: string };
  };
}

interface Entry {
  readonly key: string;
  readonly value: string;
  readonly disabled?: boolean;
}

describe('the collection of the API', () => {
  let made: Collection;
  let items: Item[];

  beforeAll(async () => {
    made = await collectionOf(buildRestDocument({ forPrograms: true }));
    items = [];
    // The package has types for another form of import.
    const { Collection: Loaded } = createRequire(import.meta.url)('postman-collection');
    new Loaded(made).forEachItem((item: Item) => items.push(item));
  }, 60_000);

  it('has a request for each operation, in the folder of its heading', () => {
    const asked = items.map(({ request }) => `${request.method} /${request.url.path?.join('/')}`);
    const declared = (restOperations as readonly Operation[]).map(
      ({ method, path }) => `${method.toUpperCase()} ${path.slice('/api/v1'.length)}`,
    );
    expect(asked.sort()).toEqual(declared.sort());
    expect(made.item?.map(({ name }) => name)).toContain('Validation jobs');
  });

  it('sends the example of the contract, and the key and the URL of its variables', () => {
    const validate = items.find(({ request }) => request.url.path?.join('/') === 'validate-single-email');
    expect(JSON.parse(validate?.request.body?.raw ?? '')).toEqual({ email: 'ada@ordinary.example' });
    expect(validate?.request.url.host).toEqual(['{{baseUrl}}']);
    expect(made.variable?.map(({ key }) => key)).toEqual(['baseUrl', 'apiKey']);
    expect(made.auth).toMatchObject({ type: 'apikey' });
  });

  it('has every query parameter and the header for retries, and disables what is optional', () => {
    const entries = items.map(({ request: { method, url, headers } }) => ({
      request: `${method} /${url.path?.join('/')}`,
      sent: [...url.query.all(), ...headers.all()].filter(({ disabled }) => !disabled).map(({ key }) => key),
      off: [...url.query.all(), ...headers.all()].filter(({ disabled }) => disabled).map(({ key }) => key),
    }));
    const of = (request: string) => entries.find(each => each.request === request);
    expect(of('GET /validation-jobs/:job_id/rows')?.off).toEqual(expect.arrayContaining(['cursor', 'limit']));
    expect(of('GET /validation-jobs/:job_id/comparison')).toMatchObject({
      sent: ['earlier_job_id'],
      off: [],
    });
    expect(of('POST /validate-single-email')).toMatchObject({
      sent: ['Content-Type'],
      off: ['details', 'Idempotency-Key'],
    });
    const declared = (restOperations as readonly Operation[]).filter(
      ({ takesIdempotencyKey }) => takesIdempotencyKey,
    );
    expect(entries.filter(({ off }) => off.includes('Idempotency-Key'))).toHaveLength(declared.length);
    const validate = items.find(({ request }) => request.url.path?.join('/') === 'validate-single-email');
    expect(validate?.request.headers.all().find(({ key }) => key === 'Idempotency-Key')?.value).toBe(
      '{{$guid}}',
    );
  });

  it('is the same each time', async () => {
    expect(await collectionOf(buildRestDocument({ forPrograms: true }))).toEqual(made);
  });
});
