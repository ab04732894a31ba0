import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { toolNames, usageGuideUri } from '@mailproof/shared-types';
import {
  Client as V2Client,
  StreamableHTTPClientTransport as V2Transport,
} from '@modelcontextprotocol/client';
import { Client as V1Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as V1Transport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { decodeJwt } from 'jose';
import { json } from './fake-gateway.ts';
import { startToolServer, type ToolServer } from './lone-tool-server.ts';

let server: ToolServer;
let token: string;

beforeAll(async () => {
  server = await startToolServer();
  token = await server.token();
});

beforeEach(async () => {
  server.gateway.reset();
});

afterEach(() => expect(server.gateway.unexpected).toEqual([]));

afterAll(() => server?.stop());

const rate = {
  'x-ratelimit-limit': '10',
  'x-ratelimit-remaining': '9',
  'x-ratelimit-reset': '1790000000123',
  'x-credits-remaining': '41',
};

interface AnyClient {
  listTools(): Promise<{ tools: readonly Record<string, unknown>[] }>;
  callTool(call: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>;
  readResource(of: { uri: string }): Promise<{ contents: readonly Record<string, unknown>[] }>;
  listResources(): Promise<{ resources: readonly Record<string, unknown>[] }>;
  listResourceTemplates(): Promise<{ resourceTemplates: readonly Record<string, unknown>[] }>;
  close(): Promise<void>;
}

const requestInit = () => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } });

async function connectV2(mode: 'auto' | 'legacy'): Promise<AnyClient> {
  const client = new V2Client({ name: 'v2', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(new V2Transport(new URL(`${server.url}/mcp`), requestInit()));
  return client as unknown as AnyClient;
}

async function connectV1(): Promise<AnyClient> {
  const client = new V1Client({ name: 'v1', version: '1.0.0' });
  await client.connect(new V1Transport(new URL(`${server.url}/mcp`), requestInit()) as never);
  return client as unknown as AnyClient;
}

describe.each([
  ['v2 of 2026-07-28', () => connectV2('auto')],
  ['v2 of the initialize era', () => connectV2('legacy')],
  ['v1', connectV1],
])('a client of %s', (_name, connect) => {
  let client: AnyClient;

  beforeEach(async () => {
    client = await connect();
  });

  afterEach(() => client.close());

  it('lists the tools with what a client needs to know of them', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(toolNames);
    const hints = tools.map(({ name, annotations }) => {
      const { readOnlyHint, destructiveHint, idempotentHint } = annotations as Record<string, boolean>;
      return [name, readOnlyHint, destructiveHint, idempotentHint];
    });
    expect(hints.slice(2)).toEqual([
      ['svc_prepare_list_validation', false, false, false],
      ['svc_start_list_validation', false, false, true],
      ['svc_get_list_validation', true, false, true],
      ['svc_get_list_results', true, false, true],
      ['svc_enrich_profile', false, false, false],
      ['svc_search_people', false, false, true],
      ['svc_get_more_people', true, false, true],
      ['svc_search_companies', false, false, true],
      ['svc_get_more_companies', true, false, true],
      ['svc_find_similar_companies', false, false, true],
    ]);
    // Clients and models read only plain schemas.
    expect(JSON.stringify(tools)).not.toMatch(/\$ref|\$defs/);
    expect(tools.slice(0, 2)).toMatchObject([
      {
        name: 'svc_validate_email',
        title: 'Validate an email address',
        inputSchema: {
          type: 'object',
          required: ['email'],
          properties: { email: { type: 'string' } },
          additionalProperties: false,
        },
        outputSchema: { type: 'object', required: ['ok', 'status', 'data', 'usage'] },
        annotations: {
          readOnlyHint: false,
          destructiveHint: false,
          idempotentHint: false,
          openWorldHint: true,
        },
      },
      {
        name: 'svc_get_account_status',
        inputSchema: { type: 'object', properties: {}, additionalProperties: false },
        annotations: { readOnlyHint: true },
      },
    ]);
  });

  it('gets the balance by one request to the gateway, without an API key or the assistant’s token', async () => {
    server.gateway.on('/api/v1/me', json(200, { credits: 41 }, rate));
    const envelope = {
      ok: true,
      status: 200,
      data: { credits: 41 },
      usage: {
        creditsRemaining: 41,
        creditsConsumed: null,
        rateLimitLimit: 10,
        rateLimitRemaining: 9,
        rateLimitReset: 1_790_000_000_123,
        rateLimitResetAt: '2026-09-21T14:13:20.123Z',
      },
    };
    const result = await client.callTool({ name: 'svc_get_account_status', arguments: {} });
    expect(result).toMatchObject({
      structuredContent: envelope,
      content: [{ type: 'text', text: JSON.stringify(envelope) }],
    });
    const [asked, ...others] = server.gateway.received;
    expect(others).toEqual([]);
    const { accountId, userId } = server.caller;
    expect(asked?.path).toBe(`/internal/v1/accounts/${accountId}/users/${userId}/api/v1/me`);
    const claims = decodeJwt(asked?.headers.authorization?.replace('Bearer ', '') ?? '');
    expect(claims).toMatchObject({ iss: 'mcp-server', aud: 'gateway' });
    expect(asked?.headers).not.toHaveProperty('x-api-key');
  });

  it('reads and lists the usage guide', async () => {
    const { resources } = await client.listResources();
    expect(resources).toMatchObject([{ uri: usageGuideUri, mimeType: 'text/markdown' }]);
    const { contents } = await client.readResource({ uri: usageGuideUri });
    expect(contents).toMatchObject([{ uri: usageGuideUri, mimeType: 'text/markdown' }]);
    await expect(client.readResource({ uri: 'svc://something-else' })).rejects.toMatchObject({
      code: -32_602,
    });
  });

  it('lists the templates of the results of lists', async () => {
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates).toMatchObject([
      { uriTemplate: 'svc://jobs/{job_id}/results/{first_row}', mimeType: 'application/json' },
      { uriTemplate: 'svc://jobs/{job_id}/results/{result}/{first_row}', mimeType: 'application/json' },
    ]);
  });

  it('gets a protocol error for an unknown tool', async () => {
    await expect(client.callTool({ name: 'svc_no_such_tool' })).rejects.toMatchObject({ code: -32_602 });
  });
});
