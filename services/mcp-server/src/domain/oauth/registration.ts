import { redirectUriKind } from './redirect-uri.ts';

/** The most redirect URIs of one client. */
const redirectUrisMax = 10;

/**
 * The most characters of all redirect URIs in total, because anyone can choose them; real clients use a few hundred.
 */
const redirectUrisCharactersMax = 2_000;

/** The part of a registration that is stored (RFC 7591 section 2). */
interface ClientRegistration {
  readonly client_name: string;
  readonly redirect_uris: readonly string[];
  readonly application_type: 'native' | 'web';
  readonly grant_types: readonly ['authorization_code', 'refresh_token'];
  readonly response_types: readonly ['code'];
  readonly token_endpoint_auth_method: ClientAuthentication;
}

/** How a client authenticates at the token endpoint. Most clients are public: they run where no secret can be kept. */
export const clientAuthentications = ['none', 'client_secret_basic', 'client_secret_post'] as const;
type ClientAuthentication = (typeof clientAuthentications)[number];

/** The registration to store, or the reason for refusing it (RFC 7591 section 3.2.2). */
type RegistrationJudgment =
  | { readonly kind: 'accepted'; readonly registration: ClientRegistration }
  | {
      readonly kind: 'refused';
      readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata';
      readonly description: string;
    };

/**
 * Derives a client's registration from its request. Clients ask for scopes and grants that mean nothing here, such as
 * `offline_access`; the server may replace them (RFC 7591 section 2), and a refusal would exclude the client without
 * need. Anything that could do harm is refused.
 */
export function judgeRegistration(asked: unknown): RegistrationJudgment {
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
      'redirect_uris must be https URLs, http URLs of localhost, 127.0.0.1 or [::1], or URIs with an app’s own scheme, without fragment or credentials.',
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
      client_name: cleanClientName(given['client_name']) ?? 'Unnamed assistant',
      redirect_uris: [...new Set(redirectUris)],
      // Only native clients may use a loopback port other than the registered one (RFC 8252 section 7.3).
      application_type: kinds.every(kind => kind === 'https') ? 'web' : 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: method,
    },
  };
}

/** Drops members that are null or empty, which programs send when they have no value. */
function sayingSomething(asked: object): Readonly<Record<string, unknown>> {
  const isEmpty = (value: unknown) =>
    value === null || value === '' || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => !isEmpty(value)));
}

function refused(
  error: 'invalid_redirect_uri' | 'invalid_client_metadata',
  description: string,
): RegistrationJudgment {
  return { kind: 'refused', error, description };
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(item => typeof item === 'string');
}

function isClientAuthentication(value: unknown): value is ClientAuthentication {
  return (clientAuthentications as readonly unknown[]).includes(value);
}

/** How many characters of a client's name are kept. */
const nameCharactersMax = 80;
/**
 * Control and format characters, including those that change the text direction, line separators, and invisible
 * characters.
 */
const unfit = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** More marks on one letter than any language uses: they would overlap the lines above and below. */
const heapedMarks = /(\p{M}{3})\p{M}+/gu;
/** Quotation marks. Pages put the name in quotation marks, which must not seem to end inside it. */
const quotes = /["“”„‟«»＂]/gu;

/** Makes an untrusted name safe to show: on one line, of limited length, without invisible characters. */
export function cleanClientName(name: unknown): string | undefined {
  if (typeof name !== 'string') {
    return undefined;
  }
  const shown = name
    .slice(0, nameCharactersMax * 4)
    .replace(unfit, ' ')
    .replace(heapedMarks, '$1')
    .replace(quotes, '’')
    .replace(/\s+/gu, ' ')
    .trim();
  const cut = [...shown].slice(0, nameCharactersMax).join('').trim();
  return cut === '' ? undefined : cut;
}
