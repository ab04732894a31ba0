import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AssistantId, OauthScope } from '@mailproof/shared-types';
import { errors, type Provider } from 'oidc-provider';
import type { SignedInUser } from '../../domain/oauth/assistant-store.ts';
import { cleanClientName } from '../../domain/oauth/registration.ts';
import { requestedScopes } from './configuration.ts';

/** A user who has signed in for one consent, in one browser. */
export interface SignIn extends SignedInUser {
  /** SHA-256 of the secret that the browser got when the password was accepted. */
  readonly secretSha256: string;
  /** SHA-256 of the browser's device cookie; absent if the previous release started the sign-in. */
  readonly deviceSha256?: string | undefined;
}

/** A client's request that is waiting for the user's decision. */
export interface SignInRequest {
  /** The request's id, which is part of the URL of its pages. */
  readonly uid: string;
  readonly clientId: string;
  /** The name that the client gives itself. */
  readonly clientName: string;
  /**
   * The host that published the client's metadata document, with its port unless it is the default; undefined for a
   * client that registered itself.
   */
  readonly verifiedHost: string | undefined;
  readonly redirectUri: string;
  readonly scopes: readonly OauthScope[];
  readonly signIn: SignIn | undefined;
}

/**
 * Requests that are waiting for a decision, stored by the library and found by the cookie of the browser that started
 * them.
 */
export interface SignInRequests {
  find(request: IncomingMessage, response: ServerResponse): Promise<SignInRequest | undefined>;
  /** Records who has signed in, or that no one has. */
  noteSignIn(request: IncomingMessage, response: ServerResponse, signIn: SignIn | undefined): Promise<void>;
  /** Approves the request and redirects the browser. */
  allow(
    request: IncomingMessage,
    response: ServerResponse,
    allowed: { signIn: SignIn; assistantId: AssistantId },
  ): Promise<void>;
  /** Denies the request and redirects the browser to the client, with the reason as text. */
  deny(request: IncomingMessage, response: ServerResponse, why: string): Promise<void>;
}

export function createSignInRequests(provider: () => Promise<Provider>): SignInRequests {
  return {
    async find(request, response) {
      const library = await provider();
      const interaction = await found(() => library.interactionDetails(request, response));
      const client = interaction && (await library.Client.find(String(interaction.params['client_id'])));
      if (!interaction || !client) {
        return undefined;
      }
      const isDocument = Object.hasOwn(client, 'clientIdMetadataDocument');
      return {
        uid: interaction.uid,
        clientId: client.clientId,
        clientName: cleanClientName(client.clientName) ?? 'Unnamed assistant',
        verifiedHost: isDocument ? new URL(client.clientId).host : undefined,
        redirectUri: String(interaction.params['redirect_uri']),
        scopes: requestedScopes(interaction.params['scope']),
        signIn: interaction.lastSubmission?.['signIn'] as SignIn | undefined,
      };
    },

    async noteSignIn(request, response, signIn) {
      const interaction = await (await provider()).interactionDetails(request, response);
      interaction.lastSubmission = { ...(signIn && { signIn }) };
      await interaction.persist();
    },

    async allow(request, response, { signIn, assistantId }) {
      const result = {
        login: { accountId: signIn.userId, remember: false },
        consent: { grantId: assistantId },
      };
      await (await provider()).interactionFinished(request, response, result, {
        mergeWithLastSubmission: false,
      });
    },

    async deny(request, response, why) {
      const result = { error: 'access_denied', error_description: why };
      await (await provider()).interactionFinished(request, response, result, {
        mergeWithLastSubmission: false,
      });
    },
  };
}

/** Treats a request that has expired, or that belongs to another browser, as missing. */
async function found<Result>(find: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof errors.SessionNotFound) {
      return undefined;
    }
    throw error;
  }
}
