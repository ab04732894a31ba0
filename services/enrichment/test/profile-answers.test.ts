import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type OpenTestDatabase, openTestDatabase } from '@mailproof/dev-house';
import { createSealer, type KeyRing } from '@mailproof/service-kit';
import { type AccountId, newId, profileProviderSettings } from '@mailproof/shared-types';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import { createSubjects } from '../src/adapters/postgres/privacy/subjects.ts';
import { createSuppressionCheck } from '../src/adapters/postgres/privacy/suppression-check.ts';
import {
  createOperatorAnswers,
  createPageAnswers,
  createProviderAnswers,
  sweepProfileAnswers,
} from '../src/adapters/postgres/profile-answers.ts';
import {
  createProfileProviderStore,
  resealProviderSecrets,
} from '../src/adapters/postgres/profile-provider-store.ts';
import { subjectTraces } from '../src/compose/privacy.ts';
import type { ProfileQuestion, SourceAnswer } from '../src/domain/profile-enrichment/profile-source.ts';
import { profileKeyHash } from '../src/domain/profile-enrichment/remembered-source.ts';
import { type ProfileUrl, parseProfileUrl } from '../src/domain/profile-url/parse-profile-url.ts';

let open: OpenTestDatabase;

beforeAll(async () => {
  open = await openTestDatabase('enrichment', openDatabase);
});

afterAll(async () => {
  await open?.close();
});

beforeEach(async () => {
  for (const table of ['profile_provider', 'provider_answer', 'page_answer']) {
    await open.pool.query(`DELETE FROM ${table}`);
  }
});

const at = (minute: number) => new Date(Date.UTC(2026, 5, 1, 12, minute));
const settings = profileProviderSettings.parse({
  name: 'People',
  method: 'GET',
  url: 'https://people.example/{handle}',
  fields: { first_name: 'first' },
});
const said: SourceAnswer = {
  outcome: 'found',
  profile: { first_name: 'Ada' },
  provenance: {},
  answeredAt: at(5),
};

function questionOf(slug: string, accountId = newId('account')): ProfileQuestion & { hash: Uint8Array } {
  const profile = parseProfileUrl(`linkedin.com/in/${slug}`) as ProfileUrl;
  const signal = new AbortController().signal;
  return { accountId, profile, signal, hash: profileKeyHash(profile.profileKey) };
}

function putProvider(accountId: AccountId, updatedAt = at(0), sealedSecrets: string | null = null) {
  return createProfileProviderStore(open.pool).put({ accountId, settings, sealedSecrets, updatedAt });
}

/** Suppresses the person with a profile, and returns how to find out who is suppressed. */
async function suppressing({ profile: { profileKey } }: ProfileQuestion) {
  const suppressionKey = new TextEncoder().encode('a key for tests alone, 32 characters');
  const subjects = createSubjects(open.pool, { suppressionKey, retentionDays: 100, traces: subjectTraces });
  await subjects.suppress({ profileKey, reason: 'opt_out', actor: 'opt_out', now: at(10) });
  return createSuppressionCheck(open.pool, suppressionKey).isSuppressed;
}

describe('answers of a provider', () => {
  it('are cached for the account that pays for them, until they expire', async () => {
    const answers = createProviderAnswers(open.pool);
    const [one, other] = [questionOf('ada'), questionOf('ada')];
    await putProvider(one.accountId);
    await putProvider(other.accountId);
    await answers.put(one, one.hash, said, at(60));
    expect(await answers.get(one, one.hash, at(6))).toEqual(said);
    expect(await answers.get(other, other.hash, at(6))).toBeUndefined();
    expect(await answers.get(one, one.hash, at(60))).toBeUndefined();
    await answers.put(one, one.hash, { outcome: 'notFound', answeredAt: at(7) }, at(60));
    expect(await answers.get(one, one.hash, at(8))).toEqual({ outcome: 'notFound', answeredAt: at(7) });
    // An answer from an older query does not replace a newer one.
    await answers.put(one, one.hash, said, at(60));
    expect(await answers.get(one, one.hash, at(8))).toMatchObject({ outcome: 'notFound' });
  });

  it('of other settings, or without a provider, are not cached', async () => {
    const answers = createProviderAnswers(open.pool);
    const one = questionOf('ada');
    await answers.put(one, one.hash, said, at(60));
    await putProvider(one.accountId, at(6));
    await answers.put(one, one.hash, said, at(60));
    expect(await answers.get(one, one.hash, at(7))).toBeUndefined();
  });

  it('are deleted with the provider', async () => {
    const answers = createProviderAnswers(open.pool);
    const one = questionOf('ada');
    await putProvider(one.accountId);
    await answers.put(one, one.hash, said, at(60));
    await putProvider(one.accountId, at(1));
    expect(await answers.get(one, one.hash, at(7))).toBeUndefined();
    await answers.put(one, one.hash, said, at(60));
    expect(await createProfileProviderStore(open.pool).remove(one.accountId)).toBe(true);
    expect(await createProfileProviderStore(open.pool).remove(one.accountId)).toBe(false);
    expect((await open.pool.query('SELECT FROM provider_answer')).rowCount).toBe(0);
  });
});

describe('all remembered answers', () => {
  it('about a person are deleted in the transaction that suppresses the person', async () => {
    const [gone, stays] = [questionOf('gone'), questionOf('stays')];
    await putProvider(gone.accountId);
    for (const { hash } of [gone, stays]) {
      await createProviderAnswers(open.pool).put(gone, hash, said, at(60));
      await createPageAnswers(open.pool).put(gone, hash, said, at(60));
    }
    await suppressing(gone);
    for (const answers of [createProviderAnswers(open.pool), createPageAnswers(open.pool)]) {
      expect(await answers.get(gone, gone.hash, at(11))).toBeUndefined();
      expect(await answers.get(gone, stays.hash, at(11))).toEqual(said);
    }
  });

  it('of pages and the operator’s providers tell by name and company who opted out', async () => {
    const gone = questionOf('known-elsewhere');
    const as = (company: string) => ({ ...said, profile: { full_name: 'Ada Unstored', company } });
    await createPageAnswers(open.pool).put(gone, gone.hash, as('Ordinary GmbH'), at(60));
    const operators = createOperatorAnswers(open.pool);
    await operators.put(gone, gone.hash, as('Other'), at(60));
    const isSuppressed = await suppressing(gone);
    expect(await operators.get(gone, gone.hash, at(11))).toBeUndefined();
    const elsewhere = { profileKey: 'github.com/ada-unstored', fullName: 'Ada Unstored' };
    expect(await isSuppressed({ ...elsewhere, companyName: 'Ordinary' })).toBe(true);
    expect(await isSuppressed({ ...elsewhere, companyName: 'Other Inc.' })).toBe(true);
    expect(await isSuppressed({ ...elsewhere, companyName: 'Third' })).toBe(false);
    expect(await isSuppressed({ profileKey: 'github.com/ada', companyName: 'Ordinary' })).toBe(false);
  });

  it('suppress no one whom an account’s own provider names, or whose profiles a page calls its own', async () => {
    const impostor = questionOf('impostor');
    await putProvider(impostor.accountId);
    const profile = { full_name: 'Grace Victim', company: 'Ordinary GmbH' };
    await createProviderAnswers(open.pool).put(impostor, impostor.hash, { ...said, profile }, at(60));
    const claimed = ['https://www.linkedin.com/in/victim', 'https://github.com/victim'];
    await createPageAnswers(open.pool).put(impostor, impostor.hash, { ...said, sameAs: claimed }, at(60));
    const isSuppressed = await suppressing(impostor);
    expect(await isSuppressed({ profileKey: impostor.profile.profileKey })).toBe(true);
    expect(await isSuppressed({ fullName: 'Grace Victim', companyName: 'Ordinary' })).toBe(false);
    expect(await isSuppressed({ profileKey: 'linkedin.com/in/victim' })).toBe(false);
  });

  it('are swept when they expire; above the maximum, those that expire next are swept too', async () => {
    const answers = createPageAnswers(open.pool);
    for (let count = 0; count < 10; count += 1) {
      const question = questionOf(`p${count}`);
      await answers.put(question, question.hash, said, at(20 + count));
    }
    expect(await sweepProfileAnswers(open.pool, at(21), 1_000)).toBe(2);
    expect(await sweepProfileAnswers(open.pool, at(21), 5)).toBe(3);
    const { rows } = await open.pool.query<{ expires_at: Date }>(
      'SELECT expires_at FROM page_answer ORDER BY expires_at',
    );
    expect(rows.map(({ expires_at }) => expires_at)).toEqual([25, 26, 27, 28, 29].map(at));
  });
});

describe('secrets of providers', () => {
  const key = (kid: string, fill: number) => ({ kid, key: new Uint8Array(32).fill(fill) });
  const sealerOf = (...ring: KeyRing) => createSealer(ring, 'mailproof-provider-secrets');

  it('are re-encrypted with the ring’s first key, each for its account', async () => {
    const [old, new_] = [sealerOf(key('old', 1)), sealerOf(key('new', 2), key('old', 1))];
    const [one, lost] = [newId('account'), newId('account')];
    await putProvider(one, at(0), await old.seal('{"x":"1"}', one));
    await putProvider(lost, at(0), await sealerOf(key('lost', 3)).seal('{}', lost));
    expect(await resealProviderSecrets(open.pool, new_)).toBe(1);
    expect(await resealProviderSecrets(open.pool, new_)).toBe(0);
    const provider = await createProfileProviderStore(open.pool).find(one);
    expect(await sealerOf(key('new', 2)).open(provider?.sealedSecrets ?? '', one)).toBe('{"x":"1"}');
    await expect(new_.open(provider?.sealedSecrets ?? '', lost)).rejects.toMatchObject({
      kind: 'not_authentic',
    });
  });
});
