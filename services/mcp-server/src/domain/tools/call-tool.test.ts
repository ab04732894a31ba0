import { describe, expect, it } from '@jest/globals';
import {
  type AccountId,
  type AssistantId,
  toolFailures,
  type UserId,
  unknownUsage,
} from '@mailproof/shared-types';
import { callTool, type ToolPorts } from './call-tool.ts';
import { svcEnrichProfile } from './svc-enrich-profile.ts';
import { svcValidateEmail } from './svc-validate-email.ts';

const caller = {
  accountId: 'acct_1' as AccountId,
  userId: 'user_1' as UserId,
  assistantId: 'asst_1' as AssistantId,
};

function unexpected(what: string): never {
  throw new Error(`${what} was asked, which nothing here should do`);
}

function call(args: unknown, ports: Partial<ToolPorts>, who = caller, tool = svcValidateEmail) {
  return callTool(
    {
      askRestApi: () => unexpected('the REST interface'),
      countRefused: () => unexpected('the count'),
      repeatSecret: Buffer.alloc(32, 7),
      ...ports,
    },
    { tool, arguments: args, caller: who, signal: new AbortController().signal },
  );
}

const failure = (status: number, error: unknown) => ({
  ok: false,
  status,
  data: { error },
  usage: unknownUsage,
});

describe('a call of a tool', () => {
  it.each([new Error('the inside at 10.1.2.3'), 'a thrown string', null, { message: 'the inside' }])(
    'answers any thrown value with one fixed sentence, and keeps it for the log (%#)',
    async thrown => {
      const { envelope, cause } = await call(
        { email: 'ada@ordinary.example' },
        {
          askRestApi: () => Promise.reject(thrown),
        },
      );
      expect(envelope).toEqual(failure(500, toolFailures[500]));
      expect(cause).toBe(thrown);
    },
  );

  it('that is rejected for its arguments is counted, and rate limited if there are too many', async () => {
    const counted: unknown[] = [];
    const countRefused = async (who: unknown) => {
      counted.push(who);
      return counted.length === 1 ? undefined : 2;
    };
    expect((await call({}, { countRefused })).envelope).toEqual(
      failure(400, expect.stringContaining('`email`')),
    );
    expect((await call({}, { countRefused })).envelope).toEqual(
      failure(429, expect.stringContaining('2 seconds')),
    );
    expect(counted).toEqual([caller, caller]);
  });

  it('that cannot be counted is refused as one that may be tried again', async () => {
    const countRefused = () => Promise.reject(new Error('Redis is away'));
    expect((await call({}, { countRefused })).envelope).toEqual(failure(503, toolFailures[503]));
  });

  it('says which argument is wrong and never what stood there', async () => {
    const countRefused = async () => undefined;
    const { envelope } = await call({ email: ['canary@ordinary.example'] }, { countRefused });
    expect(JSON.stringify(envelope)).not.toContain('canary');
  });

  it('does not repeat the names of unknown arguments, regardless of their length', async () => {
    const countRefused = async () => undefined;
    const given = { email: 'ada@ordinary.example', 'canary@ordinary.example': 1, ['x'.repeat(50_000)]: 1 };
    const { envelope } = await call(given, { countRefused });
    expect(envelope).toEqual(failure(400, expect.stringContaining('unknown argument in the request')));
    expect(JSON.stringify(envelope)).not.toContain('canary');
    expect(JSON.stringify(envelope).length).toBeLessThan(500);
  });

  it('sends the request for the assistant’s owner, with an idempotency key if it can charge', async () => {
    const asked: unknown[] = [];
    const { envelope } = await call(
      { email: 'ada@ordinary.example' },
      {
        askRestApi: async request => {
          asked.push([request.operation.id, request.owner, request.body, typeof request.idempotencyKey]);
          return {
            kind: 'answered',
            status: 200,
            headers: { 'x-ratelimit-reset': '999999999999999' },
            body: { email: 'ada@ordinary.example' },
          };
        },
      },
    );
    const { accountId, userId } = caller;
    expect(asked).toEqual([
      ['validate-single-email', { accountId, userId }, { email: 'ada@ordinary.example' }, 'string'],
    ]);
    expect(envelope.usage).toEqual({
      ...unknownUsage,
      rateLimitReset: 999_999_999_999_999,
      rateLimitResetAt: new Date(999_999_999_999_999).toISOString(),
    });
  });

  describe('that can be repeated', () => {
    const url = (key?: string) => ({
      profile_url: 'https://www.linkedin.com/in/ada',
      ...(key && { idempotency_key: key }),
    });

    /** The idempotency key of a call. */
    async function keyOf(args: object, more: { who?: typeof caller; secret?: Buffer } = {}) {
      const { who = caller, secret = Buffer.alloc(32, 7) } = more;
      const keys: unknown[] = [];
      const askRestApi: ToolPorts['askRestApi'] = async ({ idempotencyKey }) => {
        keys.push(idempotencyKey);
        return { kind: 'answered', status: 200, headers: {}, body: {} };
      };
      const { envelope } = await call(args, { askRestApi, repeatSecret: secret }, who, svcEnrichProfile);
      expect(envelope.ok).toBe(true);
      return keys[0];
    }

    it('has the same idempotency key as the call that it repeats, and as no other', async () => {
      const first = await keyOf(url('ada'));
      expect(first).toMatch(/^[\w-]{43}$/);
      expect(await keyOf(url('ada'))).toBe(first);
      for (const other of [url('grace'), url()]) expect(await keyOf(other)).not.toBe(first);
      expect(await keyOf(url())).not.toBe(await keyOf(url()));
    });

    it('shares its key with no other assistant, and depends on a secret', async () => {
      const first = await keyOf(url('ada'));
      expect(await keyOf(url('ada'), { who: { ...caller, assistantId: 'asst_2' as AssistantId } })).not.toBe(
        first,
      );
      expect(await keyOf(url('ada'), { secret: Buffer.alloc(32, 8) })).not.toBe(first);
    });

    it('says that a repeated response cost nothing', async () => {
      const askRestApi: ToolPorts['askRestApi'] = async () => ({
        kind: 'answered',
        status: 200,
        headers: { 'idempotent-replayed': 'true' },
        body: { first_name: 'Ada' },
      });
      const { envelope } = await call(url('ada'), { askRestApi }, caller, svcEnrichProfile);
      expect(envelope).toMatchObject({ data: { found: true }, usage: { creditsConsumed: 0 } });
    });
  });
});
