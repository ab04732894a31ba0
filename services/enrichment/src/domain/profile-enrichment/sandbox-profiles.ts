import { isSandboxAccount } from '@mailproof/shared-types';
import { isSandboxProfile, unknownSandboxProfile } from '../sandbox/sandbox-records.ts';
import { simulateErrorOfProfile } from '../sandbox/simulated-errors.ts';
import type { EnrichmentPorts, EnrichmentRequest } from './enrich-profile.ts';
import type { ProfileSource } from './profile-source.ts';

/**
 * The ports for a request: a test key reaches the profiles of the sandbox and no other, and asks no provider and no
 * page; a live key reaches every profile but those (ADR 0085). The store is the first source.
 */
export function portsFor(ports: EnrichmentPorts, { accountId }: EnrichmentRequest): EnrichmentPorts {
  const [store] = ports.sources;
  if (!store) {
    throw new Error('Profiles need a store.');
  }
  return isSandboxAccount(accountId)
    ? {
        ...ports,
        holds: async profile => {
          simulateErrorOfProfile(profile.profileKey);
          const { profileKey } = profile;
          return (
            profileKey === unknownSandboxProfile || (isSandboxProfile(profileKey) && ports.holds(profile))
          );
        },
        // They are invented: no one can ask to be left out.
        suppression: { isSuppressed: async () => false },
        sources: [withoutOthers(store)],
      }
    : {
        ...ports,
        holds: async profile => !isSandboxProfile(profile.profileKey) && ports.holds(profile),
      };
}

function withoutOthers(store: ProfileSource): ProfileSource {
  return {
    ...store,
    find: async question =>
      isSandboxProfile(question.profile.profileKey) ? store.find(question) : undefined,
  };
}
