import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { limits, type ToolEnvelope } from '@mailproof/shared-types';
import { Client, type Progress, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { type ConnectedAssistant, startToolServer, type ToolServer } from './lone-tool-server.ts';
import { type Era, eras, messageOf, send } from './messages.ts';
import { json } from './stand-in-gateway.ts';

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
const modes = [
  ['2026-07-28', 'auto'],
  ['the initialize era', 'legacy'],
] as const;

type Elicited = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, never> };

async function connect(
  mode: 'auto' | 'legacy',
  { answer, headers = { authorization } }: { answer?: () => Elicited; headers?: Record<string, string> } = {},
): Promise<Client> {
  const client = new Client(
    { name: 'a client', version: '1.0.0' },
    { versionNegotiation: { mode }, ...(answer && { capabilities: { elicitation: { form: {} } } }) },
  );
  if (answer) client.setRequestHandler('elicitation/create', async () => answer());
  const address = new URL(`${server.url}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }));
  return client;
}

const validate = { name: 'svc_validate_email', arguments: { email: 'ada@ordinary.example' } };

describe.each(modes)('a validation in %s that takes long', (_era, mode) => {
  it('notifies a client that asked for it, in seconds that increase and stay below the total', async () => {
    const client = await connect(mode);
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
        message: 'The mail server has not answered yet.',
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
    client = await connect(mode);
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
        title: 'Who can I write to at …',
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
    const client = await connect(mode);
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

describe('an assistant whose client can ask its user', () => {
  let assistant: ConnectedAssistant;
  let headers: Record<string, string>;

  /** Each test has an assistant of its own, and so its own count. */
  beforeEach(async () => {
    assistant = await server.connect();
    headers = { authorization: `Bearer ${await server.token({ assistant })}` };
    server.gateway.on(validatePath, validated);
  });

  const charged = () => server.gateway.received.filter(({ path }) => path.endsWith(validatePath)).length;

  async function call(client: Client): Promise<ToolEnvelope> {
    return (await client.callTool(validate)).structuredContent as unknown as ToolEnvelope;
  }

  async function useUp(client: Client): Promise<void> {
    for (let calls = 0; calls < limits.assistantCreditsUnasked; calls += 1) {
      expect(await call(client)).toMatchObject({ ok: true });
    }
  }

  it('asks before it exceeds the limit, and continues after a yes', async () => {
    let asked = 0;
    const client = await connect('auto', {
      headers,
      answer() {
        asked += 1;
        return { action: 'accept', content: {} };
      },
    });
    await useUp(client);
    expect(asked).toBe(0);
    expect(await call(client)).toMatchObject({ ok: true });
    expect(asked).toBe(1);
    expect(await call(client)).toMatchObject({ ok: true });
    expect(asked).toBe(1);
    expect(charged()).toBe(limits.assistantCreditsUnasked + 2);
    await client.close();
  });

  it.each(['decline', 'cancel'] as const)(
    'is charged nothing after a %s, and gets the advice to ask the user',
    async action => {
      const client = await connect('auto', { headers, answer: () => ({ action }) });
      await useUp(client);
      expect(await call(client)).toMatchObject({
        ok: false,
        status: 403,
        data: { error: expect.stringContaining('ask the user') },
      });
      expect(charged()).toBe(limits.assistantCreditsUnasked);
      await client.close();
    },
  );

  it.each(modes)('is not stopped if its client cannot ask, in %s', async (_era, mode) => {
    const client = await connect(mode, { headers });
    await useUp(client);
    expect(await call(client)).toMatchObject({ ok: true });
    await client.close();
  });

  it('is not stopped in the initialize era, in which a server without sessions gets no answer', async () => {
    const client = await connect('legacy', { headers, answer: () => ({ action: 'decline' }) });
    await useUp(client);
    expect(await call(client)).toMatchObject({ ok: true });
    await client.close();
  });

  describe('and sends a wrong state', () => {
    const asking = (more: object, from = headers) => {
      const era: Era = '2026-07-28';
      const { body, headers: own } = messageOf(era, {
        method: 'tools/call',
        params: { ...validate, ...more },
      });
      const meta = body.params as { _meta: Record<string, unknown> };
      meta._meta['io.modelcontextprotocol/clientCapabilities'] = { elicitation: { form: {} } };
      return fetch(`${server.url}/mcp`, {
        method: 'POST',
        headers: {
          ...own,
          ...from,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
        },
        body: JSON.stringify(body),
      }).then(
        async response => (await response.json()) as { result?: Record<string, unknown>; error?: object },
      );
    };
    const accepted = { inputResponses: { spend_more: { action: 'accept', content: {} } } };
    const refused = { code: -32_602, message: 'Invalid or expired requestState' };

    it('is refused when the state is forged or another assistant’s, and one answer counts once', async () => {
      const client = await connect('auto', { headers, answer: () => ({ action: 'decline' }) });
      await useUp(client);
      await client.close();
      const { result } = await asking({});
      expect(result).toMatchObject({ resultType: 'input_required' });
      const requestState = result?.['requestState'] as string;

      expect((await asking({ ...accepted, requestState: `${requestState}x` })).error).toMatchObject(refused);
      const other = await server.connect();
      const theirs = { authorization: `Bearer ${await server.token({ assistant: other })}` };
      expect((await asking({ ...accepted, requestState }, theirs)).error).toMatchObject(refused);
      // An answer without the state of its question does not count.
      expect((await asking(accepted)).result).toMatchObject({ resultType: 'input_required' });
      expect(charged()).toBe(limits.assistantCreditsUnasked);

      expect((await asking({ ...accepted, requestState })).result).toMatchObject({
        structuredContent: { ok: true },
      });
      const second = await connect('auto', { headers, answer: () => ({ action: 'decline' }) });
      for (let calls = 1; calls < limits.assistantCreditsUnasked; calls += 1) await call(second);
      await second.close();
      expect((await asking({ ...accepted, requestState })).result).toMatchObject({
        resultType: 'input_required',
      });
    });
  });
});
