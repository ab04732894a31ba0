import type { Handlers } from '@mailproof/service-kit';
import { accountId, ownPeopleHeader } from '@mailproof/shared-types';
import type { MatchKnownPeople } from '../domain/known-people/known-people.ts';

/** Handler of the engine's questions about local parts. */
export function knownPeopleHandlers(match: MatchKnownPeople) {
  return {
    matchKnownPeople: ({ body: { domain, localParts } }, { header }) =>
      match(domain, localParts, accountId.optional().parse(header(ownPeopleHeader))),
  } satisfies Partial<Handlers<'enrichment'>>;
}
