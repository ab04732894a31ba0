import type { AccountId, AssistantId, AssistantRefusal, UserId } from '@mailproof/shared-types';

/** Where somebody signs in from, for the account's security log and the count of wrong passwords. */
export interface SignInClient {
  readonly clientAddress: string;
  readonly userAgent: string;
}

/** A person whose password was right. */
export interface SignedInUser {
  /** Names the sign-in to the gateway, which says how long it is good for. */
  readonly signInId: string;
  readonly accountId: AccountId;
  readonly userId: UserId;
  readonly accountName: string;
  readonly email: string;
}

/** There were too many wrong passwords. */
export interface LockOut {
  readonly retryInMs: number;
  /** Which count is full: a new password resets the count of the user, not that of a network. */
  readonly count: 'user' | 'network';
}

export type PasswordCheck =
  /** `device` is the value for the browser's device cookie. */
  | ({ readonly kind: 'accepted'; readonly device: string } & SignedInUser)
  | { readonly kind: 'refused' }
  | ({ readonly kind: 'locked' } & LockOut);

export type AssistantAccess =
  | { readonly kind: 'ready'; readonly accountName: string; readonly email: string }
  | { readonly kind: 'refused'; readonly reason: AssistantRefusal };

/** What the authorization server asks the gateway, which owns users, plans and keys. All of it can throw when it is away. */
export interface Gateway {
  /** `device`: the value of the browser's device cookie. */
  checkPassword(
    given: { email: string; password: string; device?: string | undefined } & SignInClient,
  ): Promise<PasswordCheck>;
  assistantAccess(user: Pick<SignedInUser, 'accountId' | 'userId'>): Promise<AssistantAccess>;
  /** Writes a connection down ahead of its taking effect. A sign-in that was made void meanwhile is good for none. */
  recordConnected(
    connected: Pick<SignedInUser, 'accountId' | 'userId' | 'signInId'> & {
      assistantId: AssistantId;
    } & SignInClient,
  ): Promise<{ readonly connectedAt: Date } | undefined>;
}
