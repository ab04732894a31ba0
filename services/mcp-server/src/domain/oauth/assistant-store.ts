import type { AssistantId, OauthScope } from '@mailproof/shared-types';
import type { Assistant, FindAssistant, NoteAssistantUse } from '../assistant.ts';

/** What a consent says. */
export interface Consent {
  readonly user: Pick<Assistant, 'accountId' | 'userId'>;
  readonly clientId: string;
  readonly clientName: string;
  readonly redirectHost: string;
  readonly scopes: readonly OauthScope[];
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
  /** The assistant that this consent would extend, if the user has connected the client before. */
  findConnected(consent: Consent): Promise<AssistantId | undefined>;
  /**
   * Connects an assistant, or extends the one that there is by what is granted now. Beyond as many as a user may have,
   * the one used longest ago ends.
   */
  connect(consent: Consent, assistantId: AssistantId, connectedAt: Date): Promise<AssistantId>;
  /** Ends an assistant with all its tokens, as `EndAssistants` does. Answers whether there was one. */
  end(assistantId: AssistantId): Promise<boolean>;
  /** Ends assistants whose last refresh token is over. Answers how many. */
  sweep(now: Date): Promise<number>;
}
