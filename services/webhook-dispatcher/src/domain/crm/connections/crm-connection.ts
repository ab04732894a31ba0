import type {
  AccountId,
  CrmConnectionFault,
  CrmConnectionId,
  CrmProvider,
  UserId,
} from '@mailproof/shared-types';

/** A CRM that an account has connected, without its tokens. */
export interface CrmConnection {
  readonly connectionId: CrmConnectionId;
  readonly accountId: AccountId;
  readonly provider: CrmProvider;
  /** The CRM's id of the organization; `organizationName` is the readable name. */
  readonly organizationId: string;
  readonly organizationName: string;
  readonly connectedBy: UserId;
  readonly connectedAt: Date;
  readonly lastUsedAt: Date | null;
  /** Why the connection does not work at present. */
  readonly fault: CrmConnectionFault | null;
}

/** The tokens that give access. They never appear in a log, span, metric, or queue, and are always stored encrypted. */
export interface CrmTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Null if the CRM does not say. */
  readonly accessEndsAt: Date | null;
}

/** A new connection. */
export type NewCrmConnection = Pick<
  CrmConnection,
  | 'connectionId'
  | 'accountId'
  | 'provider'
  | 'organizationId'
  | 'organizationName'
  | 'connectedBy'
  | 'connectedAt'
> & { readonly apiBaseUrl: string };

/** A connection that was removed. */
export interface RemovedConnection {
  readonly connection: CrmConnection;
  /** Undefined if they cannot be decrypted. */
  readonly tokens: CrmTokens | undefined;
  /** Whether another account is still connected to the same organization. */
  readonly isSharedWithOthers: boolean;
}

/** The stored access of one connection. */
export interface KeptAccess {
  readonly provider: CrmProvider;
  readonly apiBaseUrl: string;
  readonly fault: CrmConnectionFault | null;
  readonly lastUsedAt: Date | null;
  /** Increases with every change of the tokens. */
  readonly version: number;
  /** Undefined if they cannot be decrypted. */
  readonly tokens: CrmTokens | undefined;
}

export interface CrmConnectionStore {
  /** Newest first. */
  list(accountId: AccountId): Promise<readonly CrmConnection[]>;
  find(accountId: AccountId, connectionId: CrmConnectionId): Promise<CrmConnection | undefined>;
  /**
   * Stores a connection. An existing connection to the same organization keeps its id, gets the new tokens, and loses
   * its fault. Undefined if the account has too many.
   */
  keep(
    connection: NewCrmConnection,
    tokens: CrmTokens,
    connectionsMax: number,
  ): Promise<CrmConnection | undefined>;
  remove(accountId: AccountId, connectionId: CrmConnectionId): Promise<RemovedConnection | undefined>;
  /** Removes some of the account's connections. */
  removeOfAccount(accountId: AccountId): Promise<readonly RemovedConnection[]>;
}

export interface CrmTokenStore {
  find(connectionId: CrmConnectionId): Promise<KeptAccess | undefined>;
  /**
   * Leases the right to renew the tokens of this version; false if another process has it, or the tokens have been
   * renewed. The lease expires, so a process that dies while holding it delays others only briefly. Time is measured by
   * the store's clock, which all processes share.
   */
  lease(connectionId: CrmConnectionId, version: number, leaseMs: number): Promise<boolean>;
  /** Releases the lease. */
  release(connectionId: CrmConnectionId, version: number): Promise<void>;
  /** Replaces the tokens of this version. `superseded`: another process replaced them first. */
  replace(
    connectionId: CrmConnectionId,
    version: number,
    tokens: CrmTokens,
    apiBaseUrl: string,
  ): Promise<'replaced' | 'superseded' | 'gone'>;
  /** Records that the tokens of this version do not work; has no effect on newer tokens. */
  noteFault(connectionId: CrmConnectionId, version: number, fault: CrmConnectionFault): Promise<void>;
  noteUse(connectionId: CrmConnectionId, at: Date): Promise<void>;
}

/** A sign-in that was started and waits for the CRM's answer. */
export interface CrmSignIn {
  readonly stateHash: string;
  readonly accountId: AccountId;
  readonly userId: UserId;
  readonly provider: CrmProvider;
  /** Proves to the CRM that this sign-in was started here (RFC 7636). */
  readonly verifier: string;
  readonly expiresAt: Date;
}

export interface CrmSignInStore {
  /** Stores a sign-in, and keeps only the newest `perAccountMax` of the account. */
  add(signIn: CrmSignIn, perAccountMax: number): Promise<void>;
  /** Removes and returns a sign-in, so that it can be used once; undefined if this user has no valid one. */
  take(
    which: Pick<CrmSignIn, 'stateHash' | 'accountId' | 'userId'>,
    now: Date,
  ): Promise<Pick<CrmSignIn, 'provider' | 'verifier'> | undefined>;
  deleteExpired(now: Date): Promise<void>;
  deleteOfAccount(accountId: AccountId): Promise<void>;
}

export interface ConnectionEvents {
  crmConnected(connection: CrmConnection): void;
  /** `isRevoked`: our access was revoked at the CRM. */
  crmDisconnected(connection: CrmConnection, isRevoked: boolean): void;
  crmAccessRenewed(connectionId: CrmConnectionId, provider: CrmProvider): void;
  crmAccessLost(connectionId: CrmConnectionId, provider: CrmProvider, fault: CrmConnectionFault): void;
  /** The CRM rejects our app because its id, secret, or redirect address is wrong. An operator has to fix it. */
  crmAppRefused(provider: CrmProvider, error: string): void;
}
