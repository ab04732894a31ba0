import type { Handlers } from '@mailproof/service-kit';
import type { MatchKnownPeople } from '../domain/known-people/known-people.ts';

/** Handler of the engine's questions about local parts. */
export function knownPeopleHandlers(match: MatchKnownPeople) {
  return {
    matchKnownPeople: ({ body: { domain, localParts } }) => match(domain, localParts),
  } satisfies Partial<Handlers<'enrichment'>>;
}
