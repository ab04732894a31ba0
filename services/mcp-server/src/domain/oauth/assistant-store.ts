import type { AssistantId, OauthScope } from '@mailproof/shared-types';
import type { Assistant, FindAssistant, NoteAssistantUse } from '../assistant.ts';

/** What a consent says, and where it was given. */
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

/** An assistant as the authorization server knows it: its grant. */
export interface ConnectedAssistant extends Assistant {
  readonly clientId: string;
  readonly connectedAt: Date;
  readonly expiresAt: Date;
}

/** Where connected assistants are kept. */
export interface AssistantStore {
  find: FindAssistant;
  noteUse: NoteAssistantUse;
  findGrant(assistantId: AssistantId): Promise<ConnectedAssistant | undefined>;
  /**
   * Connects an assistant. Each consent makes a grant of its own, with its own refresh tokens, even if the user has
   * connected the client before. Each ends separately. Beyond the limits for one user, and for one client in one
   * browser, the grants that were used longest ago end.
   */
  connect(consent: Consent, assistantId: AssistantId, connectedAt: Date): Promise<void>;
  /** Ends an assistant with all its tokens, as `EndAssistants` does. Answers whether there was one. */
  end(assistantId: AssistantId): Promise<boolean>;
  /** Ends assistants whose last refresh token is over. Answers how many. */
  sweep(now: Date): Promise<number>;
}
