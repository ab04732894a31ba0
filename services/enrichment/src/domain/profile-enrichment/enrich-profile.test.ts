import { beforeEach, describe, expect, it } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import type { Recognition } from '../privacy/subjects.ts';
import { type EnrichmentPorts, enrichProfile } from './enrich-profile.ts';
import {
  type ProfileQuestion,
  type ProfileSource,
  type SourceAnswer,
  SourceFailure,
} from './profile-source.ts';
import { type RememberedAnswers, rememberedSource } from './remembered-source.ts';

const now = new Date('2026-06-01T12:00:00Z');
const accountId = newId('account');
const url = 'https://www.linkedin.com/in/ada';
const origin = { source: 'Test', kind: 'import', licence: 'CC0-1.0', date: '2026-05-01' } as const;

let suppressed: Recognition[];
let asked: string[];

beforeEach(() => {
  suppressed = [];
  asked = [];
});

const suppression = {
  isSuppressed: async (person: Recognition) =>
    suppressed.some(each =>
      Object.entries(each).every(([member, value]) => person[member as keyof Recognition] === value),
    ),
};

const found = (profile: object): SourceAnswer => ({
  outcome: 'found',
  profile,
  provenance: { first_name: origin, full_name: origin },
  answeredAt: new Date(now.getTime() - 5_000),
});

/** A source that returns the given answer, or throws it. */
function source(name: ProfileSource['name'], says: SourceAnswer | Error | undefined): ProfileSource {
  return {
    name,
    async find() {
      asked.push(name);
      if (says instanceof Error) throw says;
      return says;
    },
  };
}

function enrich(sources: readonly ProfileSource[], profileUrl = url, holds = false) {
  const ports: EnrichmentPorts = {
    holds: async () => holds,
    suppression,
    sources,
    now: () => now,
    onSourceFailed: () => undefined,
  };
  const signal = new AbortController().signal;
  return enrichProfile(ports, { accountId, profileUrl, onlyChecksUrl: false, signal });
}

describe('profile enrichment', () => {
  it('queries the sources in order, until one knows enough', async () => {
    const answer = await enrich([
      source('store', found({ full_name: 'Ada Example' })),
      source('provider', found({ first_name: 'Ada', last_name: ' ' })),
      source('page', found({ first_name: 'Never' })),
    ]);
    expect(answer).toEqual({
      outcome: 'found',
      profile: { profile_url: 'https://www.linkedin.com/in/ada', first_name: 'Ada' },
      provenance: { first_name: origin },
      ageSeconds: 5,
    });
    expect(asked).toEqual(['store', 'provider']);
  });

  it('skips a source that fails', async () => {
    const answer = await enrich([
      source('store', new Error('database away')),
      source('provider', new SourceFailure('too_late', 'It was late.')),
      source('page', found({ company: 'Ordinary' })),
    ]);
    expect(answer.outcome).toBe('found');
  });

  it('says that no source knows a profile only if every source answered', async () => {
    const notFound: SourceAnswer = { outcome: 'notFound', answeredAt: now };
    expect(await enrich([source('store', undefined), source('provider', notFound)])).toEqual({
      outcome: 'notFound',
    });
    const failure = new SourceFailure('too_late', 'It was late.');
    expect(
      await enrich([source('store', undefined), source('provider', failure), source('page', notFound)]),
    ).toEqual({
      outcome: 'unanswered',
      failures: [failure],
    });
  });

  it('rejects a URL that is not a profile, unless the store contains it', async () => {
    const all = [source('store', found({ first_name: 'Ada' }))];
    expect(await enrich(all, 'https://people.example/ada')).toEqual({ outcome: 'invalid' });
    expect((await enrich(all, 'https://people.example/ada', true)).outcome).toBe('found');
    expect(await enrich(all, 'javascript:alert(1)', true)).toEqual({ outcome: 'invalid' });
  });

  it('asks no source about people who opted out, and shows nothing if the opt-out becomes known later', async () => {
    suppressed = [{ profileKey: 'linkedin.com/in/ada' }];
    const all = [
      source('store', found({ first_name: 'Ada', last_name: 'Example', company_domain: 'a.example' })),
    ];
    expect(await enrich(all)).toEqual({ outcome: 'notFound' });
    expect(asked).toEqual([]);
    suppressed = [{ firstName: 'Ada', lastName: 'Example', companyDomain: 'a.example' }];
    expect(await enrich(all)).toEqual({ outcome: 'notFound' });
    expect(asked).toEqual(['store']);
  });
});

describe('a source that is remembered', () => {
  let kept: Map<string, SourceAnswer>;
  let flights: ((answer: SourceAnswer | Error) => void)[];
  const answers: { -readonly [Part in keyof RememberedAnswers]: RememberedAnswers[Part] } = {
    get: async (_question, hash) => kept.get(Buffer.from(hash).toString('hex')),
    put: async (_question, hash, answer) => void kept.set(Buffer.from(hash).toString('hex'), answer),
  };
  const slow: ProfileSource = {
    name: 'page',
    find: () =>
      new Promise((resolve, reject) => {
        flights.push(answer => (answer instanceof Error ? reject(answer) : resolve(answer)));
      }),
  };

  beforeEach(() => {
    kept = new Map();
    flights = [];
  });

  function remembered(flightMsMax = 60_000) {
    return rememberedSource({
      source: slow,
      answers,
      suppression,
      scopeOf: async question => question.accountId,
      foundForMs: 1_000,
      notFoundForMs: 1_000,
      flightMsMax,
      now: () => now,
    });
  }

  const question = (more: Partial<ProfileQuestion> = {}): ProfileQuestion => ({
    accountId,
    profile: { profileKey: 'linkedin.com/in/ada', profileUrl: url },
    signal: new AbortController().signal,
    ...more,
  });

  async function takenOff(count: number): Promise<void> {
    while (flights.length < count) await new Promise(setImmediate);
  }

  it('is asked once for all who wait, by account, and not again', async () => {
    const page = remembered();
    const other = newId('account');
    const waiting = [page.find(question()), page.find(question()), page.find(question({ accountId: other }))];
    await takenOff(2);
    for (const land of flights) land(found({ first_name: 'Ada' }));
    expect((await Promise.all(waiting)).map(answer => answer?.outcome)).toEqual(['found', 'found', 'found']);
    expect((await page.find(question()))?.outcome).toBe('found');
    expect(flights).toHaveLength(2);
  });

  it('is not queried again by a request that read the cache just before the response was stored', async () => {
    const page = remembered();
    const first = page.find(question());
    await takenOff(1);
    const get = answers.get;
    const { promise: delivered, resolve: deliver } = Promise.withResolvers<void>();
    // A slow store whose read began before there was an answer.
    answers.get = async (...asked) => {
      const read = await get(...asked);
      await delivered;
      return read;
    };
    try {
      const second = page.find(question());
      await new Promise(setImmediate);
      flights[0]?.(found({ first_name: 'Ada' }));
      expect((await first)?.outcome).toBe('found');
      deliver();
      expect((await Promise.race([second, takenOff(2)]))?.outcome).toBe('found');
    } finally {
      answers.get = get;
    }
  });

  it('is queried again for a request that requires a newer response than the pending one', async () => {
    const page = remembered();
    const later = new Date(now.getTime() + 1);
    const [first, second] = [page.find(question()), page.find(question({ notBefore: later }))];
    await takenOff(1);
    flights[0]?.(found({ first_name: 'Old' }));
    expect(await first).toMatchObject({ profile: { first_name: 'Old' } });
    await takenOff(2);
    flights[1]?.(found({ first_name: 'New' }));
    expect(await second).toMatchObject({ profile: { first_name: 'New' } });
  });

  it('continues for callers that still wait when one leaves', async () => {
    const page = remembered();
    const gone = new AbortController();
    const [first, second] = [page.find(question({ signal: gone.signal })), page.find(question())];
    await takenOff(1);
    gone.abort(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    flights[0]?.(found({ first_name: 'Ada' }));
    expect((await second)?.outcome).toBe('found');
  });

  it('does not remember a failure, nor a person who opted out meanwhile', async () => {
    const page = remembered();
    const failed = page.find(question());
    await takenOff(1);
    flights[0]?.(new SourceFailure('too_late', 'It was late.'));
    await expect(failed).rejects.toThrow('late');
    const second = page.find(question());
    await takenOff(2);
    suppressed = [{ profileKey: 'linkedin.com/in/ada' }];
    flights[1]?.(found({ first_name: 'Ada' }));
    expect((await second)?.outcome).toBe('notFound');
    expect(kept.size).toBe(0);
  });

  it('still knows the organization at a website that a person opted out as their profile, and no one else there', async () => {
    suppressed = [{ profileKey: 'acme.test' }];
    const acme = source('store', found({ kind: 'organisation', company: 'Acme' }));
    const page = source('page', found({ kind: 'organisation', company: 'Acme' }));
    expect(await enrich([acme, page], 'https://www.acme.test/', true)).toMatchObject({
      outcome: 'found',
      profile: { company: 'Acme' },
    });
    expect(asked).toEqual(['store']);
    for (const store of [
      source('store', undefined),
      source('store', found({ kind: 'person', first_name: 'A' })),
    ])
      expect(await enrich([store, page], 'acme.test', true)).toEqual({ outcome: 'notFound' });
    suppressed = [{ profileKey: 'github.com/acme' }];
    expect(await enrich([acme], 'github.com/acme')).toEqual({ outcome: 'notFound' });
  });
});
