import { describe, expect, test } from '@jest/globals';
import { type Deadline, deadlineAfter } from '../concurrency/deadline.ts';
import type { SmtpConnection, SmtpConnector, SmtpOutcome } from '../smtp/connection.ts';
import { readReply } from '../smtp/reply.ts';
import { amply } from '../testing/fakes.ts';
import { createGatedConnector, isThrottle } from './gated-connector.ts';
import { createLocalHostGate } from './local-host-gate.ts';

const address = '192.0.2.1';

function reply(code: number, text: string): SmtpOutcome {
  return { kind: 'reply', reply: readReply(code, [text]) };
}

/** A host that accepts a limited number of concurrent sessions and answers 421 to any more. */
function createHost(sessionsMax: number) {
  const host = { open: 0, peak: 0, turnedAway: 0 };
  const connector: SmtpConnector = {
    async connect() {
      host.open += 1;
      host.peak = Math.max(host.peak, host.open);
      const isFull = host.open > sessionsMax;
      host.turnedAway += isFull ? 1 : 0;
      const greeting = isFull ? reply(421, '4.7.0 too many connections') : reply(220, 'mx.example ESMTP');
      let closed = false;
      const connection: SmtpConnection = {
        localLiteral: '[192.0.2.9]',
        listen: async () => greeting,
        send: () => undefined,
        startTls: async () => undefined,
        close() {
          host.open -= closed ? 0 : 1;
          closed = true;
        },
      };
      return { kind: 'connected', connection };
    },
  };
  return { host, connector };
}

async function session(connector: SmtpConnector, deadline: Deadline = amply()): Promise<number | string> {
  const opened = await connector.connect(address, deadline);
  if (opened.kind === 'failure') {
    return opened.failure;
  }
  const greeting = await opened.connection.listen(deadline);
  await new Promise(resolve => setImmediate(resolve));
  opened.connection.close();
  return greeting.kind === 'reply' ? greeting.reply.code : greeting.failure;
}

function many(count: number, connector: SmtpConnector) {
  return Promise.all(Array.from({ length: count }, () => session(connector)));
}

describe('a host', () => {
  test('never sees more sessions at once than the cap', async () => {
    const { host, connector } = createHost(100);
    expect(new Set(await many(50, createGatedConnector(connector, createLocalHostGate(3))))).toEqual(
      new Set([220]),
    );
    expect(host).toMatchObject({ open: 0, peak: 3 });
  });

  test('that accepts fewer sessions than the cap gets fewer, and each gets a greeting', async () => {
    const { host, connector } = createHost(1);
    const gated = createGatedConnector(connector, createLocalHostGate(3));
    expect(new Set(await many(20, gated))).toEqual(new Set([220]));
    expect(host.turnedAway).toBeLessThanOrEqual(4);
    expect(host.open).toBe(0);
  });

  test('that is busy without us is not asked again', async () => {
    const { host, connector } = createHost(0);
    expect(await session(createGatedConnector(connector, createLocalHostGate(3)))).toBe(421);
    expect(host).toMatchObject({ open: 0, turnedAway: 1 });
  });
});

describe('a slot', () => {
  test('that does not come free in time is not waited for any longer', async () => {
    const { connector } = createHost(10);
    const gated = createGatedConnector(connector, createLocalHostGate(1));
    const held = await gated.connect(address, amply());
    const deadline = deadlineAfter({ nowMs: () => performance.now() }, 20, new AbortController().signal);
    expect(await session(gated, deadline)).toBe('crowded_out');
    if (held.kind === 'connected') {
      held.connection.close();
      held.connection.close();
    }
    expect(await session(gated)).toBe(220);
  });

  test('is returned if no host listens', async () => {
    const unreachable: SmtpConnector = { connect: async () => ({ kind: 'failure', failure: 'unreachable' }) };
    const gated = createGatedConnector(unreachable, createLocalHostGate(1));
    expect(await session(gated)).toBe('unreachable');
    expect(await session(gated)).toBe('unreachable');
  });

  test('is not waited for after the caller has gone', async () => {
    const { connector } = createHost(10);
    const gated = createGatedConnector(connector, createLocalHostGate(1));
    const held = await gated.connect(address, amply());
    const client = new AbortController();
    const waiting = session(gated, deadlineAfter({ nowMs: () => performance.now() }, 60_000, client.signal));
    client.abort();
    expect(await waiting).toBe('crowded_out');
    expect(held.kind).toBe('connected');
  });
});

describe('the pace', () => {
  function soon(nowMs: () => number, timeoutMs: number) {
    return deadlineAfter({ nowMs }, timeoutMs, new AbortController().signal);
  }

  test('refuses at once a session that could not start in time', async () => {
    let nowMs = 0;
    const { host, connector } = createHost(100);
    const gated = createGatedConnector(
      connector,
      createLocalHostGate(10, 2, () => nowMs),
    );
    const ask = () =>
      session(
        gated,
        soon(() => nowMs, 10_000),
      );
    expect(await Promise.all([ask(), ask(), ask()])).toEqual([220, 220, 'crowded_out']);
    nowMs = 60_000;
    expect(await ask()).toBe(220);
    expect(host.open).toBe(0);
  });

  test('of a host that throttles us is halved', async () => {
    let nowMs = 0;
    const greetings = [
      reply(450, '4.7.1 Error: too many connections from 192.0.2.1'),
      reply(220, 'mx.example ESMTP'),
    ];
    const connector: SmtpConnector = {
      async connect() {
        const greeting = greetings.shift();
        if (!greeting) {
          throw new Error('The test expects no further session.');
        }
        const connection: SmtpConnection = {
          localLiteral: '[192.0.2.9]',
          listen: async () => greeting,
          send: () => undefined,
          startTls: async () => undefined,
          close: () => undefined,
        };
        return { kind: 'connected', connection };
      },
    };
    const gated = createGatedConnector(
      connector,
      createLocalHostGate(10, 60, () => nowMs),
    );
    const ask = () =>
      session(
        gated,
        soon(() => nowMs, 1_000),
      );
    expect(await ask()).toBe(450);
    expect(await ask()).toBe('crowded_out');
    nowMs = 2_000;
    expect(await ask()).toBe(220);
  });

  test('gives the slot of a request that stopped waiting to the next one in the queue', async () => {
    const gate = createLocalHostGate(1, 1);
    const first = await gate.enter(address, amply());
    const impatient = new AbortController();
    const clock = { nowMs: () => performance.now() };
    const second = gate.enter(address, deadlineAfter(clock, 120_000, impatient.signal));
    const patient = new AbortController();
    const third = gate.enter(address, deadlineAfter(clock, 120_000, patient.signal));
    await first?.leave('fine');
    impatient.abort();
    expect(await second).toBeUndefined();
    patient.abort();
    expect(await third).toBeUndefined();
  });
});

function outcomeOf(line: string) {
  return { kind: 'reply', reply: readReply(Number(line.slice(0, 3)), [line.slice(4)]) } as const;
}

describe('a host says that we come too often', () => {
  test.each([
    '450 4.7.1 Error: too many connections from 192.0.2.1',
    '421 mx.ordinary.example Too many concurrent SMTP connections; please try again later.',
    '451 4.7.650 The mail server [192.0.2.1] has been temporarily rate limited. For e-mail delivery information see https://postmaster.live.com',
    '421 4.7.28 Gmail has detected an unusual rate',
    '421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1',
    '421 4.7.0 mx.ordinary.example Connection rate limit exceeded.',
    '450 4.7.1 You are connecting too often, slow down.',
  ])('%s', line => {
    expect(isThrottle(outcomeOf(line))).toBe(true);
  });
});

describe('something else', () => {
  test.each([
    '250 2.1.5 Ok',
    '450 4.2.0 <ada@ordinary.example>: Recipient address rejected: Greylisted for 300 seconds',
    '450 4.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages',
    '452 4.5.3 Error: too many recipients',
    '421 4.7.0 mx.ordinary.example Error: too many errors',
    '421 4.4.2 mx.ordinary.example Error: timeout exceeded',
    '452 4.2.2 The mailbox is full',
    '554 5.7.1 Service unavailable; rate limit',
  ])('%s', line => {
    expect(isThrottle(outcomeOf(line))).toBe(false);
  });

  test('silence', () => {
    expect(isThrottle({ kind: 'failure', failure: 'timeout' })).toBe(false);
  });
});
