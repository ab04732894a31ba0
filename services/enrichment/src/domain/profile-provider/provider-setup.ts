import type { AccountId } from '@mailproof/shared-types';
import type {
  ProfileProvider,
  ProfileProviderStore,
  ProviderSecrets,
  ProviderSettings,
} from './profile-provider.ts';
import { type PlaceOfHost, partSecrets, type SettingsFault, settingsFaults } from './provider-settings.ts';

export interface ProviderSetupPorts {
  readonly providers: ProfileProviderStore;
  readonly openSecrets: (provider: ProfileProvider) => Promise<ProviderSecrets>;
  readonly sealSecrets: (accountId: AccountId, secrets: ProviderSecrets) => Promise<string>;
  readonly placeOf: PlaceOfHost;
  readonly now: () => Date;
}

export type ProviderSetup =
  | { readonly ok: true; readonly provider: ProfileProvider }
  | { readonly ok: false; readonly faults: readonly SettingsFault[] };

/** Sets an account's provider up. Settings that cannot work are refused whole. */
export async function setUpProvider(
  ports: ProviderSetupPorts,
  accountId: AccountId,
  asked: ProviderSettings,
): Promise<ProviderSetup> {
  const known = await ports.providers.find(accountId);
  // Secrets that cannot be opened any more count as not known: whoever sets the provider up is told to send them again.
  const before = known && {
    settings: known.settings,
    secrets: await ports.openSecrets(known).catch((): ProviderSecrets => ({})),
  };
  const { settings, secrets, faults } = partSecrets(asked, before);
  const all = [...settingsFaults(asked, ports.placeOf), ...faults];
  if (all.length > 0) {
    return { ok: false, faults: all };
  }
  const sealedSecrets = Object.keys(secrets).length > 0 ? await ports.sealSecrets(accountId, secrets) : null;
  const put = { accountId, settings, sealedSecrets, updatedAt: ports.now() };
  await ports.providers.put(put);
  return { ok: true, provider: { ...put, lastSuccessAt: null, lastFailure: null } };
}
