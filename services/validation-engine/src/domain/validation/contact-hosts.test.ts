import { describe, expect, test } from '@jest/globals';
import { createAddressGuard } from '@mailproof/service-kit';
import { type Deadline, deadlineAfter } from '../concurrency/deadline.ts';
import type { MailHost } from '../dns/find-mail-hosts.ts';
import type { SmtpConnection, SmtpConnector } from '../smtp/connection.ts';
import { readReply } from '../smtp/reply.ts';
import {
  amply,
  createFakeDns,
  createProbePorts,
  createScriptedConnection,
  createStillClock,
  emailOf,
  type ScriptedConnection,
  type ScriptedOutcome,
  type Zone,
} from '../testing/fakes.ts';
import { decide } from '../verdict/decide.ts';
import { contactHosts } from './contact-hosts.ts';

type Script = readonly (readonly [expected: RegExp, outcome: ScriptedOutcome])[];

const missing: Script = [
  [/^$/, '220 mx'],
  [/^EHLO/, '250 mx'],
  [/^MAIL/, '250 Ok'],
  [/^RCPT/, '550 5.1.1 User unknown'],
  [/^RSET/, '250 Ok'],
  [/^QUIT/, '221 Bye'],
];
const busy: Script = [[/^$/, '421 Busy']];

const ada = /^RCPT TO:<ada@/;
const madeUp = [{ shape: 'alike', localPart: 'letters' }] as const;

/** Hosts by address; a host without a script cannot be reached, and each attempt at it takes `silenceMs`. */
function createWorld(
  hosts: Readonly<Record<string, Script>>,
  silenceMs = 0,
  slow: Readonly<Record<string, Promise<void>>> = {},
) {
  const clock = createStillClock();
  const contacted: string[] = [];
  const dialsEnded: string[] = [];
  const allowancesMs: number[] = [];
  const connections: ScriptedConnection[] = [];
  const connector: SmtpConnector = {
    async connect(address: string, deadline: Deadline, onSlow?: () => void) {
      contacted.push(address);
      if (slow[address] !== undefined) {
        onSlow?.();
        const given = new Promise(resolve => deadline.signal.addEventListener('abort', resolve));
        await Promise.race([slow[address], given]);
        dialsEnded.push(address);
      }
      allowancesMs.push(deadline.remainingMs());
      const script = hosts[address];
      if (script === undefined) {
        clock.advance(Math.min(silenceMs, deadline.remainingMs()));
        return { kind: 'failure', failure: 'unreachable' };
      }
      const connection = createScriptedConnection(script);
      connections.push(connection);
      return { kind: 'connected', connection };
    },
  };
  return {
    contacted,
    dialsEnded,
    allowancesMs,
    sessionsOpen: () => connections.filter(connection => !connection.isClosed()).length,
    async contact(mailHosts: readonly MailHost[], zone: Zone = {}, timeoutMs = 20_000) {
      const probing = createProbePorts(connector, clock);
      const ports = { ...probing, clock, dns: createFakeDns(zone), guard: createAddressGuard([]) };
      const task = { email: emailOf('ada@a.example'), madeUp };
      const deadline = deadlineAfter(clock, timeoutMs, new AbortController().signal);
      const found = await contactHosts(ports, mailHosts, task, deadline);
      await probing.close();
      return { ...found, remainingMs: deadline.remainingMs() };
    },
  };
}

function hostAt(...addresses: readonly string[]): MailHost {
  return { name: `mx.${addresses[0]}.example`, addresses };
}

const kinds = (attempts: readonly { kind: string }[]) => attempts.map(({ kind }) => kind);

describe('mail hosts', () => {
  test('are tried in turn until one answers about the recipient', async () => {
    const world = createWorld({ '8.0.0.2': busy, '8.0.0.3': missing, '8.0.0.4': missing });
    const { attempts, complete } = await world.contact([
      hostAt('8.0.0.1'),
      hostAt('8.0.0.2'),
      hostAt('8.0.0.3'),
      hostAt('8.0.0.4'),
    ]);
    expect(kinds(attempts)).toEqual(['not_connected', 'probed', 'probed']);
    expect(world.contacted).toEqual(['8.0.0.1', '8.0.0.2', '8.0.0.3']);
    expect(complete).toBe(true);
  });

  test('leave no session open, regardless of the result', async () => {
    const world = createWorld({
      '8.0.0.1': busy,
      '8.0.0.2': [
        [/^$/, '220 mx'],
        [/^EHLO/, { failure: 'timeout' }],
      ],
      '8.0.0.3': missing,
    });
    await world.contact([hostAt('8.0.0.1'), hostAt('8.0.0.2'), hostAt('8.0.0.3')]);
    expect(world.contacted).toHaveLength(3);
    expect(world.sessionsOpen()).toBe(0);
  });

  test('without any service do not decide for the other hosts', async () => {
    const world = createWorld({
      '8.0.0.1': [
        [/^$/, '554 No SMTP service here'],
        [/^QUIT/, '221 Bye'],
      ],
      '8.0.0.2': missing,
    });
    const { attempts } = await world.contact([hostAt('8.0.0.1'), hostAt('8.0.0.2')]);
    expect(attempts.at(-1)).toMatchObject({ result: { recipient: 'missing' } });
  });

  test.each([
    ['a refusal of RSET', '550 5.1.1 User unknown', { kind: 'ended', stage: 'rset', finding: 'unexpected' }],
    ['an answer too many', { failure: 'garbled' } as const, { kind: 'ended', stage: 'rset' }],
  ])('are told out of step by what they say to RSET: %s', async (_name, reset, result) => {
    const world = createWorld({
      // The answers are one late: the missing recipient seems accepted, and its refusal comes after.
      '8.0.0.1': [
        [/^$/, '220 mx'],
        [/^EHLO/, '250 mx'],
        [/^MAIL/, '250 mx'],
        [ada, '250 Sender Ok'],
        [/^RSET/, reset],
        [/^QUIT/, '221 Bye'],
      ],
    });
    const { attempts } = await world.contact([hostAt('8.0.0.1')]);
    expect(attempts).toMatchObject([{ result }]);
  });

  test('at forbidden addresses are never contacted, not even next to an allowed one', async () => {
    const world = createWorld({});
    const { attempts } = await world.contact([
      hostAt('127.0.0.1'),
      hostAt('10.0.0.1', '8.0.0.1', '::1'),
      hostAt('169.254.169.254'),
    ]);
    expect(world.contacted).toEqual(['8.0.0.1']);
    expect(kinds(attempts)).toEqual(['forbidden', 'not_connected', 'forbidden']);
  });

  test('are contacted at no more than five addresses that answer, two of each host', async () => {
    const hosts = [1, 2, 3, 4].map(host => hostAt(`8.0.${host}.1`, `8.0.${host}.2`, `8.0.${host}.3`));
    const world = createWorld(
      Object.fromEntries(hosts.flatMap(({ addresses = [] }) => addresses.map(address => [address, busy]))),
    );
    const { complete } = await world.contact(hosts);
    expect(world.contacted).toEqual(['8.0.1.1', '8.0.1.2', '8.0.2.1', '8.0.2.2', '8.0.3.1']);
    expect(complete).toBe(false);
  });

  test('may be dead at six addresses before the one that answers', async () => {
    const dead = [1, 2, 3, 4, 5, 6].map(number => `8.0.0.${number}`);
    const world = createWorld({ '8.0.0.7': missing });
    const { attempts, complete } = await world.contact([
      ...dead.map(address => hostAt(address)),
      hostAt('8.0.0.7'),
    ]);
    expect(attempts.at(-1)).toMatchObject({ result: { recipient: 'missing' } });
    expect(complete).toBe(true);
    const ofOne = createWorld({ '8.0.0.6': missing });
    const found = await ofOne.contact([hostAt(...dead)]);
    expect(found.attempts.at(-1)).toMatchObject({ result: { recipient: 'missing' } });
  });

  test('are dialed at sixteen addresses at most, six of each host', async () => {
    const world = createWorld({});
    const numbers = [1, 2, 3, 4, 5, 6, 7];
    const hosts = numbers.map(host => hostAt(...numbers.map(number => `8.0.${host}.${number}`)));
    const { complete } = await world.contact(hosts);
    expect(world.contacted).toHaveLength(16);
    expect(world.contacted.filter(address => address.startsWith('8.0.1.'))).toHaveLength(6);
    expect(complete).toBe(false);
  });

  test('that share an address are contacted there once', async () => {
    const world = createWorld({});
    await world.contact([hostAt('8.0.0.1'), hostAt('8.0.0.1')]);
    expect(world.contacted).toEqual(['8.0.0.1']);
  });

  test('are looked up one by one, so that an answer spares the rest', async () => {
    const world = createWorld({ '8.0.0.1': missing });
    const zone: Zone = {
      ipv4: {
        'mx1.a.example': { kind: 'nxdomain' },
        'mx2.a.example': { kind: 'failure', failure: 'timeout' },
        'mx3.a.example': { kind: 'answer', records: ['8.0.0.1'] },
      },
    };
    const names = ['mx1', 'mx2', 'mx3', 'mx4'].map(name => ({ name: `${name}.a.example` }));
    const { attempts } = await world.contact(names, zone);
    expect(kinds(attempts)).toEqual(['no_address', 'dns_failure', 'probed']);
  });

  test('that are slow to connect keep their chance while the next one is asked, and are let go by its answer', async () => {
    const never = new Promise<void>(() => undefined);
    const world = createWorld({ '8.0.0.3': missing }, 0, { '8.0.0.1': never, '8.0.0.2': never });
    const { attempts, complete } = await world.contact([
      hostAt('8.0.0.1'),
      hostAt('8.0.0.2'),
      hostAt('8.0.0.3'),
      hostAt('8.0.0.4'),
    ]);
    expect(kinds(attempts)).toEqual(['not_connected', 'not_connected', 'probed']);
    expect(complete).toBe(true);
    expect(world.dialsEnded).toEqual(['8.0.0.1', '8.0.0.2']);
    expect(world.contacted).toEqual(['8.0.0.1', '8.0.0.2', '8.0.0.3']);
  });

  test('that were slow to connect before do not hold up the next question', async () => {
    let dials = 0;
    const connector: SmtpConnector = {
      async connect(_address, _deadline, onSlow) {
        dials += 1;
        if (dials === 1) {
          onSlow?.();
        }
        return { kind: 'failure', failure: 'unreachable' };
      },
    };
    const { asker, close } = createProbePorts(connector, createStillClock());
    const question = {
      address: '8.0.0.1',
      serverName: undefined,
      provider: undefined,
      localPart: 'ada',
      domain: 'a.example',
      international: false,
      alone: false,
    };
    let told = 0;
    const ask = () =>
      asker.ask(question, amply(), () => {
        told += 1;
      });
    await ask();
    expect([told, dials]).toEqual([1, 1]);
    await ask();
    expect([told, dials]).toEqual([2, 2]);
    await close();
  });

  test('that are slow to connect answer after all where no other does', async () => {
    let connect = () => {};
    const late = new Promise<void>(resolve => {
      connect = resolve;
    });
    const world = createWorld({ '8.0.0.1': missing }, 0, { '8.0.0.1': late });
    const contacting = world.contact([hostAt('8.0.0.1'), hostAt('8.0.0.2')]);
    connect();
    const { attempts, complete } = await contacting;
    expect(attempts).toMatchObject([{ result: { recipient: 'missing' } }, { kind: 'not_connected' }]);
    expect(complete).toBe(true);
  });

  test('that are silent leave time for those that follow', async () => {
    const world = createWorld({}, 60_000);
    const { remainingMs } = await world.contact(
      [hostAt('8.0.0.1'), hostAt('8.0.0.2'), hostAt('8.0.0.3')],
      {},
      8_000,
    );
    expect(world.allowancesMs).toEqual([4_000, 2_000, 2_000]);
    expect(remainingMs).toBe(0);
  });
});

/** A session in which ada gets the first reply and, if she is accepted, the made-up recipient the second. */
function sessionWith(ofAda: string, ofMadeUp?: string): Script {
  const asked = (pattern: RegExp, reply: string): Script => [
    [/^MAIL/, '250 Ok'],
    [pattern, reply],
    [/^RSET/, '250 Ok'],
  ];
  return [
    [/^$/, '220 mx'],
    [/^EHLO/, '250 mx'],
    ...asked(ada, ofAda),
    ...(ofMadeUp === undefined ? [] : asked(/^RCPT TO:<letters@/, ofMadeUp)),
    [/^QUIT/, '221 Bye'],
  ];
}

/** A host that accepts the recipients of these commands and calls others unknown. */
function createHostWith(known: RegExp): SmtpConnection {
  const replies = ['220 mx'];
  return {
    localLiteral: '[192.0.2.9]',
    send(commands) {
      const isUnknown = (command: string) => command.startsWith('RCPT') && !known.test(command);
      replies.push(...commands.map(command => (isUnknown(command) ? unknownUser : '250 Ok')));
      return undefined;
    },
    async listen() {
      const reply = replies.shift() ?? '421 Bye';
      return { kind: 'reply', reply: readReply(Number(reply.slice(0, 3)), [reply.slice(4)]) };
    },
    startTls: async () => undefined,
    close: () => undefined,
  };
}

const unknownUser = '550 5.1.1 User unknown';
const knows = sessionWith('250 Ok', unknownUser);
const misses = sessionWith(unknownUser);
const takesAll = sessionWith('250 Ok', '250 Ok');
const full = sessionWith('452 4.2.2 Mailbox full');
const cannotTell = sessionWith('250 Ok', '554 Transaction failed');
const disables = sessionWith('550 5.2.1 Account disabled');
const greylisted = '451 4.7.1 Greylisted, please try again later';
const defers = sessionWith(greylisted, greylisted);
const greylists = sessionWith('250 Ok', greylisted);

describe('mail hosts of equal preference', () => {
  const names = ['mx1.a.example', 'mx2.a.example', 'mx.b.example'];
  const equal = (...indexes: readonly number[]): MailHost[] =>
    indexes.map(index => ({
      name: names[index] ?? '',
      preference: 10,
      addresses: [`8.0.0.${index + 1}`],
    }));

  async function verdictOf(world: ReturnType<typeof createWorld>, hosts: readonly MailHost[]) {
    const { attempts, complete } = await world.contact(hosts);
    const mailHosts = { kind: 'found', preferred: names[0] ?? '', hosts, hostsLeftOut: 0 } as const;
    const { result, reason } = decide({ mailHosts, attempts, complete });
    return `${result} ${reason}`;
  }

  test.each<readonly [string, Script, Script, string]>([
    ['agree on a mailbox', knows, knows, 'ok mailbox_exists'],
    ['agree that one is missing', misses, misses, 'invalid mailbox_missing'],
    ['call it missing and disabled', misses, disables, 'invalid mailbox_missing'],
    ['disagree on a mailbox', knows, misses, 'unknown probe_inconclusive'],
    ['miss a mailbox, and accept every recipient', misses, takesAll, 'catch_all catch_all'],
    ['know a mailbox, and accept every recipient', knows, takesAll, 'catch_all catch_all'],
    ['miss a mailbox, and call it full', misses, full, 'unknown mailbox_full'],
    ['know a mailbox, and call it full', knows, full, 'unknown mailbox_full'],
    ['miss a mailbox, and accept it without telling', misses, cannotTell, 'unknown probe_inconclusive'],
    ['miss a mailbox, and accept it behind a greylist', misses, greylists, 'unknown greylisted'],
    ['know a mailbox, and greylist it', knows, defers, 'ok mailbox_exists'],
    ['miss a mailbox, and greylist it', misses, defers, 'invalid mailbox_missing'],
  ])('that %s give the same verdict in either order', async (_name, one, other, verdict) => {
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const world = createWorld({ '8.0.0.1': one, '8.0.0.2': other });
      expect(await verdictOf(world, equal(...order))).toBe(verdict);
      expect(world.sessionsOpen()).toBe(0);
    }
  });

  test('are queried in addition to the first, at most two, and none of another preference', async () => {
    const world = createWorld({ '8.0.0.1': misses, '8.0.0.2': misses, '8.0.0.3': misses });
    const further = [
      { name: 'mx9.a.example', preference: 10, addresses: ['8.0.0.9'] },
      { name: 'mx8.a.example', preference: 20, addresses: ['8.0.0.8'] },
    ];
    await world.contact([...equal(0, 1, 2), ...further]);
    expect(world.contacted).toEqual(['8.0.0.1', '8.0.0.2', '8.0.0.3']);
    const lone = createWorld({ '8.0.0.1': misses });
    await lone.contact([...equal(0), ...further.slice(1)]);
    expect(lone.contacted).toEqual(['8.0.0.1']);
  });

  test('of one provider, or at one address, count as one', async () => {
    const world = createWorld({ '8.0.0.1': misses });
    await world.contact([
      { name: 'mxa-1.gslb.pphosted.com', preference: 10, addresses: ['8.0.0.1'] },
      { name: 'mxb-1.gslb.pphosted.com', preference: 10, addresses: ['8.0.0.2'] },
      { name: 'mx.b.example', preference: 10, addresses: ['8.0.0.1'] },
    ]);
    expect(world.contacted).toEqual(['8.0.0.1']);
  });

  test('leave an answer alone where they give none, and get five seconds for it', async () => {
    const world = createWorld({ '8.0.0.1': misses }, 60_000);
    expect(await verdictOf(world, equal(0, 1))).toBe('invalid mailbox_missing');
    expect(world.allowancesMs[1]).toBe(5_000);
  });

  test('of which the first gives none are not asked to get around it', async () => {
    const blocks = sessionWith('554 5.7.1 Client host blocked using zen.spamhaus.org');
    const world = createWorld({ '8.0.0.1': blocks, '8.0.0.2': misses });
    expect(await verdictOf(world, equal(0, 1))).toBe('unknown blocked');
    expect(world.contacted).toEqual(['8.0.0.1']);
  });
});

describe('the addresses of a mail host', () => {
  test.each<readonly [string, readonly [Script, Script], string, string]>([
    ['the next one knows the mailbox', [misses, knows], 'unknown probe_inconclusive', 'mx.a.example'],
    ['the next one misses it too', [misses, misses], 'invalid mailbox_missing', 'mx.a.example'],
    ['the next one accepts every recipient', [misses, takesAll], 'catch_all catch_all', 'mx.a.example'],
    ['the next one has no time', [misses, busy], 'invalid mailbox_missing', 'mx.a.example'],
    ['it is disabled there', [disables, knows], 'unknown probe_inconclusive', 'mx.a.example'],
  ])('may belong to a stray machine: %s', async (_name, [first, second], verdict, name) => {
    for (let repetition = 0; repetition < 4; repetition += 1) {
      const world = createWorld({ '8.0.0.1': first, '8.0.0.2': second, '8.0.0.3': knows });
      const hosts = [{ name, preference: 10, addresses: ['8.0.0.1', '8.0.0.2'] }];
      const { attempts, complete } = await world.contact(hosts);
      const mailHosts = { kind: 'found', preferred: name, hosts, hostsLeftOut: 0 } as const;
      const { result, reason } = decide({ mailHosts, attempts, complete });
      expect(`${result} ${reason}`).toBe(verdict);
      expect(world.contacted).toEqual(['8.0.0.1', '8.0.0.2']);
      expect(world.sessionsOpen()).toBe(0);
    }
  });

  test('are believed if the first one has the mailbox, the provider is known, or only one is of IPv4', async () => {
    for (const [name, first, second] of [
      ['mx.a.example', knows, '8.0.0.2'],
      ['aspmx.l.google.com', misses, '8.0.0.2'],
      ['mx.a.example', misses, '2606:4700::2'],
    ] as const) {
      const addresses = ['8.0.0.1', second];
      const world = createWorld({ '8.0.0.1': first, '8.0.0.2': misses });
      await world.contact([{ name, preference: 10, addresses }]);
      expect(world.contacted).toEqual(['8.0.0.1']);
    }
  });

  test('are not doubted after the first one has accepted a recipient of the domain', async () => {
    const clock = createStillClock();
    const connection = () => createHostWith(/^RCPT TO:<bob@a\.example>/);
    const probing = createProbePorts(
      { connect: async () => ({ kind: 'connected', connection: connection() }) },
      clock,
    );
    const ports = { ...probing, clock, dns: createFakeDns({}), guard: createAddressGuard([]) };
    const hosts = [{ name: 'mx.a.example', preference: 10, addresses: ['8.0.0.1', '8.0.0.2'] }];
    const asked: unknown[] = [];
    for (const address of ['ada@a.example', 'bob@a.example', 'eve@a.example', 'dan@b.example']) {
      const task = { email: emailOf(address), madeUp };
      const { attempts } = await contactHosts(ports, hosts, task, amply());
      asked.push([address, ...attempts.map(attempt => ('address' in attempt ? attempt.address : ''))]);
    }
    await probing.close();
    expect(asked).toEqual([
      ['ada@a.example', '8.0.0.1', '8.0.0.2'],
      ['bob@a.example', '8.0.0.1'],
      ['eve@a.example', '8.0.0.1'],
      ['dan@b.example', '8.0.0.1', '8.0.0.2'],
    ]);
  });

  test('are tried in one order for a domain, however DNS lists them', async () => {
    const orders = await Promise.all(
      [
        ['8.0.0.1', '8.0.0.2', '8.0.0.3'],
        ['8.0.0.3', '8.0.0.1', '8.0.0.2'],
      ].map(async records => {
        const world = createWorld({});
        await world.contact([{ name: 'mx.a.example' }], {
          ipv4: { 'mx.a.example': { kind: 'answer', records } },
        });
        return world.contacted;
      }),
    );
    expect(orders[0]).toHaveLength(3);
    expect(orders[1]).toEqual(orders[0]);
  });
});
