import type {
  AccountId,
  CrmConnectionFault,
  CrmConnectionId,
  CrmProvider,
  UserId,
} from '@mailproof/shared-types';

/** A CRM that an account has connected. What gives access is no part of it. */
export interface CrmConnection {
  readonly connectionId: CrmConnectionId;
  readonly accountId: AccountId;
  readonly provider: CrmProvider;
  /** What the CRM calls the organisation, and what people call it. */
  readonly organisationId: string;
  readonly organisationName: string;
  readonly connectedBy: UserId;
  readonly connectedAt: Date;
  readonly lastUsedAt: Date | null;
  /** Why it does nothing at present. */
  readonly fault: CrmConnectionFault | null;
}

/** What gives access. Never in a log, a span, a metric or a queue; sealed wherever it is kept. */
export interface CrmTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Null where the CRM does not say. */
  readonly accessEndsAt: Date | null;
}

/** A connection that has been made. */
export type NewCrmConnection = Pick<
  CrmConnection,
  | 'connectionId'
  | 'accountId'
  | 'provider'
  | 'organisationId'
  | 'organisationName'
  | 'connectedBy'
  | 'connectedAt'
> & { readonly apiBaseUrl: string };

/** A connection that is no more. */
export interface RemovedConnection {
  readonly connection: CrmConnection;
  /** Undefined where they cannot be opened. */
  readonly tokens: CrmTokens | undefined;
  /** Whether another account is still connected to the same organisation. */
  readonly isSharedWithOthers: boolean;
}

/** What gives access to one connection, as it is kept. */
export interface KeptAccess {
  readonly provider: CrmProvider;
  readonly apiBaseUrl: string;
  readonly fault: CrmConnectionFault | null;
  readonly lastUsedAt: Date | null;
  /** Grows with every change of the tokens. */
  readonly version: number;
  /** Undefined where they cannot be opened. */
  readonly tokens: CrmTokens | undefined;
}

export interface CrmConnectionStore {
  /** Newest first. */
  list(accountId: AccountId): Promise<readonly CrmConnection[]>;
  find(accountId: AccountId, connectionId: CrmConnectionId): Promise<CrmConnection | undefined>;
  /**
   * Keeps a connection. One to the same organisation stays the connection that it is, with new tokens and without its
   * fault. Undefined where the account has too many.
   */
  keep(
    connection: NewCrmConnection,
    tokens: CrmTokens,
    connectionsMax: number,
  ): Promise<CrmConnection | undefined>;
  remove(accountId: AccountId, connectionId: CrmConnectionId): Promise<RemovedConnection | undefined>;
  /** Removes some of the account's. */
  removeOfAccount(accountId: AccountId): Promise<readonly RemovedConnection[]>;
}

export interface CrmTokenStore {
  find(connectionId: CrmConnectionId): Promise<KeptAccess | undefined>;
  /**
   * Takes the right to renew the tokens of this version for a while; false where somebody else has it, or they have been
   * renewed. It ends by itself, so that a process that dies with it holds nobody up for long. The time is the store's, which
   * is one for all processes.
   */
  lease(connectionId: CrmConnectionId, version: number, leaseMs: number): Promise<boolean>;
  /** Gives the right back. */
  release(connectionId: CrmConnectionId, version: number): Promise<void>;
  /** Puts new tokens in the place of those of this version. `superseded`: others were faster. */
  replace(
    connectionId: CrmConnectionId,
    version: number,
    tokens: CrmTokens,
    apiBaseUrl: string,
  ): Promise<'replaced' | 'superseded' | 'gone'>;
  /** Writes down that the tokens of this version are of no use; of newer ones nothing is said. */
  noteFault(connectionId: CrmConnectionId, version: number, fault: CrmConnectionFault): Promise<void>;
  noteUse(connectionId: CrmConnectionId, at: Date): Promise<void>;
}

/** A connection that was begun and waits for the CRM's answer. */
export interface CrmSignIn {
  readonly stateHash: string;
  readonly accountId: AccountId;
  readonly userId: UserId;
  readonly provider: CrmProvider;
  /** Proves to the CRM that who brings the answer has begun it (RFC 7636). */
  readonly verifier: string;
  readonly expiresAt: Date;
}

export interface CrmSignInStore {
  /** Keeps the newest of an account, `perAccountMax` of them. */
  add(signIn: CrmSignIn, perAccountMax: number): Promise<void>;
  /** Takes one out, so that it is of use once; undefined where this user has begun none that is still good. */
  take(
    which: Pick<CrmSignIn, 'stateHash' | 'accountId' | 'userId'>,
    now: Date,
  ): Promise<Pick<CrmSignIn, 'provider' | 'verifier'> | undefined>;
  deleteExpired(now: Date): Promise<void>;
  deleteOfAccount(accountId: AccountId): Promise<void>;
}

export interface ConnectionEvents {
  crmConnected(connection: CrmConnection): void;
  /** `isRevoked`: the CRM knows that our access has ended. */
  crmDisconnected(connection: CrmConnection, isRevoked: boolean): void;
  crmAccessRenewed(connectionId: CrmConnectionId, provider: CrmProvider): void;
  crmAccessLost(connectionId: CrmConnectionId, provider: CrmProvider, fault: CrmConnectionFault): void;
  /** The CRM does not accept our app: its id, secret or redirect address is wrong. An operator has to look. */
  crmAppRefused(provider: CrmProvider, error: string): void;
}
