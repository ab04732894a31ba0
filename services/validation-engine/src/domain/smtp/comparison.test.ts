import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import {
  acceptsAll,
  alikeFor,
  hostThat,
  knows,
  randomOne,
  roundTripMs,
  type Says,
  settled,
} from '../testing/compared-host.ts';
import { shuffledList } from '../testing/fakes.ts';
import type { Finding } from './conversation.ts';
import { type Reply, readReply } from './reply.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A host that knows its recipients, with a comparison remembered from `here1`. */
async function rememberedHost() {
  const host = hostThat(knows);
  const [first] = await settled(host.verdictOn('here1'));
  expect(first?.verdict).toBe('ok mailbox_exists');
  expect(host.asked.splice(0)).toEqual(['here1', alikeFor('here1')[0], 'here1', randomOne, 'here1', 'here1']);
  return host;
}

describe('an acceptance by a host whose comparison is remembered', () => {
  test('counts once a made-up recipient has been refused after it, and shows that', async () => {
    const host = await rememberedHost();
    const [second] = await settled(host.verdictOn('here2'));
    const [cover] = alikeFor('here2');
    expect(second).toMatchObject({ verdict: 'ok mailbox_exists', shown: ['here2', 'here2', cover] });
    expect(second?.comparedMsAgo).toBeGreaterThan(0);
    expect(host.asked).toEqual(['here2', cover, 'here2', 'here2']);
  });

  test('does not count if the host is now a catch-all, and the memory is forgotten', async () => {
    const host = await rememberedHost();
    host.says = acceptsAll;
    const [ghost] = await settled(host.verdictOn('ghost1'));
    expect(ghost).toMatchObject({ verdict: 'catch_all catch_all', comparedMsAgo: 0 });
    const [next] = await settled(host.verdictOn('here2'));
    expect(next?.verdict).toBe('catch_all catch_all');
    const known = await host.memory.recall('a.example', 'mx.a.example');
    expect(new Set(known?.madeUp.map(({ finding }) => finding))).toEqual(new Set(['accepted']));
  });

  test('is judged again with all others that waited for the same made-up recipient', async () => {
    const host = await rememberedHost();
    host.says = acceptsAll;
    const ghosts = Array.from({ length: 5 }, (_, index) => host.verdictOn(`ghost${index}`));
    const verdicts = (await settled(...ghosts)).map(({ verdict }) => verdict);
    expect(new Set(verdicts)).toEqual(new Set(['catch_all catch_all']));
    // Five, all draws of one form and the five twice again, and the new comparison, which asks about one three more
    // times.
    expect(host.asked).toHaveLength(5 + 4 + 2 * 5 + 2 + 3);
  });

  test('does not count where the host turns between the acceptance and the made-up recipient', async () => {
    const host = await rememberedHost();
    const ghost = host.verdictOn('ghost1');
    host.says = localPart => (localPart === 'ghost1' || host.asked.length > 1 ? 'accepted' : 'missing');
    expect((await settled(ghost))[0]?.verdict).toBe('catch_all catch_all');
  });

  test.each<readonly [Finding, string]>([
    ['greylisted', 'unknown greylisted'],
    ['temporary', 'unknown probe_inconclusive'],
    ['timeout', 'unknown probe_inconclusive'],
    ['blocked', 'unknown probe_inconclusive'],
  ])('does not count where the made-up recipient is %s', async (finding, verdict) => {
    const host = await rememberedHost();
    host.says = localPart => (localPart.startsWith('here') ? 'accepted' : finding);
    expect((await settled(host.verdictOn('here2')))[0]?.verdict).toBe(verdict);
  });

  test('does not count if the host then refuses the same recipient, and the memory is forgotten', async () => {
    const host = await rememberedHost();
    host.says = name => (host.asked.length === 1 ? 'accepted' : knows(name));
    expect((await settled(host.verdictOn('ghost1')))[0]?.verdict).toBe('unknown probe_inconclusive');
    expect(await host.memory.recall('a.example', 'mx.a.example')).toBeUndefined();
  });

  test('does not count if the host takes it back where no remembered reply called a mailbox missing', async () => {
    const host = hostThat(name => (knows(name) === 'accepted' ? 'accepted' : 'missing_for_now'));
    expect((await settled(host.verdictOn('here1')))[0]?.verdict).toBe('ok mailbox_exists');
    host.asked.splice(0);
    host.says = name => (host.asked.length === 1 ? 'accepted' : knows(name));
    expect((await settled(host.verdictOn('ghost1')))[0]?.verdict).toBe('unknown probe_inconclusive');
    expect(host.asked.filter(name => name === 'ghost1').length).toBeGreaterThan(1);
  });

  test('does not count where there is no time left to ask', async () => {
    const host = await rememberedHost();
    const [late] = await settled(host.verdictOn('here2', 1.5 * roundTripMs));
    expect(late).toMatchObject({ verdict: 'unknown probe_inconclusive', compared: [{ finding: 'timeout' }] });
  });

  test('shows no failed question where the host contradicts itself', async () => {
    const host = hostThat(name => (name === 'here1' && host.asked.length > 1 ? 'missing' : knows(name)));
    const [first] = await settled(host.verdictOn('here1'));
    expect(first).toMatchObject({ verdict: 'unknown probe_inconclusive', compared: [] });
  });

  test('counts after a greylist has seen the made-up recipient along with the address', async () => {
    const host = await rememberedHost();
    const met = new Set<string>();
    host.says = localPart => {
      const isNew = !met.has(localPart);
      met.add(localPart);
      return isNew ? 'greylisted' : knows(localPart);
    };
    expect((await settled(host.verdictOn('here2')))[0]?.verdict).toBe('unknown greylisted');
    expect((await settled(host.verdictOn('here2')))[0]?.verdict).toBe('ok mailbox_exists');
  });
});

describe('acceptances at the same time', () => {
  test('share one made-up recipient, put after the last of them', async () => {
    const host = await rememberedHost();
    const names = ['here2', 'here3', 'here4', 'here5'];
    const verdicts = await settled(...names.map(name => host.verdictOn(name)));
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(names.map(() => 'ok mailbox_exists'));
    expect(host.asked).toEqual([...names, alikeFor('here2')[0], ...names.flatMap(name => [name, name])]);
  });

  test('that come later than the made-up recipient wait for the next one', async () => {
    const host = await rememberedHost();
    const first = host.verdictOn('here2');
    await jest.advanceTimersByTimeAsync(roundTripMs + 10);
    // Asked after the made-up recipient of the first, which says nothing about later moments.
    const second = host.verdictOn('here3');
    await settled(first, second);
    const [cover] = alikeFor('here2');
    expect(host.asked).toEqual(['here2', cover, 'here2', 'here2', 'here3', cover, 'here3', 'here3']);
  });

  test('at two addresses of the host are each compared at their own', async () => {
    const host = hostThat((name, address) => (address === '192.0.2.2' ? 'accepted' : knows(name)));
    const [here, ghost] = await settled(
      host.verdictOn('here1'),
      host.verdictOn('ghost1', undefined, '192.0.2.2'),
    );
    expect(here?.verdict).toBe('ok mailbox_exists');
    expect(ghost?.verdict).not.toMatch(/^ok/);
  });

  test('of a list share the flight of a later question', async () => {
    const host = await rememberedHost();
    const first = host.verdictOn('here2', shuffledList);
    await jest.advanceTimersByTimeAsync(1_100);
    expect(host.asked).toEqual(['here2']);
    const second = host.verdictOn('here3', shuffledList);
    const [one, other] = await settled(first, second);
    const [cover] = alikeFor('here2');
    expect([one?.verdict, other?.verdict]).toEqual(['ok mailbox_exists', 'ok mailbox_exists']);
    // One of the two is asked about twice more on behalf of both.
    expect(host.asked).toEqual(['here2', 'here3', cover, 'here2', 'here2']);
    expect(other?.shown).toEqual(['here3', cover]);
  });

  test('of a list do not keep one waiting that has less time', async () => {
    const host = await rememberedHost();
    const listed = host.verdictOn('here2', shuffledList);
    await jest.advanceTimersByTimeAsync(2 * roundTripMs);
    const sinceMs = Date.now();
    const [hasty] = await settled(host.verdictOn('here3'));
    expect(hasty?.verdict).toBe('ok mailbox_exists');
    expect(Date.now() - sinceMs).toBeLessThan(4 * roundTripMs);
    expect((await settled(listed))[0]?.verdict).toBe('ok mailbox_exists');
    expect(host.asked).toEqual(['here2', 'here3', alikeFor('here2')[0], 'here2', 'here3', 'here3']);
  });

  test('of a list that has no more addresses of their domain do not wait for others', async () => {
    const host = await rememberedHost();
    const left = new Set(['here2', 'here3', 'here4']);
    const list = { mayHaveMore: () => left.size > 0 };
    const sinceMs = Date.now();
    const verdicts = await settled(
      ...Array.from(left, name => {
        left.delete(name);
        return host.verdictOn(name, list);
      }),
    );
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(Array(3).fill('ok mailbox_exists'));
    expect(Date.now() - sinceMs).toBeLessThan(4 * roundTripMs);
    expect(host.asked.filter(name => name === alikeFor('here2')[0])).toHaveLength(1);
  });

  test('of a list do not wait if so many of them wait that nothing else may be in flight', async () => {
    const host = await rememberedHost();
    const names = Array.from({ length: 8 }, (_, index) => `here1${index}`);
    const sinceMs = Date.now();
    const verdicts = await settled(...names.map(name => host.verdictOn(name, shuffledList)));
    expect(new Set(verdicts.map(({ verdict }) => verdict))).toEqual(new Set(['ok mailbox_exists']));
    expect(Date.now() - sinceMs).toBeLessThan(4 * roundTripMs);
  });

  test('of a list do not wait for ever', async () => {
    const host = await rememberedHost();
    const sinceMs = Date.now();
    const [alone] = await settled(host.verdictOn('here2', shuffledList));
    expect(alone?.verdict).toBe('ok mailbox_exists');
    expect(Date.now() - sinceMs).toBeLessThan(2_500);
  });
});

describe('a host that refuses names by their form', () => {
  test.each<readonly [string, Says, string]>([
    ['over ten letters', name => (name.length > 10 ? 'missing' : 'accepted'), 'hello'],
    [
      'with five consonants in a row',
      name => (/[^aeiou\d.]{5}/.test(name) ? 'missing' : 'accepted'),
      'hello',
    ],
    ['without a dot', name => (name.includes('.') ? 'accepted' : 'missing'), 'ada.lovelace'],
    ['that no person has', name => (/^[a-z]\.[a-z]+$/.test(name) ? 'accepted' : 'missing'), 'a.lovelace'],
  ])('%s is a catch-all, at first and later', async (_, says, localPart) => {
    const host = hostThat(says);
    expect((await settled(host.verdictOn(localPart)))[0]?.verdict).toBe('catch_all catch_all');
    expect((await settled(host.verdictOn(localPart)))[0]?.verdict).toBe('catch_all catch_all');
  });

  test('is found out where another form is remembered to be refused', async () => {
    const host = hostThat(name => (name.includes('.') || name === 'here1' ? 'accepted' : 'missing'));
    expect((await settled(host.verdictOn('here1')))[0]?.verdict).toBe('ok mailbox_exists');
    expect((await settled(host.verdictOn('ada.lovelace')))[0]?.verdict).toBe('catch_all catch_all');
  });

  test('is asked about one more recipient for each form, and no more once that is known', async () => {
    const host = await rememberedHost();
    await settled(host.verdictOn('here.ada'));
    await settled(host.verdictOn('here2'));
    const [dotted] = alikeFor('here.ada');
    const [plain] = alikeFor('here2');
    expect(host.asked.splice(0)).toEqual([
      ...['here.ada', dotted, 'here.ada', 'here.ada'],
      ...['here2', plain, 'here2', 'here2'],
    ]);
    await settled(host.verdictOn('here.bob'), host.verdictOn('here3'));
    expect(host.asked).toHaveLength(2 + 1 + 2 * 2);
  });
});

describe('a made-up recipient that exists by chance', () => {
  test('makes no domain a catch-all, and is not asked about again', async () => {
    const [taken, free] = alikeFor('here1');
    const host = hostThat(name => (name === taken ? 'accepted' : knows(name)));
    const [first] = await settled(host.verdictOn('here1'));
    expect(first?.verdict).toBe('ok mailbox_exists');
    expect(host.asked.splice(0)).toEqual([
      'here1',
      taken,
      'here1',
      randomOne,
      'here1',
      'here1',
      free,
      taken,
      'here1',
    ]);
    expect((await settled(host.verdictOn('here2')))[0]?.verdict).toBe('ok mailbox_exists');
    expect(host.asked).toEqual(['here2', free, 'here2', 'here2']);
  });

  test('is distinguished from a catch-all when it came to exist recently', async () => {
    const host = await rememberedHost();
    const [taken, free] = alikeFor('here1');
    host.says = name => (name === taken ? 'accepted' : knows(name));
    const [second] = await settled(host.verdictOn('here2'));
    expect(second).toMatchObject({ verdict: 'ok mailbox_exists', shown: ['here2', 'here2', taken, free] });
    expect(host.asked.splice(0)).toEqual(['here2', taken, 'here2', 'here2', free, taken]);
    // It is remembered, and left out.
    expect((await settled(host.verdictOn('here3')))[0]?.verdict).toBe('ok mailbox_exists');
    expect(host.asked).toEqual(['here3', free, 'here3', 'here3']);
  });

  test.each([[0], [1], [2]])('leaves no address undecided: %i of each of eight forms', async count => {
    const host = await rememberedHost();
    const names = [
      'here2',
      'here.ada',
      'here-bob',
      'here_eve',
      'here+dan',
      'here.ada.1',
      'here=joe',
      'here.k-l',
    ];
    const taken = new Set(names.flatMap(name => alikeFor(name).slice(0, count)));
    host.says = name => (taken.has(name) ? 'accepted' : knows(name));
    for (const within of [shuffledList, 20_000] as const) {
      const verdicts = await settled(...names.map(name => host.verdictOn(name, within)));
      expect(verdicts.map(({ verdict }) => verdict)).toEqual(names.map(() => 'ok mailbox_exists'));
    }
  });

  test('is not believed at a host that takes its acceptance back', async () => {
    const host = await rememberedHost();
    const [taken] = alikeFor('here2');
    const met = new Set<string>();
    host.says = name => {
      const isFirst = !met.has(name);
      met.add(name);
      return name === taken && isFirst ? 'accepted' : knows(name);
    };
    await settled(host.verdictOn('here2'));
    expect(host.asked.slice(0, 6)).toEqual([
      ...['here2', taken, 'here2', 'here2'],
      ...[alikeFor('here2')[1], taken],
    ]);
    expect(host.asked).toContain(randomOne);
  });
});

describe('a catch-all that replies with other codes', () => {
  const replying = (enhanced: string) => () => readReply(250, [`${enhanced} Ok`]);
  const codesOf = ({ compared }: Awaited<ReturnType<ReturnType<typeof hostThat>['verdictOn']>>) =>
    compared.map(({ reply }) => reply?.enhanced);
  /** Replies to each recipient that it knows in another way than to others. */
  const telling = (code: number) => (name: string) =>
    name.startsWith('here') ? readReply(code, ['2.1.5 Ok']) : readReply(250, ['2.0.0 Ok']);

  /** A catch-all with a comparison that is remembered from two minutes ago. */
  async function comparedHost(replies: (localPart: string) => Reply) {
    const host = hostThat(acceptsAll);
    host.replies = replies;
    await settled(host.verdictOn('ghost1'));
    await jest.advanceTimersByTimeAsync(120_000);
    return { host, askedFirst: host.asked.splice(0).length };
  }

  test('than remembered is asked again, because it may reply so to everyone by now', async () => {
    const { host, askedFirst } = await comparedHost(replying('2.1.5'));
    host.replies = replying('2.0.0');
    const [second] = await settled(host.verdictOn('here2'));
    expect(second).toMatchObject({ verdict: 'catch_all catch_all', comparedMsAgo: 0 });
    expect(second && codesOf(second)).toEqual(['2.0.0', '2.0.0']);
    expect(host.asked.splice(0)).toHaveLength(askedFirst);
    // What it says now is remembered.
    expect((await settled(host.verdictOn('here3')))[0]?.comparedMsAgo).toBeGreaterThan(0);
    expect(host.asked).toEqual(['here3']);
  });

  test('for an address that it knows is asked again, and its difference counts', async () => {
    const { host } = await comparedHost(telling(250));
    const [told] = await settled(host.verdictOn('here2'));
    expect(told).toMatchObject({ verdict: 'catch_all catch_all', comparedMsAgo: 0 });
    expect(told && codesOf(told)).toEqual(['2.0.0', '2.0.0']);
    host.asked.splice(0);
    await settled(host.verdictOn('ghost2'));
    expect(host.asked).toEqual(['ghost2']);
  });

  test.each([
    ['one after the other', 1],
    ['at the same time', 10],
  ])('for ten addresses %s is asked again once', async (_, atOnce) => {
    const { host, askedFirst } = await comparedHost(telling(250));
    for (let at = 0; at < 10; at += atOnce) {
      const names = Array.from({ length: atOnce }, (_each, more) => `here${at + more}`);
      const verdicts = await settled(...names.map(name => host.verdictOn(name)));
      expect(new Set(verdicts.map(({ verdict }) => verdict))).toEqual(new Set(['catch_all catch_all']));
      // The difference counts for each of them.
      for (const verdict of verdicts) expect(codesOf(verdict)).toEqual(['2.0.0', '2.0.0']);
    }
    expect(host.asked).toHaveLength(10 + askedFirst - 1);
  });

  test('is not asked again for an acceptance that says nothing', async () => {
    const { host } = await comparedHost(telling(252));
    expect((await settled(host.verdictOn('here2')))[0]?.verdict).toBe('catch_all catch_all');
    expect(host.asked).toEqual(['here2']);
  });

  test('and then stalls remains one, and its difference does not count', async () => {
    const { host } = await comparedHost(replying('2.1.5'));
    host.replies = replying('2.0.0');
    host.says = () => (host.asked.length === 1 ? 'accepted' : 'timeout');
    const [stalled] = await settled(host.verdictOn('here2'));
    expect(stalled?.verdict).toBe('catch_all catch_all');
    expect(stalled && codesOf(stalled)).toEqual([undefined, undefined]);
    // It is not asked for each address.
    host.says = acceptsAll;
    host.asked.splice(0);
    expect((await settled(host.verdictOn('here3')))[0]?.verdict).toBe('catch_all catch_all');
    expect(host.asked).toEqual(['here3']);
  });

  test('and then does not answer in time remains one, and its difference does not count', async () => {
    const { host } = await comparedHost(replying('2.1.5'));
    host.replies = replying('2.0.0');
    const [late] = await settled(host.verdictOn('here2', 1.5 * roundTripMs));
    expect(late?.verdict).toBe('catch_all catch_all');
    expect(late && codesOf(late)).toEqual([undefined, undefined]);
  });
});

describe('what is remembered', () => {
  test('of the forms that a host refuses ends with the comparison', async () => {
    const host = hostThat(knows);
    const kept: { readonly forms: number; readonly endsAtMs: number }[] = [];
    const { remember } = host.memory;
    host.memory.remember = async (domain, mx, comparison, keptMs) => {
      kept.push({ forms: comparison.madeUp.length, endsAtMs: Date.now() + keptMs });
      await remember(domain, mx, comparison, keptMs);
    };
    await settled(host.verdictOn('here1'));
    await jest.advanceTimersByTimeAsync(600_000);
    await settled(host.verdictOn('here.ada'));
    expect(kept.map(({ forms }) => forms)).toEqual([2, 3]);
    expect(kept[1]?.endsAtMs).toBe(kept[0]?.endsAtMs);
  });
});
