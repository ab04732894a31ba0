import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@mailproof/dev-house';
import { assistantRefusals, newId, sandboxDomain } from '@mailproof/shared-types';
import { type Customer, openSharedToolHouse, type ToolHouse } from './house.ts';
import { callTool, connect, emptyUsage, postMessage, structuredContent } from './oauth-client.ts';

const listScope = 'lists.run';
const addresses = ['ada@ordinary.example', 'ghost@ordinary.example', 'no address', 'ada@ordinary.example'];

let house: ToolHouse;

beforeAll(async () => {
  house = await openSharedToolHouse();
});

afterAll(() => house?.stop());

interface Envelope {
  readonly ok: boolean;
  readonly status: number;
  readonly data: Record<string, unknown>;
  readonly usage: Record<string, unknown>;
}

/** An assistant of a customer, and its calls. */
async function newAssistant({ customer, credits = 10 }: { customer?: Customer; credits?: number } = {}) {
  const owner = customer ?? (await house.customer({ credits }));
  const connection = await connect(house, owner, { scope: listScope });
  const post = (method: string, params: object) =>
    postMessage(
      `${house.url}/mcp`,
      { jsonrpc: '2.0', id: 1, method, params },
      { authorization: `Bearer ${connection.accessToken}` },
    );
  const call = async (name: string, args: object) =>
    structuredContent(await callTool(house.url, connection.accessToken, name, args)) as unknown as Envelope;
  return {
    owner,
    connection,
    call,
    /** The links of a result. */
    async linksOf(name: string, args: object) {
      const { body } = await post('tools/call', { name, arguments: args });
      const { content } = body['result'] as { content: { type: string; uri?: string }[] };
      return content.filter(({ type }) => type === 'resource_link').map(({ uri }) => uri);
    },
    read: async (uri: string) => (await post('resources/read', { uri })).body,
    async prepare(given: readonly string[] = addresses) {
      const { data, ok } = await call('svc_prepare_list_validation', { addresses: given, name: 'A list' });
      expect(ok).toBe(true);
      return String(data['job_id']);
    },
    untilEnded: (jobId: string) =>
      waitFor(
        'The list has ended',
        async () => {
          const { data } = await call('svc_get_list_validation', { job_id: jobId });
          return data['state'] === 'succeeded' ? data : undefined;
        },
        { deadlineMs: 90_000 },
      ),
  };
}

async function creditsOf({ apiKey }: Customer): Promise<number> {
  const url = `${house.house.services['gateway']?.url}/api/v1/me`;
  const response = await fetch(url, { headers: { 'x-api-key': apiKey } });
  return ((await response.json()) as { credits: number }).credits;
}

describe('a list in the tools', () => {
  it('has a price before it is charged, is validated, and is read page by page', async () => {
    const assistant = await newAssistant();
    const prepared = await assistant.call('svc_prepare_list_validation', { addresses, name: 'A list' });
    expect(prepared).toMatchObject({
      ok: true,
      status: 201,
      data: {
        name: 'A list',
        state: 'ready',
        is_test: false,
        rows: { total: 4, valid: 3, broken: 1, duplicate: 1 },
        cost_max: 2,
        next_step: expect.stringContaining('at most 2 credits'),
      },
      usage: { creditsConsumed: 0, creditsRemaining: null, rateLimitLimit: 1_000 },
    });
    expect(await creditsOf(assistant.owner)).toBe(10);
    const jobId = String(prepared.data['job_id']);
    expect(await assistant.linksOf('svc_get_list_validation', { job_id: jobId })).toEqual([]);

    const started = await assistant.call('svc_start_list_validation', { job_id: jobId, max_credits: 2 });
    expect(started).toMatchObject({
      ok: true,
      status: 202,
      data: { reserved: 2, spent: null },
      usage: { creditsConsumed: null },
    });
    expect(await assistant.untilEnded(jobId)).toMatchObject({
      spent: 2,
      returned: 0,
      results: { ok: 2, invalid: 2 },
      next_step: expect.stringContaining('svc_get_list_results'),
    });
    expect(await creditsOf(assistant.owner)).toBe(8);

    const first = await assistant.call('svc_get_list_results', { job_id: jobId, rows_max: 3 });
    expect(first).toMatchObject({
      data: {
        rows: [
          { row: 1, email: 'ada@ordinary.example', result: 'ok', valid: true, is_duplicate: false },
          { row: 2, email: 'ghost@ordinary.example', result: 'invalid', valid: false },
          { row: 3, email: null, result: 'invalid', reason: 'syntax' },
        ],
        next_row: 4,
      },
      usage: { creditsConsumed: 0 },
    });
    const rest = await assistant.call('svc_get_list_results', { job_id: jobId, first_row: 4 });
    expect(rest.data).toMatchObject({ rows: [{ row: 4, is_duplicate: true, result: 'ok' }], next_row: null });
    const invalid = await assistant.call('svc_get_list_results', { job_id: jobId, result: 'invalid' });
    expect(invalid.data).toMatchObject({ rows: [{ row: 2 }, { row: 3 }], next_row: null });
  });

  it('has its results as resources, to which the tools link', async () => {
    const assistant = await newAssistant();
    const jobId = await assistant.prepare();
    await assistant.call('svc_start_list_validation', { job_id: jobId, max_credits: 2 });
    await assistant.untilEnded(jobId);
    const [uri = ''] = await assistant.linksOf('svc_get_list_validation', { job_id: jobId });
    expect(uri).toBe(`svc://jobs/${jobId}/results/1`);
    const readJson = async (each: string) => {
      const { result } = await assistant.read(each);
      const { contents } = result as { contents: { mimeType: string; text: string }[] };
      return { contents, page: JSON.parse(contents[0]?.text ?? '') };
    };
    const { contents, page } = await readJson(uri);
    expect(contents).toMatchObject([{ uri, mimeType: 'application/json' }]);
    expect(page).toMatchObject({
      job_id: jobId,
      rows: [{ row: 1 }, { row: 2 }, { row: 3 }, { row: 4 }],
      next: null,
    });
    expect(await assistant.linksOf('svc_get_list_results', { job_id: jobId, rows_max: 2 })).toEqual([
      `svc://jobs/${jobId}/results/3`,
    ]);
    const selected = { job_id: jobId, result: 'invalid', rows_max: 1 };
    const [next = ''] = await assistant.linksOf('svc_get_list_results', selected);
    expect(next).toBe(`svc://jobs/${jobId}/results/invalid/3`);
    expect((await readJson(next)).page).toMatchObject({
      result: 'invalid',
      rows: [{ row: 3, result: 'invalid' }],
      next: null,
    });
    expect(await assistant.read(`svc://jobs/${jobId}/results/every/1`)).toMatchObject({
      error: { code: -32_602 },
    });
  });

  it('is never started for more than `max_credits`, and is charged once however often it is started', async () => {
    const assistant = await newAssistant();
    const jobId = await assistant.prepare();
    const start = (maxCredits: number) =>
      assistant.call('svc_start_list_validation', { job_id: jobId, max_credits: maxCredits });
    expect(await start(1)).toEqual({
      ok: false,
      status: 409,
      data: { error: expect.stringMatching(/costs more than `max_credits`.*Nothing was charged/) },
      usage: emptyUsage,
    });
    const starts = await Promise.all([start(2), start(2), start(2)]);
    expect(starts.map(({ ok }) => ok)).toEqual([true, true, true]);
    await assistant.untilEnded(jobId);
    expect(await start(2)).toMatchObject({ ok: true, data: { spent: 2 }, usage: { creditsConsumed: 0 } });
    expect(await start(3)).toMatchObject({
      status: 409,
      data: { error: expect.stringContaining('already') },
    });
    expect(await creditsOf(assistant.owner)).toBe(8);
  });

  it('needs its credits at the start, and can be started once there are enough', async () => {
    const assistant = await newAssistant({ credits: 1 });
    const jobId = await assistant.prepare();
    const args = { job_id: jobId, max_credits: 2 };
    expect(await assistant.call('svc_start_list_validation', args)).toMatchObject({
      ok: false,
      status: 402,
      data: { error: expect.stringContaining('2 needed, 1 available') },
    });
    await house.operate('account', 'grant', assistant.owner.accountId, '5');
    await waitFor('The credits are granted', async () => (await creditsOf(assistant.owner)) === 6, {
      deadlineMs: 60_000,
    });
    expect(await assistant.call('svc_start_list_validation', args)).toMatchObject({ ok: true });
  });

  it('of another account does not exist for an assistant, in tools and resources', async () => {
    const jobId = await (await newAssistant()).prepare();
    const other = await newAssistant();
    for (const [name, more] of [
      ['svc_get_list_validation', {}],
      ['svc_get_list_results', {}],
      ['svc_start_list_validation', { max_credits: 2 }],
    ] as const) {
      expect(await other.call(name, { job_id: jobId, ...more })).toMatchObject({
        ok: false,
        status: 404,
        data: { error: 'The account has no such list, or it was deleted. Check `job_id`.' },
      });
    }
    expect(await other.read(`svc://jobs/${jobId}/results/1`)).toMatchObject({ error: { code: -32_602 } });
  });

  it.each([
    ['no addresses', 'svc_prepare_list_validation', { addresses: [] }, /addresses/],
    ['too many', 'svc_prepare_list_validation', { addresses: Array(501).fill('a@b.example') }, /500/],
    ['no limit of credits', 'svc_start_list_validation', { job_id: newId('validationJob') }, /max_credits/],
    ['an id of another kind', 'svc_get_list_validation', { job_id: 'srch_1' }, /job_id/],
    ['too many rows', 'svc_get_list_results', { job_id: newId('validationJob'), rows_max: 101 }, /100/],
  ])('is refused with %s, free of charge', async (_what, name, args, words) => {
    const assistant = await newAssistant();
    const refused = await assistant.call(name, args);
    expect(refused).toMatchObject({ ok: false, status: 400, data: { error: expect.stringMatching(words) } });
  });

  it('is refused from the next call on when the plan has lapsed, and when the assistant was disconnected', async () => {
    const customer = await house.customer({ plan: 'starter' });
    const assistant = await newAssistant({ customer });
    const jobId = await assistant.prepare();
    await house.operate('account', 'lapse', customer.accountId);
    expect(
      await assistant.call('svc_start_list_validation', { job_id: jobId, max_credits: 2 }),
    ).toMatchObject({
      ok: false,
      status: 401,
      data: { error: assistantRefusals.no_active_plan },
    });
    expect(await assistant.read(`svc://jobs/${jobId}/results/1`)).toMatchObject({
      error: { message: assistantRefusals.no_active_plan },
    });
  });

  it('counts in the account’s rate limit', async () => {
    const customer = await house.customer({ requestsPerSecond: 2 });
    const assistant = await newAssistant({ customer });
    const jobId = newId('validationJob');
    const calls = await Promise.all(
      Array.from({ length: 12 }, () => assistant.call('svc_get_list_validation', { job_id: jobId })),
    );
    expect(calls.map(({ status }) => status)).toContain(429);
  });
});

describe('a list of addresses of the sandbox', () => {
  it('gets the documented results free of charge, without a test key', async () => {
    const assistant = await newAssistant({ credits: 1 });
    const jobId = await assistant.prepare([`ok@${sandboxDomain}`, `greylisted@${sandboxDomain}`]);
    expect(await assistant.call('svc_get_list_validation', { job_id: jobId })).toMatchObject({
      data: { is_test: true, cost_max: 0 },
    });
    await assistant.call('svc_start_list_validation', { job_id: jobId, max_credits: 0 });
    await assistant.untilEnded(jobId);
    const { data } = await assistant.call('svc_get_list_results', { job_id: jobId });
    expect(data['rows']).toMatchObject([{ result: 'ok' }, { result: 'unknown', reason: 'greylisted' }]);
    expect(await creditsOf(assistant.owner)).toBe(1);
  });

  it('is refused if it has other addresses, before anything is charged', async () => {
    const assistant = await newAssistant();
    const mixed = { addresses: [`ok@${sandboxDomain}`, 'ada@ordinary.example'] };
    expect(await assistant.call('svc_prepare_list_validation', mixed)).toMatchObject({
      ok: false,
      status: 400,
      data: { error: expect.stringContaining('not one of the sandbox') },
    });
  });
});
