import type { AccountId, EnrichedProfile } from '@mailproof/shared-types';
import type { SuppressionCheck } from '../privacy/suppression.ts';
import { cleanProfile, isFound } from '../profile-enrichment/clean-profile.ts';
import { recognitionOf } from '../profile-enrichment/enrich-profile.ts';
import type { ProfileUrl } from '../profile-url/parse-profile-url.ts';
import { askInTurn, type OwnProviderPorts } from './own-provider-source.ts';
import { type FailedAnswer, ProviderFault } from './profile-provider.ts';

export type ProviderTrial =
  | { readonly outcome: 'found'; readonly profile: EnrichedProfile }
  | { readonly outcome: 'no_match' }
  | { readonly outcome: 'failed'; readonly failure: FailedAnswer };

export type TryProviderPorts = OwnProviderPorts & {
  readonly suppression: Pick<SuppressionCheck, 'isSuppressed'>;
};

/**
 * Asks an account's provider by hand and keeps nothing of it. Answers nothing where there is no provider. About who asked
 * to be left out it is not asked.
 */
export async function tryProvider(
  ports: TryProviderPorts,
  accountId: AccountId,
  profile: ProfileUrl,
  signal: AbortSignal,
): Promise<ProviderTrial | undefined> {
  const provider = await ports.providers.find(accountId);
  if (provider === undefined) {
    return undefined;
  }
  const { profileKey } = profile;
  if (await ports.suppression.isSuppressed({ profileKey })) {
    return { outcome: 'no_match' };
  }
  try {
    const clean = cleanProfile((await askInTurn(ports, provider, { profile, signal })) ?? {});
    const isKeptOut = await ports.suppression.isSuppressed({ profileKey, ...recognitionOf(clean) });
    return isFound(clean) && !isKeptOut ? { outcome: 'found', profile: clean } : { outcome: 'no_match' };
  } catch (error) {
    if (error instanceof ProviderFault) {
      return { outcome: 'failed', failure: error };
    }
    throw error;
  }
}
