import { expect } from '@jest/globals';
import { type ProviderPost, type SimulatedProvider, simulatedProviders } from '@mailproof/dev-house';
import { createOutcomeSource, newId, type OutcomeSourceRecord, outcomeSource } from '@mailproof/shared-types';
import type { Answer, Person, TestHouse } from './house.ts';

export const root = '/outcome-sources';
export const codeOf = ({ status, body }: Pick<Answer, 'status' | 'body'>) => [status, body['code']];

type Send = (person: Person, sourceId: string) => Promise<Answer>;

/** A source of a test, with its provider. */
export interface TestSource extends OutcomeSourceRecord {
  readonly at: string;
  readonly url: string;
  readonly simulated: SimulatedProvider;
}

/** Posts to a source's URL, as a mail provider does. */
export async function post(
  url: string,
  { headers, body }: ProviderPost,
): Promise<Pick<Answer, 'status' | 'body'>> {
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body,
    signal: AbortSignal.timeout(60_000),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** What tests of outcome sources do in a house. */
export function outcomeSourcesIn(test: TestHouse) {
  const signedIn = async () => (await test.owner()).signIn();

  /** The same URL at a gateway of this house: the address that customers use does not have to be one. */
  const reachable = (url: string) => `${test.house.gatewayUrls[0]}${new URL(url).pathname}`;

  /** A new source of one of the simulated providers. */
  async function sourceOf(
    owner: Person,
    name: keyof typeof simulatedProviders = 'json',
  ): Promise<TestSource> {
    const provider = simulatedProviders[name]();
    const answer = await owner.post(root, { provider: name, verification_key: provider.key });
    expect(codeOf(answer)).toEqual([201, undefined]);
    const created = createOutcomeSource.success.schema.parse(answer.body);
    return {
      ...created,
      url: reachable(created.url),
      at: `${root}/${created.source_id}`,
      simulated: provider,
    };
  }

  return {
    signedIn,
    reachable,
    sourceOf,

    async find(owner: Person, at: string): Promise<OutcomeSourceRecord> {
      return outcomeSource.parse((await owner.get(at)).body);
    },

    /** Checks that operations with a source in their path refuse malformed and unknown ids. */
    async refusesIds(send: Send): Promise<void> {
      const owner = await signedIn();
      expect(codeOf(await send(owner, 'osrc_1'))).toEqual([400, 'invalid_request']);
      expect(codeOf(await send(owner, newId('outcomeSource')))).toEqual([404, 'outcome_source_not_found']);
    },

    async refusesOthers(send: Send): Promise<void> {
      const [owner, other] = [await signedIn(), await signedIn()];
      const source = await sourceOf(owner);
      expect(codeOf(await send(other, source.source_id))).toEqual([404, 'outcome_source_not_found']);
      const { at, url, simulated, ...kept } = source;
      expect((await owner.get(at)).body).toEqual(kept);
      expect((await post(url, simulated.post({ outcomes: [] }))).status).toBe(200);
    },

    /** Checks that only owners change something. */
    async needsOwner(send: Send): Promise<void> {
      const owner = await signedIn();
      const { source_id: sourceId } = await sourceOf(owner);
      expect(codeOf(await send(test.stranger(), sourceId))).toEqual([401, 'not_signed_in']);
      expect(codeOf(await send(await test.member(owner), sourceId))).toEqual([403, 'owner_required']);
    },

    async needsSession(send: Send): Promise<void> {
      expect(codeOf(await send(test.stranger(), newId('outcomeSource')))).toEqual([401, 'not_signed_in']);
    },
  };
}
