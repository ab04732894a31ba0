import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from '@jest/globals';
import { deadlineAfter } from '../src/domain/concurrency/deadline.ts';
import { createComparisons } from '../src/domain/smtp/comparison.ts';
import { createLocalComparisonMemory } from '../src/domain/smtp/local-comparison-memory.ts';
import { probeRecipient } from '../src/domain/smtp/probe-recipient.ts';
import { emailOf } from '../src/domain/testing/fakes.ts';
import { decideByProbe } from '../src/domain/verdict/decide.ts';
import {
  ask,
  clock,
  closeAll,
  findingOf,
  findingsOf,
  type Manner,
  orderly,
  passTime,
  poolAt,
  serve,
  type Visit,
} from './unruly-host.ts';

afterEach(closeAll);

describe('a host with which no session comes about', () => {
  test.each([
    ['says more than it was asked', '250 And another thing', 'garbled'],
    ['hangs up after its introduction', '421 4.3.2 Busy', 'temporary'],
  ])('since it %s is left after one connection', async (_name, addition, finding) => {
    const host = await serve(line =>
      line.startsWith('EHLO') ? `${orderly(line)}\r\n${addition}` : orderly(line),
    );
    expect(await findingsOf(poolAt(host), ['here1', 'here2'])).toEqual([
      `here1 ${finding}`,
      `here2 ${finding}`,
    ]);
    expect(host.visits).toHaveLength(1);
  });
});

const company = ['here1', 'nobody2', 'here3', 'nobody4', 'here5'];
const truth = company.map(name => `${name} ${name.startsWith('here') ? 'accepted' : 'missing'}`);

describe('a host that mixes its answers up when lines come together', () => {
  const named = (line: string) => {
    const [recipient] = /<.+@.+>/.exec(line) ?? [];
    return recipient === undefined || line.startsWith('MAIL')
      ? orderly(line)
      : orderly(line).replace('Recipient', recipient);
  };

  test.each<readonly [string, (line: string, visit: Visit, held: string[]) => string | undefined]>([
    [
      'says one thing too many',
      (line, visit) =>
        visit.recipients === 2 && line.startsWith('RCPT') ? `250 Wait\r\n${named(line)}` : named(line),
    ],
    [
      'says one thing too few',
      (line, visit) => (visit.recipients === 2 && line.startsWith('RCPT') ? undefined : named(line)),
    ],
    [
      'answers the second before the first',
      (line, visit, held) => {
        if (visit.recipients === 1 && line.startsWith('RCPT')) {
          held.push(named(line));
          return undefined;
        }
        return [named(line), ...held.splice(0)].join('\r\n');
      },
    ],
  ])('since it %s is asked one thing at a time', async (_name, mixUp) => {
    const held: string[] = [];
    const host = await serve((line, visit) => (visit.isHurried ? mixUp(line, visit, held) : named(line)));
    const pool = poolAt(host);
    const answers = await Promise.all(company.map(name => ask(pool, name)));
    expect(answers.map((answer, index) => `${company[index]} ${findingOf(answer)}`)).toEqual(truth);
    for (const [index, answer] of answers.entries()) {
      const shown = JSON.stringify(answer).match(/(?:here|nobody)\d(?=@)/g);
      expect(new Set(shown)).toEqual(new Set([company[index]]));
    }
  });
});

describe('a host that answers MAIL twice from its second transaction on, and is late with RSET', () => {
  test('is not believed, since its answers do not bear their words', async () => {
    const saying = new Map<Visit, Promise<unknown>>();
    const host = await serve((line, visit) => {
      const isTwice = visit.isHurried && line.startsWith('MAIL') && visit.transactions > 1;
      const said = isTwice ? `250 Well\r\n${orderly(line)}` : orderly(line);
      const before = saying.get(visit) ?? Promise.resolve();
      saying.set(
        visit,
        before
          .then(() => sleep(line === 'RSET' ? 200 : 0))
          .then(() => visit.socket.writable && visit.socket.write(`${said}\r\n`)),
      );
      return undefined;
    });
    const pool = poolAt(host);
    for (const [name, finding] of [
      ['here1', 'accepted'],
      ['here2', 'accepted'],
      ['nobody3', 'missing'],
    ] as const) {
      expect(findingOf(await ask(pool, name))).toBe(finding);
    }
  });
});

describe('a host that announces PIPELINING and loses what comes together', () => {
  /** Half of this is the patience with such a host. */
  const timeoutMs = 3_000;

  test.each<readonly [string, (line: string, visit: Visit) => string | undefined]>([
    ['answers the first line only', line => (line.startsWith('MAIL') ? orderly(line) : undefined)],
    ['answers all but recipients', line => (line.startsWith('RCPT') ? undefined : orderly(line))],
    ['answers nothing', () => undefined],
    ['hangs up', (_line, { socket }) => void socket.destroy()],
    ['answers the first line and hangs up', (line, { socket }) => void socket.end(`${orderly(line)}\r\n`)],
  ])('and %s is asked one thing at a time, in the same answer and later', async (_name, lose) => {
    let hurries = 0;
    const host = await serve((line, visit) => {
      hurries += visit.isHurried && line.startsWith('MAIL') ? 1 : 0;
      return visit.isHurried ? lose(line, visit) : orderly(line);
    });
    const pool = poolAt(host);
    expect(findingOf(await ask(pool, 'here1', 'd.example', timeoutMs))).toBe('accepted');
    for (const { socket } of host.visits) {
      socket.destroy();
    }
    expect(findingOf(await ask(pool, 'nobody2', 'd.example', timeoutMs))).toBe('missing');
    expect(findingOf(await ask(pool, 'here3', 'd.example', timeoutMs))).toBe('accepted');
    expect(hurries).toBe(1);
  });

  test('is not one that hangs up on single lines as well', async () => {
    let hurries = 0;
    const host = await serve((line, visit) => {
      hurries += visit.isHurried && line.startsWith('MAIL') ? 1 : 0;
      return line.startsWith('RCPT') ? void visit.socket.destroy() : orderly(line);
    });
    const pool = poolAt(host);
    expect(findingOf(await ask(pool, 'here1'))).toBe('closed');
    expect(findingOf(await ask(pool, 'here2'))).toBe('closed');
    expect(hurries).toBe(2);
  });
});

describe('a host that accepts a recipient by the name of another with the same mailbox', () => {
  test('is believed, in one session', async () => {
    const accepted = new Map<Visit, string>();
    const host = await serve((line, visit) => {
      const said = orderly(line);
      const [recipient] = /(?<=^RCPT TO:)<.+>/.exec(line) ?? [];
      if (recipient === undefined) {
        accepted.delete(visit);
        return said;
      }
      const mailbox = accepted.get(visit) ?? recipient;
      if (said.startsWith('250')) {
        accepted.set(visit, mailbox);
      }
      return said.replace('Recipient', said.startsWith('250') ? mailbox : recipient);
    });
    expect(await findingsOf(poolAt(host), company)).toEqual(truth);
    expect(host.visits).toHaveLength(1);
  });
});

describe('what a host taught', () => {
  test('is forgotten after an hour', async () => {
    let hurries = 0;
    const host = await serve((line, visit) => {
      hurries += visit.isHurried && line.startsWith('MAIL') ? 1 : 0;
      return visit.isHurried && hurries === 1 && line === 'RSET' ? '550 5.1.1 unknown' : orderly(line);
    });
    const pool = poolAt(host);
    for (const [passedMs, expected] of [
      [0, 1],
      [0, 1],
      // An unknown host is asked about three recipients first, and then about the others.
      [3_600_000, 3],
    ] as const) {
      passTime(passedMs);
      expect(await findingsOf(pool, company)).toEqual(truth);
      expect(hurries).toBe(expected);
      // Learning and forgetting affects only later sessions.
      await Promise.all(host.visits.map(({ socket }) => socket.closed || once(socket, 'close')));
    }
  });
});

describe('a host that takes its time over each recipient', () => {
  test('is asked about three at first, and about fewer in the next session', async () => {
    const flights: number[] = [];
    const host = await serve(line => {
      if (line.startsWith('MAIL')) {
        flights.push(0);
      } else if (line.startsWith('RCPT')) {
        passTime(4_000);
        flights.push((flights.pop() ?? 0) + 1);
      }
      return orderly(line);
    });
    const pool = poolAt(host);
    const firstFlights: (number | undefined)[] = [];
    for (const names of [
      ['nobody1', 'nobody2', 'here3', 'nobody4'],
      ['nobody5', 'here6', 'nobody7'],
    ]) {
      expect(await findingsOf(pool, names)).toEqual(
        names.map(name => `${name} ${name.startsWith('here') ? 'accepted' : 'missing'}`),
      );
      firstFlights.push(flights.splice(0)[0]);
      await Promise.all(host.visits.map(({ socket }) => socket.closed || once(socket, 'close')));
    }
    expect(firstFlights[0]).toBe(3);
    expect(firstFlights[1]).toBeLessThan(3);
  });
});

describe('a pool of sessions', () => {
  test('calls no host unreachable that falls silent in the middle', async () => {
    const host = await serve(line => (line.startsWith('RCPT') ? undefined : orderly(line)));
    const pool = poolAt(host);
    const answers = await Promise.all(['here1', 'here2'].map(name => ask(pool, name, 'd.example', 3_000)));
    expect(answers.map(findingOf)).toEqual(['timeout', 'timeout']);
  });

  test('tries a host again when one connection keeps silent, for all who wait', async () => {
    const silent = new Set<Visit>();
    const host = await serve((line, visit) => {
      if (line === '' && silent.size === 0) {
        silent.add(visit);
      }
      return silent.has(visit) ? undefined : orderly(line);
    });
    expect(await findingsOf(poolAt(host), company)).toEqual(truth);
    expect(host.visits).toHaveLength(2);
  });

  test('is closed when every question has an answer, in later sessions too', async () => {
    const host = await serve((line, { socket, recipients }) =>
      line.startsWith('RCPT') && recipients > 2 ? void socket.end() : orderly(line),
    );
    const pool = poolAt(host);
    let answered = 0;
    const all = Array.from({ length: 12 }, (_, index) =>
      ask(pool, `here${index}`).then(() => {
        answered += 1;
      }),
    );
    await pool.close();
    expect(answered).toBe(12);
    await Promise.all(all);
  });
});

describe('a host that accepts every recipient after the first that it accepts in a transaction', () => {
  test('makes no mailbox exist, and is not taken for a catch-all', async () => {
    const accepting = new Set<Visit>();
    const host = await serve((line, visit) => {
      if (line.startsWith('RCPT') && accepting.has(visit)) {
        return '250 2.1.5 Recipient ok';
      }
      const said = orderly(line);
      if (line.startsWith('RCPT') && said.startsWith('250')) {
        accepting.add(visit);
      } else if (line === 'RSET') {
        accepting.delete(visit);
      }
      return said;
    });
    const asker = poolAt(host);
    const memory = createLocalComparisonMemory(clock);
    const onStoreFailed = (error: unknown) => {
      throw error;
    };
    const comparisons = createComparisons(
      { asker, memory, clock, nowMs: Date.now, onStoreFailed },
      { conclusiveMs: 60_000, inconclusiveMs: 0 },
    );
    const madeUp = [
      { shape: 'alike', localPart: 'qwertz' },
      { shape: 'random', localPart: 'anna.17' },
    ] as const;
    const verdicts = await Promise.all(
      company.map(async name => {
        const plan = { madeUp, host: 'mx.d.example', address: '127.0.0.1', provider: undefined };
        const probe = await probeRecipient(
          { asker, comparisons, clock },
          { ...plan, email: emailOf(`${name}@d.example`), oneRecipientPerTransaction: false },
          deadlineAfter(clock, 60_000, new AbortController().signal),
        );
        return `${name} ${probe.kind === 'probed' ? decideByProbe(probe.result).result : probe.failure}`;
      }),
    );
    expect(verdicts).toEqual(company.map(name => `${name} ${name.startsWith('here') ? 'ok' : 'invalid'}`));
  });
});

describe('a host that becomes angry over refusals', () => {
  test('and then refuses every recipient for no reason is not taken for one that knows its recipients', async () => {
    const refused = new Map<Visit, number>();
    const host = await serve((line, visit) => {
      const refusals = refused.get(visit) ?? 0;
      if (line.startsWith('RCPT') && refusals >= 4) {
        return '550 Rejected';
      }
      // Accepts every recipient at one of its domains.
      const said = line.startsWith('RCPT') && line.includes('@all.example') ? '250 Ok' : orderly(line);
      refused.set(visit, refusals + (said.startsWith('550') ? 1 : 0));
      return said;
    });
    const pool = poolAt(host);
    await findingsOf(pool, ['nobody1', 'nobody2', 'nobody3', 'here1', 'nobody4']);
    const madeUp = await findingsOf(pool, ['qwertz@all.example', 'anna.17@all.example']);
    expect(madeUp).toContain('qwertz@all.example accepted');
  });
});

describe('a host that starts to refuse us midway', () => {
  test.each<readonly [string, string, (visit: Visit) => string | undefined]>([
    ['blocks us', 'blocked', () => '550 5.7.1 Client host blocked using zen.spamhaus.org'],
    ['hangs up', 'closed', ({ socket }) => void socket.destroy()],
    ['takes leave', 'temporary', ({ socket }) => void socket.end('421 4.7.0 Enough\r\n')],
  ])('and %s is not visited again for each recipient', async (_name, finding, refuse) => {
    for (const [sessionsAtOnce, visitsMax] of [
      // One session with an answer, and six consecutive ones without.
      [1, 7],
      // Five sessions with an answer and six without. Each of the others may open while the sixth is still ending, and
      // an answer that is read late restarts the count.
      [5, 20],
    ] as const) {
      let asked = 0;
      const host = await serve((line, visit) => {
        asked += line.startsWith('RCPT') ? 1 : 0;
        return line.startsWith('RCPT') && asked > 5 ? refuse(visit) : orderly(line);
      });
      const names = Array.from({ length: 40 }, (_, index) => `here${index}`);
      const found = await findingsOf(poolAt(host, sessionsAtOnce), names);
      expect(new Set(found.map(name => name.replace(/^here\d+ /, '')))).toEqual(
        new Set(['accepted', finding]),
      );
      expect(host.visits.length).toBeLessThanOrEqual(visitsMax);
    }
  });
});

describe('a host that ends its sessions early', () => {
  test.each<readonly [string, Manner]>([
    [
      'takes one transaction in each',
      (line, visit) =>
        line.startsWith('MAIL') && visit.transactions > 1 ? '452 4.5.3 Enough' : orderly(line),
    ],
    [
      'hangs up on the second transaction',
      (line, visit) => {
        if (line.startsWith('MAIL') && visit.transactions > 1) {
          visit.socket.end();
          return undefined;
        }
        return orderly(line);
      },
    ],
  ])('and %s answers about all domains in the end', async (_name, manner) => {
    const recipients = Array.from({ length: 12 }, (_, index) => `here1@d${index}.example`);
    const host = await serve(manner);
    expect(await findingsOf(poolAt(host), recipients)).toEqual(recipients.map(name => `${name} accepted`));
    // On a busy machine, a session opened for a question that waits can find it answered.
    expect(host.visits.filter(visit => visit.recipients > 0).length).toBeLessThanOrEqual(recipients.length);
  });

  test('and hangs up on some recipients answers about the others', async () => {
    const host = await serve((line, visit) => {
      if (line.includes('bad')) {
        visit.socket.destroy();
        return undefined;
      }
      return orderly(line);
    });
    const pool = poolAt(host);
    const bad = Array.from({ length: 8 }, (_, index) => `bad${index}`);
    const found = await findingsOf(
      pool,
      bad.flatMap((name, index) => [name, `here${index}`, `nobody${index}`]),
    );
    expect(found.filter(name => name.startsWith('bad')).sort()).toEqual(bad.map(name => `${name} closed`));
    expect(
      new Set(found.filter(name => !name.startsWith('bad')).map(name => name.replace(/\d/, ''))),
    ).toEqual(new Set(['here accepted', 'nobody missing']));
  });
});
