import type { AccountId, AssistantId, AssistantRefusal, OauthScope, UserId } from '@mailproof/shared-types';
import type { Assistant, FindAssistant, NoteAssistantUse } from '../assistant.ts';

/** A user's consent, and the browser in which it was given. */
export interface Consent {
  readonly user: Pick<Assistant, 'accountId' | 'userId'>;
  readonly clientId: string;
  readonly clientName: string;
  readonly redirectHost: string;
  readonly scopes: readonly OauthScope[];
  /** SHA-256, in hexadecimal, of the browser's device cookie; undefined when it has none. */
  readonly deviceSha256: string | undefined;
  readonly userAgent: string;
}

/** An assistant as the authorization server sees it: a grant. */
export interface ConnectedAssistant extends Assistant {
  readonly clientId: string;
  readonly connectedAt: Date;
  readonly expiresAt: Date;
}

/** Stores connected assistants. */
export interface AssistantStore {
  find: FindAssistant;
  noteUse: NoteAssistantUse;
  findGrant(assistantId: AssistantId): Promise<ConnectedAssistant | undefined>;
  /**
   * Connects an assistant. Each consent creates a new grant with its own refresh tokens, even if the user has connected
   * the client before. Each grant ends separately. Beyond the limits for one user, and for one client in one browser,
   * the least recently used grants end.
   */
  connect(consent: Consent, assistantId: AssistantId, connectedAt: Date): Promise<void>;
  /** Ends an assistant with all its tokens, as `EndAssistants` does. Returns whether there was one. */
  end(assistantId: AssistantId): Promise<boolean>;
  /** Ends assistants whose last refresh token has expired. Returns how many. */
  sweep(now: Date): Promise<number>;
}

/** The client from which a user signs in, for the account's security log and the count of wrong passwords. */
export interface SignInClient {
  readonly clientAddress: string;
  readonly userAgent: string;
}

/** A user whose password was correct. */
export interface SignedInUser {
  /** Identifies the sign-in to the gateway, which decides how long it is valid. */
  readonly signInId: string;
  readonly accountId: AccountId;
  readonly userId: UserId;
  readonly accountName: string;
  readonly email: string;
}

/** A lockout after too many wrong passwords. */
export interface LockOut {
  readonly retryInMs: number;
  /** Which limit was reached: a new password resets the count of the user, but not that of a network. */
  readonly count: 'user' | 'network';
}

type PasswordCheck =
  /** `device`: the new value of the browser's device cookie. */
  | ({ readonly kind: 'accepted'; readonly device: string } & SignedInUser)
  | { readonly kind: 'refused' }
  | ({ readonly kind: 'locked' } & LockOut);

type AssistantAccess =
  | { readonly kind: 'ready'; readonly accountName: string; readonly email: string }
  | { readonly kind: 'refused'; readonly reason: AssistantRefusal };

/**
 * The authorization server's requests to the gateway, which owns users, plans and keys. Each throws when the gateway is
 * unavailable.
 */
export interface Gateway {
  /** `device`: the current value of the browser's device cookie. */
  checkPassword(
    given: { email: string; password: string; device?: string | undefined } & SignInClient,
  ): Promise<PasswordCheck>;
  assistantAccess(user: Pick<SignedInUser, 'accountId' | 'userId'>): Promise<AssistantAccess>;
  /** Records a connection before it takes effect. Records nothing if the sign-in was voided in the meantime. */
  recordConnected(
    connected: Pick<SignedInUser, 'accountId' | 'userId' | 'signInId'> & {
      assistantId: AssistantId;
    } & SignInClient,
  ): Promise<{ readonly connectedAt: Date } | undefined>;
}
