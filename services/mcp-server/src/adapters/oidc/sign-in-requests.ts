import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AssistantId, OauthScope } from '@mailproof/shared-types';
import { errors, type Provider } from 'oidc-provider';
import { cleanClientName } from '../../domain/oauth/client-name.ts';
import type { SignedInUser } from '../../domain/oauth/gateway-port.ts';
import { requestedScopes } from './configuration.ts';

/** Somebody who has signed in for one consent, in one browser. */
export interface SignIn extends SignedInUser {
  /** SHA-256 of the secret that the browser was given when the password was right. */
  readonly secretSha256: string;
  /** SHA-256 of the browser's device cookie; absent from a sign-in that the previous release started. */
  readonly deviceSha256?: string | undefined;
}

/** A client's request that waits for a person's answer. */
export interface SignInRequest {
  /** Its id, which stands in the address of its pages. */
  readonly uid: string;
  readonly clientId: string;
  /** What the client calls itself. */
  readonly clientName: string;
  /** The host, with its port if it is an unusual one, that published the client's metadata document; nothing for a client that registered itself. */
  readonly verifiedHost: string | undefined;
  readonly redirectUri: string;
  readonly scopes: readonly OauthScope[];
  readonly signIn: SignIn | undefined;
}

/** Requests that wait for a person's answer, kept by the library and found by the cookie of the browser that began them. */
export interface SignInRequests {
  find(request: IncomingMessage, response: ServerResponse): Promise<SignInRequest | undefined>;
  /** Notes who has signed in, or that nobody has. */
  noteSignIn(request: IncomingMessage, response: ServerResponse, signIn: SignIn | undefined): Promise<void>;
  /** Sends the browser on with a yes. */
  allow(
    request: IncomingMessage,
    response: ServerResponse,
    allowed: { signIn: SignIn; assistantId: AssistantId },
  ): Promise<void>;
  /** Sends the browser back to the client with a no, and why in words. */
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
        clientName: cleanClientName(client.clientName) ?? 'An assistant without a name',
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

/** A request that is over, or another browser's, is none. */
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
