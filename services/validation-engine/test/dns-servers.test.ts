import { networkInterfaces } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type DecodedPacket, TRUNCATED_RESPONSE } from 'dns-packet';
import { readNameServer } from '../src/adapters/dns/ask-servers.ts';
import { createDnsClient } from '../src/adapters/dns/create-dns.ts';
import { deadlineAfter } from '../src/domain/concurrency/deadline.ts';
import { until } from './engine-in-lab.ts';
import {
  alias,
  answerTo,
  mx,
  type NameServerScript,
  type ScriptedNameServer,
  startNameServer,
  withLength,
} from './scripted-name-server.ts';

const clock = { nowMs: () => performance.now() };
const truth = { kind: 'answer', records: [{ preference: 5, exchange: 'mx.a.example' }], ttlSeconds: 60 };
const malformed = { kind: 'failure', failure: 'malformed' };
const timedOut = { kind: 'failure', failure: 'timeout' };
const [formErr, servFail, notImp, refused] = [1, 2, 4, 5];

const running: ScriptedNameServer[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map(server => server.close()));
});

async function start(script: NameServerScript, address?: string): Promise<ScriptedNameServer> {
  const server = await startNameServer(script, address);
  running.push(server);
  return server;
}

function ask(
  servers: readonly { readonly server: string }[],
  timeoutMs = 20_000,
  { name = 'a.example', signal = new AbortController().signal } = {},
) {
  const client = createDnsClient(() => servers.map(({ server }) => readNameServer(server)), clock);
  return client.lookUp(name, 'MX', deadlineAfter(clock, timeoutMs, signal));
}

function honest(query: DecodedPacket): readonly Buffer[] {
  return [answerTo(query, [mx(5, 'mx.a.example')])];
}

function saying(code: number): NameServerScript {
  return { datagrams: query => [answerTo(query, [], code)] };
}

/** Asks for TCP, and handles the connection with `stream`. */
function overTcp(stream: NonNullable<NameServerScript['stream']>): NameServerScript {
  return { datagrams: query => [answerTo(query, [], TRUNCATED_RESPONSE)], stream };
}

/** The process's open sockets; earlier tests in it may have left some that are about to close. */
const open = () => process.getActiveResourcesInfo().filter(resource => /UDPWrap|TCPSocket/.test(resource));
const openBefore = open().length;

/** Waits until these tests have no open sockets except the servers' own. */
function allClosed(): Promise<void> {
  return until(() => open().length <= running.length + openBefore);
}

describe('over UDP', () => {
  test('forged and broken datagrams are passed over until the answer comes, and repetitions after it', async () => {
    const lie = mx(1, 'mx.forger.example');
    const server = await start({
      datagrams: query => [
        answerTo({ ...query, id: ((query.id ?? 0) + 1) & 0xffff }, [lie]),
        answerTo({ ...query, questions: [{ name: 'b.example', type: 'MX' }] }, [lie]),
        answerTo({ ...query, questions: [{ name: 'a.example', type: 'A' }] }, [lie]),
        answerTo(query, [lie]).subarray(0, -3),
        Buffer.alloc(0),
        Buffer.alloc(5_000, 0xc0),
        ...Array.from({ length: 50 }, (_, index) => Buffer.alloc(index * 7, index)),
        ...honest(query),
        ...honest(query),
        answerTo(query, [lie]),
      ],
    });
    expect(await ask([server])).toEqual(truth);
  });

  test('a server that always sends malformed responses is distinguished from a silent one', async () => {
    const broken = await start({ datagrams: query => [answerTo(query, [mx(5, 'mx')]).subarray(0, -3)] });
    // Long enough for the broken answer to arrive.
    expect(await ask([broken], 3_000)).toEqual(malformed);
    const silent = await start({});
    expect(await ask([silent], 300)).toEqual(timedOut);
  });

  test('every query has its own identifier and port, and offers 1,232 octets', async () => {
    const server = await start({ datagrams: honest });
    await Promise.all(Array.from({ length: 20 }, () => ask([server])));
    const identifiers = new Set(server.queries.map(({ id }) => id));
    expect([identifiers.size > 15, new Set(server.ports).size > 15]).toEqual([true, true]);
    expect(server.queries[0]).toMatchObject({ flag_rd: true, additionals: [{ udpPayloadSize: 1_232 }] });
  });

  test.each([
    ['FORMERR', formErr],
    ['NOTIMP', notImp],
  ])('a server that says %s to EDNS is asked without it', async (_name, code) => {
    const server = await start({
      datagrams: query => (query.additionals?.length ? [answerTo(query, [], code)] : honest(query)),
    });
    expect(await ask([server])).toEqual(truth);
    expect(server.queries).toHaveLength(2);
  });

  test.each([
    ['FORMERR', formErr, 'malformed'],
    ['NOTIMP', notImp, 'refused'],
  ])('a server that says %s in any case has failed', async (_name, code, failure) => {
    expect(await ask([await start(saying(code))])).toEqual({ kind: 'failure', failure });
  });

  test('a server of IPv6 is asked', async () => {
    const hasIpv6 = Object.values(networkInterfaces()).some(each =>
      each?.some(({ address }) => address === '::1'),
    );
    const server = hasIpv6 ? await start({ datagrams: honest }, '::1') : { server: '[::1]:9' };
    expect(await ask([server])).toEqual(hasIpv6 ? truth : { kind: 'failure', failure: 'refused' });
  });
});

describe('of several servers', () => {
  test.each([
    ['SERVFAIL', servFail],
    ['REFUSED', refused],
    ['FORMERR', formErr],
    ['NOTAUTH', 9],
  ])('the next is asked after %s, and the first no more', async (_name, code) => {
    const failing = await start(saying(code));
    expect(await ask([failing, await start({ datagrams: honest })])).toEqual(truth);
    expect(failing.queries.length).toBeLessThanOrEqual(2);
  });

  test('the next is asked if the first does not listen', async () => {
    const gone = await startNameServer({});
    await gone.close();
    expect(await ask([gone, await start({ datagrams: honest })])).toEqual(truth);
    expect(await ask([gone])).toEqual({ kind: 'failure', failure: 'refused' });
  });

  test('the next is asked after two seconds of silence', async () => {
    const [silent, second] = [await start({}), await start({ datagrams: honest })];
    const startedAtMs = performance.now();
    expect(await ask([silent, second], 8_000)).toEqual(truth);
    expect(performance.now() - startedAtMs).toBeGreaterThan(1_900);
    expect([silent.queries.length, second.queries.length]).toEqual([1, 1]);
  });

  test('only the first is asked while it answers, with a "no" as well', async () => {
    const [missing, second] = [await start(saying(3)), await start({ datagrams: honest })];
    expect(await ask([missing, second])).toEqual({ kind: 'nxdomain', ttlSeconds: 5 });
    expect(second.queries).toHaveLength(0);
  });

  test('what one said outweighs the silence of the others', async () => {
    expect(await ask([await start(saying(servFail)), await start({})], 3_000)).toEqual({
      kind: 'failure',
      failure: 'servfail',
    });
  });

  test('a silent one is asked again, since datagrams get lost', async () => {
    let heard = 0;
    const forgetful = await start({
      datagrams: query => {
        heard += 1;
        return heard === 1 ? [] : honest(query);
      },
    });
    expect(await ask([forgetful])).toEqual(truth);
  });
});

describe('over TCP', () => {
  test('a list too long for UDP is read to its end, where the best host may be', async () => {
    const answers = Array.from({ length: 300 }, (_, index) => mx(300 - index, `mx${index}.a.example`));
    const server = await start(overTcp((query, socket) => socket.end(withLength(answerTo(query, answers)))));
    const answer = await ask([server]);
    expect(answer.kind === 'answer' && answer.records).toHaveLength(300);
    expect(answer.kind === 'answer' && answer.records.at(-1)).toEqual({
      preference: 1,
      exchange: 'mx299.a.example',
    });
  });

  test('an answer is put together from its pieces', async () => {
    const server = await start(
      overTcp(async (query, socket) => {
        socket.setNoDelay(true);
        for (const octet of withLength(answerTo(query, [mx(5, 'mx.a.example')]))) {
          socket.write(Buffer.of(octet));
          await setImmediate();
        }
      }),
    );
    expect(await ask([server])).toEqual(truth);
    await until(() => server.connectionsOpen() === 0);
  });

  test.each<[string, NonNullable<NameServerScript['stream']>]>([
    ['closes', (_query, socket) => socket.destroy()],
    ['closes within the answer', (_query, socket) => socket.end(Buffer.of(1, 0, 7))],
    [
      'answers something else',
      (query, socket) =>
        socket.end(withLength(answerTo({ ...query, questions: [{ name: 'b', type: 'MX' }] }, []))),
    ],
    ['sends an empty message', (_query, socket) => socket.end(Buffer.of(0, 0))],
    ['truncates again', (query, socket) => socket.end(withLength(answerTo(query, [], TRUNCATED_RESPONSE)))],
  ])('a server that %s gave no answer', async (_name, stream) => {
    expect(await ask([await start(overTcp(stream))])).toEqual(malformed);
  });

  test('an answer that never ends is cut off', async () => {
    const server = await start(overTcp((_query, socket) => socket.write(Buffer.of(0xff, 0xff, 1, 2))));
    expect(await ask([server], 300)).toEqual(timedOut);
    await until(() => server.connectionsOpen() === 0);
  });
});

describe('aliases', () => {
  const chain: Record<string, string> = { 'a.example': 'b.example', 'b.example': 'c.example' };

  function following(targets: Record<string, string>): NameServerScript {
    return {
      datagrams: query => {
        const name = query.questions?.[0]?.name ?? '';
        const target = targets[name];
        return [answerTo(query, [target === undefined ? mx(5, 'mx.a.example', name) : alias(name, target)])];
      },
    };
  }

  test('are asked about one by one where the server follows none', async () => {
    const server = await start(following(chain));
    expect(await ask([server])).toEqual(truth);
    expect(server.queries.map(({ questions }) => questions?.[0]?.name)).toEqual([
      'a.example',
      'b.example',
      'c.example',
    ]);
  });

  test.each([
    ['a circle', { ...chain, 'c.example': 'A.example' }],
    ['a name that cannot be asked about', { 'a.example': 'not a name.example' }],
    [
      'a chain without end',
      new Proxy<Record<string, string>>({}, { get: (_targets, name) => `x.${String(name)}` }),
    ],
  ])('that lead into %s are malformed', async (_name, targets) => {
    const server = await start(following(targets));
    expect(await ask([server])).toEqual(malformed);
    expect(server.queries.length).toBeLessThanOrEqual(9);
  });
});

describe('nothing is left open', () => {
  test('when the asker goes away', async () => {
    const silent = await start({});
    const stuck = await start(overTcp(() => undefined));
    const leaver = new AbortController();
    const answers = [
      ask([silent], 60_000, { signal: leaver.signal }),
      ask([stuck], 60_000, { signal: leaver.signal }),
    ];
    await until(() => silent.queries.length >= 1 && stuck.queries.length >= 2);
    leaver.abort();
    expect(await Promise.all(answers)).toEqual([timedOut, timedOut]);
    await allClosed();
  });

  test('when the asker goes away before anything was sent', async () => {
    const silent = await start({});
    const leaver = new AbortController();
    const answer = ask([silent], 60_000, { signal: leaver.signal });
    leaver.abort();
    expect(await answer).toEqual(timedOut);
    await allClosed();
  });

  test('after a thousand questions', async () => {
    const server = await start({ datagrams: honest });
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(Array.from({ length: 100 }, () => ask([server])));
    }
    await allClosed();
  });
});

test('without time, and about what is no name, no server is asked', async () => {
  const server = await start({ datagrams: honest });
  expect(await ask([server], 0)).toEqual(timedOut);
  expect(await ask([server], 1_000, { name: 'a..example' })).toEqual(malformed);
  expect(server.queries).toHaveLength(0);
});
