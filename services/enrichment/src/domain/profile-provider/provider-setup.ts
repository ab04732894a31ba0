import type { AccountId, EnrichedProfile } from '@mailproof/shared-types';
import type { SuppressionCheck } from '../privacy/subjects.ts';
import { recognitionOf } from '../profile-enrichment/enrich-profile.ts';
import { cleanProfile, isFound } from '../profile-enrichment/profile-source.ts';
import type { ProfileUrl } from '../profile-url/parse-profile-url.ts';
import { askInTurn, type OwnProviderPorts } from './own-provider-source.ts';
import type {
  FailedAnswer,
  ProfileProvider,
  ProfileProviderStore,
  ProviderSecrets,
  ProviderSettings,
} from './profile-provider.ts';
import { type ClassifyHost, partSecrets, type SettingsFault, settingsFaults } from './provider-settings.ts';

interface ProviderSetupPorts {
  readonly providers: ProfileProviderStore;
  readonly openSecrets: (provider: ProfileProvider) => Promise<ProviderSecrets>;
  readonly sealSecrets: (accountId: AccountId, secrets: ProviderSecrets) => Promise<string>;
  readonly classifyHost: ClassifyHost;
  readonly now: () => Date;
}

export type ProviderSetup =
  | { readonly ok: true; readonly provider: ProfileProvider }
  | { readonly ok: false; readonly faults: readonly SettingsFault[] };

/** Sets up an account's provider. Refuses settings as a whole if any part cannot work. */
export async function setUpProvider(
  ports: ProviderSetupPorts,
  accountId: AccountId,
  asked: ProviderSettings,
): Promise<ProviderSetup> {
  const known = await ports.providers.find(accountId);
  // Secrets that can no longer be opened count as unknown: the user is asked to send them again.
  const before = known && {
    settings: known.settings,
    secrets: await ports.openSecrets(known).catch((): ProviderSecrets => ({})),
  };
  const { settings, secrets, faults } = partSecrets(asked, before);
  const all = [...settingsFaults(asked, ports.classifyHost), ...faults];
  if (all.length > 0) {
    return { ok: false, faults: all };
  }
  const sealedSecrets = Object.keys(secrets).length > 0 ? await ports.sealSecrets(accountId, secrets) : null;
  const put = { accountId, settings, sealedSecrets, updatedAt: ports.now() };
  await ports.providers.put(put);
  return {
    ok: true,
    provider: { ...put, lastSuccessAt: null, lastFailure: null, spent: known?.spent ?? noSpend },
  };
}

export type ProviderTrial =
  | { readonly outcome: 'found'; readonly profile: EnrichedProfile }
  | { readonly outcome: 'no_match' }
  | { readonly outcome: 'failed'; readonly failure: FailedAnswer; readonly provider: string };

type TryProviderPorts = OwnProviderPorts & {
  readonly suppression: Pick<SuppressionCheck, 'isSuppressed'>;
};

/**
 * Queries an account's provider manually and stores no answer. Returns undefined if there is no provider. Does not
 * query it about suppressed people.
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
  const { answer, faults } = await askInTurn(ports, provider, { profile, signal });
  const clean = cleanProfile(answer?.profile ?? {});
  const [first] = faults;
  if (answer === undefined && first !== undefined) {
    return { outcome: 'failed', failure: first.fault, provider: first.step.name };
  }
  const isKeptOut = await ports.suppression.isSuppressed({ profileKey, ...recognitionOf(clean) });
  return isFound(clean) && !isKeptOut ? { outcome: 'found', profile: clean } : { outcome: 'no_match' };
}

const noSpend = { month: '', requests: {} };
