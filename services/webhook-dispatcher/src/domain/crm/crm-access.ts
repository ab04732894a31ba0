import type { AccountId, CrmConnectionId, CrmProvider } from '@mailproof/shared-types';
import type { Crm } from './crm.ts';

/** What an adapter calls a CRM with. */
export interface CrmAccess {
  readonly accessToken: string;
  /** Where the organisation's records are, such as Salesforce's instance; the provider's own address otherwise. */
  readonly apiBaseUrl: string;
}

/** Access of one connection, renewed under a lock that holds for all processes. Throws `CrmFault`. */
export interface CrmAccessSource {
  current(signal: AbortSignal): Promise<CrmAccess>;
  /** Access other than the one that the CRM has just refused. */
  renewed(refused: CrmAccess, signal: AbortSignal): Promise<CrmAccess>;
}

/**
 * Makes the adapter of one connection. Connections with the same organisation share its limits, so their calls go at one
 * pace; without it each adapter counts for itself.
 */
export type OpenCrm = (access: CrmAccessSource, organisationId?: string) => Crm;

export type CrmAdapters = Readonly<Record<CrmProvider, OpenCrm>>;

/** The CRMs that accounts have connected. */
export interface ConnectedCrms {
  /** Undefined where the account has no such connection (any more). */
  open(accountId: AccountId, connectionId: CrmConnectionId): Promise<Crm | undefined>;
}
