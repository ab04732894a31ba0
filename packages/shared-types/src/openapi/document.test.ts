import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { eventData, subscribedEventTypes } from '../events/event.ts';
import { keyScope, keyScopes } from '../key-scopes.ts';
import { buildAppDocument, buildRestDocument } from './document.ts';

const document = buildRestDocument();

describe('the OpenAPI documents', () => {
  it.each([
    ['public', document],
    ['application', buildAppDocument()],
  ])(
    'describe each response that reports problems once, and refer only to what they have: %s',
    (_of, built) => {
      const responses = Object.values(built.paths ?? {})
        .flatMap(path => [path.get, path.post, path.put, path.delete])
        .flatMap(operation => Object.entries(operation?.responses ?? {}));
      const problems = responses.filter(([status]) => Number(status) >= 400);
      expect(problems.length).toBeGreaterThan(30);
      for (const [, response] of problems) {
        expect(response).toEqual({ $ref: expect.stringMatching(/^#\/components\/responses\//) });
      }
      for (const reference of new Set(referencesIn(built))) {
        expect(built).toHaveProperty(reference.slice('#/'.length).split('/'));
      }
    },
  );

  it('describes version 1.0.0 of the interface in OpenAPI 3.1', () => {
    expect(document).toMatchObject({
      openapi: '3.1.0',
      info: { version: '1.0.0' },
      servers: [{ url: '/api/v1' }],
    });
  });

  it('has every public operation, with the statuses that the specification names', () => {
    expect(Object.keys(document.paths ?? {}).slice(0, 5)).toEqual([
      '/me',
      '/validate-single-email',
      '/profile-enrichment',
      '/do-not-probe-requests',
      '/outcomes',
    ]);
    expect(document.paths?.['/validation-jobs']).toMatchObject({
      post: { operationId: 'create-validation-job', responses: { 201: {}, 401: {} } },
      get: { operationId: 'list-validation-jobs' },
    });
    expect(document.paths?.['/outcomes']).toMatchObject({
      post: { requestBody: { content: { 'text/csv': { schema: { type: 'string' } } } } },
    });
    expect(Object.keys(document.paths?.['/me']?.get?.responses ?? {})).toEqual(
      expect.arrayContaining(['200', '401', '429', '500']),
    );
    expect(Object.keys(document.paths?.['/validate-single-email']?.post?.responses ?? {})).toEqual(
      expect.arrayContaining(['200', '400', '401', '402', '413', '415', '429', '500']),
    );
    expect(Object.keys(document.paths?.['/profile-enrichment']?.post?.responses ?? {})).toEqual(
      expect.arrayContaining(['200', '400', '401', '402', '429', '500', '503']),
    );
  });

  it('describes the operation that mail providers call, below its own server, and leaves it out for the SDKs', () => {
    const path = document.paths?.['/{token}'];
    expect(path).toMatchObject({
      servers: [{ url: '/inbound/v1' }],
      post: { operationId: 'receive-outcomes', security: [] },
    });
    expect(path?.post?.requestBody).toHaveProperty(['content', 'message/rfc822']);
    expect(buildRestDocument({ forPrograms: true }).paths).not.toHaveProperty('/{token}');
  });

  it('requires the key for all but public operations', () => {
    expect(document).toMatchObject({ security: [{ apiKey: [] }] });
    const { post } = document.paths?.['/do-not-probe-requests'] ?? {};
    expect(post?.security).toEqual([]);
    expect(Object.keys(post?.responses ?? {})).toEqual(expect.arrayContaining(['200', '400', '429']));
    expect(Object.keys(post?.responses ?? {})).not.toContain('401');
    expect(document.paths?.['/me']?.get?.security).toBeUndefined();
  });

  it('has every event under `webhooks`, with the headers of Standard Webhooks and its form', () => {
    const webhooks = document.webhooks ?? {};
    expect(Object.keys(webhooks)).toEqual([...subscribedEventTypes, 'webhook_endpoint.test']);
    expect(webhooks['credits.low']?.post).toMatchObject({
      operationId: 'event-credits-low',
      parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(name => ({
        in: 'header',
        name,
        required: true,
      })),
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/CreditsLowEvent' },
            example: { type: 'credits.low', data: { threshold: 100 } },
          },
        },
      },
      responses: { '2XX': {}, 410: {}, default: {} },
    });
    expect(document.components?.schemas?.['CreditsLowEvent']).toMatchObject({
      properties: { type: { const: 'credits.low' }, data: { $ref: '#/components/schemas/CreditsLow' } },
      required: ['type', 'timestamp', 'data'],
    });
    // Nothing about a person: no member of an event can hold a text of ours that is not an id or a word of a list.
    const texts = Object.entries(eventData).flatMap(([type, schema]) =>
      Object.entries(schema.shape)
        .filter(([, member]) => z.safeParse(member, 'ada@ordinary.example').success)
        .map(([name]) => `${type}.${name}`),
    );
    expect(texts).toEqual([]);
  });

  it('names the scope that each operation needs, and the problem of a key without it', () => {
    const { securitySchemes } = document.components ?? {};
    expect(securitySchemes).toMatchObject({
      apiKey: { description: expect.stringContaining('`account.write`') },
    });
    const operations = Object.values(document.paths ?? {})
      .flatMap(path => [path.get, path.post, path.put, path.delete])
      .filter(operation => operation !== undefined && operation.security === undefined);
    for (const operation of operations) {
      const scope = keyScope.parse(operation?.['x-required-scope' as keyof typeof operation]);
      expect(operation?.description).toContain(`needs the scope \`${scope}\``);
      expect(JSON.stringify(operation?.responses?.['403'])).toContain('scope_required');
    }
    expect(document.paths?.['/do-not-probe-requests']?.post).not.toHaveProperty('x-required-scope');
  });

  it('says what the scopes of the account open: each object that one changes, and the URLs that one shows', () => {
    const changed = Object.entries(document.paths ?? {})
      .filter(([, operations]) => JSON.stringify(operations).includes('"x-required-scope":"account.write"'))
      .map(([path]) => path.split('/')[1]?.replaceAll('-', ' ') ?? '');
    expect(new Set(changed).size).toBeGreaterThan(3);
    for (const object of changed) {
      expect(keyScopes['account.write'].toLowerCase()).toContain(object);
    }
    expect(keyScopes['account.read']).toContain('webhook endpoints, their URLs');
  });

  it('names the rate limit headers for every operation with a key', () => {
    const successes = Object.values(document.paths ?? {})
      .flatMap(path => [path.get, path.post, path.put, path.delete])
      .filter(operation => operation !== undefined && operation.security === undefined)
      .map(operation => ['200', '201', '202'].map(status => operation?.responses?.[status]).find(Boolean));
    expect(successes.length).toBeGreaterThan(80);
    for (const success of successes) {
      expect(success).toMatchObject({ headers: { 'x-ratelimit-remaining': {} } });
    }
  });

  it('gives the reset of the rate window as a 64-bit integer', () => {
    const headers = document.paths?.['/me']?.get?.responses?.['200'];
    expect(headers).toMatchObject({
      headers: {
        'x-ratelimit-reset': { schema: { type: 'integer', format: 'int64' } },
        'x-credits-remaining': { schema: { type: 'integer' } },
      },
    });
  });
});

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' ? [String(member)] : referencesIn(member),
  );
}
