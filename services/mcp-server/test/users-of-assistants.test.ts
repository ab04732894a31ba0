import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client, Progress } from '@modelcontextprotocol/client';
import { json } from './fake-gateway.ts';
import { startToolServer, type ToolServer } from './lone-tool-server.ts';
import { connectClient, eras, messageOf, modes, send } from './messages.ts';

let server: ToolServer;
let authorization: string;

beforeAll(async () => {
  server = await startToolServer();
  authorization = `Bearer ${await server.token()}`;
});

beforeEach(async () => {
  server.gateway.reset();
});

afterEach(() => expect(server.gateway.unexpected).toEqual([]));

afterAll(() => server?.stop());

const validatePath = '/validate-single-email';
const validated = json(200, { email: 'ada@ordinary.example', result: 'ok', credits_consumed: true });
const validate = { name: 'svc_validate_email', arguments: { email: 'ada@ordinary.example' } };

describe.each(modes)('a validation in %s that takes long', (_era, mode) => {
  it('notifies a client that asked for it, in seconds that increase and stay below the total', async () => {
    const client = await connectClient(server.url, mode, { authorization });
    const notified: Progress[] = [];
    const secondNotified = Promise.withResolvers<void>();
    server.gateway.on(validatePath, (response, received) => {
      void secondNotified.promise.then(() => validated(response, received));
    });
    const result = await client.callTool(validate, {
      onprogress: progress => {
        notified.push(progress);
        if (notified.length === 2) secondNotified.resolve();
      },
    });
    await client.close();
    expect(result.structuredContent).toMatchObject({ ok: true });
    expect(notified).toEqual(
      Array(2).fill({
        progress: expect.any(Number),
        total: 30,
        message: 'The mail server has not responded yet.',
      }),
    );
    const [first, second] = notified.map(({ progress }) => progress);
    expect(first).toBeGreaterThanOrEqual(1.4);
    expect(second).toBeGreaterThan(first ?? 0);
    expect(second).toBeLessThan(30);
  });
});

describe('a validation that is quick', () => {
  it('is plain JSON for a client that asked for progress', async () => {
    server.gateway.on(validatePath, validated);
    const { body, headers } = messageOf('2026-07-28', {
      method: 'tools/call',
      params: validate as Record<string, unknown>,
    });
    const meta = { ...(body.params as { _meta?: object })._meta, progressToken: 7 };
    const response = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: {
        ...headers,
        authorization,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ ...body, params: { ...body.params, _meta: meta } }),
    });
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    expect(await response.json()).toMatchObject({ result: { structuredContent: { ok: true } } });
  });
});

describe.each(modes)('prompts in %s', (_era, mode) => {
  let client: Client;

  beforeAll(async () => {
    client = await connectClient(server.url, mode, { authorization });
  });

  afterAll(() => client?.close());

  it('are listed with title, description and arguments', async () => {
    const { prompts } = await client.listPrompts();
    expect(prompts).toEqual([
      {
        name: 'clean_list',
        title: 'Clean this list',
        description: expect.any(String),
        arguments: [
          { name: 'addresses', description: expect.any(String), required: true },
          { name: 'format', description: expect.any(String), required: false },
        ],
      },
      {
        name: 'find_contacts',
        title: 'Find contacts at a company',
        description: expect.any(String),
        arguments: [
          { name: 'company', description: expect.any(String), required: true },
          { name: 'people', description: expect.any(String), required: false },
        ],
      },
    ]);
  });

  it('contain what the user gave', async () => {
    const { messages } = await client.getPrompt({
      name: 'clean_list',
      arguments: { addresses: 'ada@ordinary.example', format: 'CSV' },
    });
    expect(messages).toEqual([
      { role: 'user', content: { type: 'text', text: expect.stringMatching(/> ada@ordinary.*as CSV/s) } },
    ]);
  });

  it('complete an argument with suggested values', async () => {
    const ref = { type: 'ref/prompt', name: 'clean_list' } as const;
    const of = (value: string) => client.complete({ ref, argument: { name: 'format', value } });
    expect((await of('')).completion.values).toHaveLength(3);
    expect((await of('C')).completion.values).toEqual(['CSV']);
  });

  it('refuse missing and unknown arguments without repeating them', async () => {
    const refused = client.getPrompt({ name: 'clean_list', arguments: { canary: 'canary' } });
    await expect(refused).rejects.toMatchObject({
      code: -32_602,
      message: expect.not.stringContaining('canary'),
    });
    await expect(client.getPrompt({ name: 'no_such_prompt' })).rejects.toMatchObject({ code: -32_602 });
  });
});

describe('prompts', () => {
  it.each(eras)('need no scope in %s', async era => {
    const headers = { authorization: `Bearer ${await server.token({ scope: '' })}` };
    const answer = await send(
      server.url,
      era,
      {
        method: 'prompts/get',
        params: { name: 'find_contacts', arguments: { company: 'ordinary.example' } },
      },
      headers,
    );
    expect(answer.body['result']).toMatchObject({ messages: [{ role: 'user' }] });
  });
});

describe.each(eras)('parameters in %s that do not fit', era => {
  const ask = async (method: string, params: Record<string, unknown>) => {
    const { status, body } = await send(server.url, era, { method, params }, { authorization });
    return [status, body['error'], body['id']];
  };

  it.each([['a text'], [12], [['ada@ordinary.example']], [true]])(
    'are refused in a sentence when `arguments` is %p',
    async given => {
      const error = {
        code: -32_602,
        message: '`params.arguments` must be a JSON object with an entry for each argument.',
      };
      expect(await ask('tools/call', { name: 'svc_validate_email', arguments: given })).toEqual([
        200,
        error,
        1,
      ]);
      expect(await ask('prompts/get', { name: 'clean_list', arguments: given })).toEqual([200, error, 1]);
      expect(server.gateway.received).toEqual([]);
    },
  );

  it('are refused in a sentence without a name, and when an argument of a prompt is not a string', async () => {
    expect(await ask('tools/call', { arguments: {} })).toMatchObject([
      200,
      { code: -32_602, message: expect.stringContaining('name of a tool') },
      1,
    ]);
    expect(await ask('prompts/get', { name: 'clean_list', arguments: { addresses: 1 } })).toMatchObject([
      200,
      { code: -32_602, message: 'Every argument of a prompt must be a string.' },
      1,
    ]);
  });
});

describe('the description of the server', () => {
  it.each(modes)('has an address and icons that it serves, in %s', async (_era, mode) => {
    const client = await connectClient(server.url, mode, { authorization });
    const { websiteUrl, icons = [] } = client.getServerVersion() ?? {};
    await client.close();
    expect(websiteUrl).toBe('http://127.0.0.1:8');
    expect(icons.map(({ mimeType, sizes }) => [mimeType, sizes])).toEqual([
      ['image/svg+xml', ['any']],
      ['image/png', ['128x128']],
    ]);
    for (const { src, mimeType } of icons) {
      const response = await fetch(src.replace(server.publicUrl, server.url));
      expect([response.status, response.headers.get('content-type')]).toEqual([200, mimeType]);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('cache-control')).toBe('public, max-age=86400');
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(300);
    }
  });
});
