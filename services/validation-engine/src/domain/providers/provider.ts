import type { ValidationDetails } from '@mailproof/shared-types';

/** How a provider handles the mail that it accepts; in the contract it describes the preferred mail host. */
export type ProviderKind = NonNullable<ValidationDetails['mx_kind']>;

/**
 * An entry of the provider table. A suffix matches at label boundaries. Inside it `*` stands for one label, and at
 * its end for any public suffix, so that `ionos.*` is `ionos.de` and `ionos.co.uk` but not `ionos.attacker.example`.
 */
export interface ProviderEntry {
  readonly id: string;
  readonly name: string;
  readonly suffixes: readonly [string, ...string[]];
}

export type ProviderId = string;

export interface Provider {
  readonly id: ProviderId;
  readonly name: string;
  readonly kind: ProviderKind;
}
