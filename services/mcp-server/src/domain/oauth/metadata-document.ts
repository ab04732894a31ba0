import { cleanClientName } from './registration.ts';

/**
 * Largest client ID metadata document, in octets. The draft recommends at most 5 KiB; documents of real clients come
 * close to that.
 */
export const metadataDocumentBytesMax = 16_384;

/**
 * Longest URL of a metadata document, in characters. It is the client id: it is stored, used for lookups, and part of
 * each access token.
 */
export const metadataDocumentUrlCharactersMax = 512;

/** The most redirect URIs in one metadata document. */
const redirectUrisMax = 50;

/**
 * Members that have a meaning here. Others, such as `scope`, may have values that only other servers know, and the
 * library would refuse the client because of them.
 */
const meant = [
  'client_id',
  'client_uri',
  'redirect_uris',
  'grant_types',
  'response_types',
  'token_endpoint_auth_method',
  // The draft forbids these; they are kept so that the library can refuse the document.
  'client_secret',
  'client_secret_expires_at',
] as const;

/** The document's server is currently unavailable, which says nothing about the client. */
export class DocumentUnreachable extends Error {
  override readonly name = 'DocumentUnreachable';
}

/**
 * Reads the members of a client's metadata document that have a meaning here. Throws if the text is not a metadata
 * document.
 */
export function readMetadataDocument(text: string): Record<string, unknown> {
  const document: unknown = JSON.parse(text);
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new TypeError('A client ID metadata document must be a JSON object.');
  }
  const given = document as Readonly<Record<string, unknown>>;
  const redirectUris = given['redirect_uris'];
  if (Array.isArray(redirectUris) && redirectUris.length > redirectUrisMax) {
    throw new TypeError(`A client can have at most ${redirectUrisMax} redirect URIs.`);
  }
  const name = cleanClientName(given['client_name']);
  return {
    ...Object.fromEntries(meant.flatMap(member => (member in given ? [[member, given[member]]] : []))),
    ...(name !== undefined && { client_name: name }),
  };
}
