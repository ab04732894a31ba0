import { cleanClientName } from './client-name.ts';
import { redirectUriKind } from './redirect-uri.ts';

/** Redirect URIs of one client. */
export const redirectUrisMax = 10;

/**
 * Characters of all redirect URIs in total, because strangers choose them; those of real clients have a few hundred.
 */
const redirectUrisCharactersMax = 2_000;

/** What is kept of a registration (RFC 7591 section 2). */
export interface ClientRegistration {
  readonly client_name: string;
  readonly redirect_uris: readonly string[];
  readonly application_type: 'native' | 'web';
  readonly grant_types: readonly ['authorization_code', 'refresh_token'];
  readonly response_types: readonly ['code'];
  readonly token_endpoint_auth_method: ClientAuthentication;
}

/** How a client proves who it is at the token endpoint. Most are public: they run where no secret can be kept. */
export const clientAuthentications = ['none', 'client_secret_basic', 'client_secret_post'] as const;
export type ClientAuthentication = (typeof clientAuthentications)[number];

/** A registration as it is kept, or what is wrong with it (RFC 7591 section 3.2.2). */
export type RegistrationJudgement =
  | { readonly kind: 'accepted'; readonly registration: ClientRegistration }
  | {
      readonly kind: 'refused';
      readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata';
      readonly description: string;
    };

/**
 * Makes of what a client asks for what it gets. Clients ask for scopes and grants that mean nothing here, such as
 * `offline_access`; the server may replace them (RFC 7591 section 2), and a refusal would keep the client out for nothing.
 * What could harm somebody is refused.
 */
export function judgeRegistration(asked: unknown): RegistrationJudgement {
  if (typeof asked !== 'object' || asked === null || Array.isArray(asked)) {
    return refused('invalid_client_metadata', 'The body must be a JSON object.');
  }
  const given = sayingSomething(asked);
  const redirectUris = given['redirect_uris'];
  if (!isListOfTexts(redirectUris) || redirectUris.length === 0 || redirectUris.length > redirectUrisMax) {
    return refused(
      'invalid_redirect_uri',
      `redirect_uris must be a list of 1 to ${redirectUrisMax} redirect URIs.`,
    );
  }
  if (redirectUris.join('').length > redirectUrisCharactersMax) {
    return refused(
      'invalid_redirect_uri',
      `redirect_uris must have at most ${redirectUrisCharactersMax} characters in total.`,
    );
  }
  const kinds = redirectUris.map(redirectUriKind);
  if (kinds.includes(undefined)) {
    return refused(
      'invalid_redirect_uri',
      'redirect_uris must be https URLs, http URLs of localhost, 127.0.0.1 or [::1], or URIs of an app’s own scheme, without fragment or credentials.',
    );
  }
  const method = given['token_endpoint_auth_method'] ?? 'none';
  if (!isClientAuthentication(method)) {
    return refused(
      'invalid_client_metadata',
      `token_endpoint_auth_method must be one of ${clientAuthentications.join(', ')}.`,
    );
  }
  const responseTypes = given['response_types'];
  if (responseTypes !== undefined && !(isListOfTexts(responseTypes) && responseTypes.includes('code'))) {
    return refused('invalid_client_metadata', 'response_types must contain code.');
  }
  return {
    kind: 'accepted',
    registration: {
      client_name: cleanClientName(given['client_name']) ?? 'An assistant without a name',
      redirect_uris: [...new Set(redirectUris)],
      // Native clients alone may use another loopback port than they registered (RFC 8252 section 7.3).
      application_type: kinds.every(kind => kind === 'https') ? 'web' : 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: method,
    },
  };
}

/** Without members that are null or empty, as programs write what they have nothing to say about. */
function sayingSomething(asked: object): Readonly<Record<string, unknown>> {
  const isEmpty = (value: unknown) =>
    value === null || value === '' || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => !isEmpty(value)));
}

function refused(
  error: 'invalid_redirect_uri' | 'invalid_client_metadata',
  description: string,
): RegistrationJudgement {
  return { kind: 'refused', error, description };
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(item => typeof item === 'string');
}

function isClientAuthentication(value: unknown): value is ClientAuthentication {
  return (clientAuthentications as readonly unknown[]).includes(value);
}
