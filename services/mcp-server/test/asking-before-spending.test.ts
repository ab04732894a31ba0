import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { limits, type ToolEnvelope } from '@mailproof/shared-types';
import type { Client } from '@modelcontextprotocol/client';
import { json } from './fake-gateway.ts';
import { type ConnectedAssistant, startToolServer, type ToolServer } from './lone-tool-server.ts';
import { connectClient, messageOf, modes } from './messages.ts';

let server: ToolServer;

beforeAll(async () => {
  server = await startToolServer();
});

beforeEach(() => server.gateway.reset());

afterEach(() => expect(server.gateway.unexpected).toEqual([]));

afterAll(() => server?.stop());

const validatePath = '/validate-single-email';
const validated = json(200, { email: 'ada@ordinary.example', result: 'ok', credits_consumed: true });
const validate = { name: 'svc_validate_email', arguments: { email: 'ada@ordinary.example' } };

describe('an assistant whose client can ask its user', () => {
  let assistant: ConnectedAssistant;
  let headers: Record<string, string>;

  /** Each test has its own assistant and therefore its own count. */
  beforeEach(async () => {
    assistant = await server.connect();
    headers = { authorization: `Bearer ${await server.token({ assistant })}` };
    server.gateway.on(validatePath, validated);
  });

  const charged = () => server.gateway.received.filter(({ path }) => path.endsWith(validatePath)).length;

  async function call(client: Client): Promise<ToolEnvelope> {
    return (await client.callTool(validate)).structuredContent as unknown as ToolEnvelope;
  }

  async function spendAll(client: Client): Promise<void> {
    for (let calls = 0; calls < limits.assistantCreditsUnasked; calls += 1) {
      expect(await call(client)).toMatchObject({ ok: true });
    }
  }

  it('asks before it exceeds the limit, and continues after a yes', async () => {
    let asked = 0;
    const client = await connectClient(server.url, 'auto', headers, () => {
      asked += 1;
      return { action: 'accept', content: {} };
    });
    await spendAll(client);
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
      const client = await connectClient(server.url, 'auto', headers, () => ({ action }));
      await spendAll(client);
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
    const client = await connectClient(server.url, mode, headers);
    await spendAll(client);
    expect(await call(client)).toMatchObject({ ok: true });
    await client.close();
  });

  it('is not stopped in the initialize era, in which a server without sessions gets no answer', async () => {
    const client = await connectClient(server.url, 'legacy', headers, () => ({ action: 'decline' }));
    await spendAll(client);
    expect(await call(client)).toMatchObject({ ok: true });
    await client.close();
  });

  describe('and sends a wrong state', () => {
    const asking = (more: object, from = headers) => {
      const { body, headers: own } = messageOf('2026-07-28', {
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
      const client = await connectClient(server.url, 'auto', headers, () => ({ action: 'decline' }));
      await spendAll(client);
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
      const second = await connectClient(server.url, 'auto', headers, () => ({ action: 'decline' }));
      for (let calls = 1; calls < limits.assistantCreditsUnasked; calls += 1) await call(second);
      await second.close();
      expect((await asking({ ...accepted, requestState })).result).toMatchObject({
        resultType: 'input_required',
      });
    });
  });
});
