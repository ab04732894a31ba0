import { cleanClientName } from './client-name.ts';

/** Octets of a client ID metadata document. The draft wishes for no more than 5 KiB; documents of real clients come near it. */
export const metadataDocumentBytesMax = 16_384;

/** Characters of its address, which is a client id: it is kept, looked up by, and stands in each access token. */
export const metadataDocumentUrlCharactersMax = 512;

/** Redirect URIs of one metadata document. */
const redirectUrisMax = 50;

/** Members that say something here. Others, such as `scope`, name what other servers know, and would be held against the client. */
const meant = [
  'client_id',
  'client_uri',
  'redirect_uris',
  'grant_types',
  'response_types',
  'token_endpoint_auth_method',
  // The draft forbids these; the library has to see them in order to refuse.
  'client_secret',
  'client_secret_expires_at',
] as const;

/** Nobody answers for the document at the moment, which says nothing of the client. */
export class DocumentUnreachable extends Error {
  override readonly name = 'DocumentUnreachable';
}

/** Reads what a client publishes about itself as far as it concerns us. Throws where it is none. */
export function readMetadataDocument(text: string): Record<string, unknown> {
  const document: unknown = JSON.parse(text);
  if (typeof document !== 'object' || document === null || Array.isArray(document)) {
    throw new TypeError('A client ID metadata document must be a JSON object.');
  }
  const given = document as Readonly<Record<string, unknown>>;
  const redirectUris = given['redirect_uris'];
  if (Array.isArray(redirectUris) && redirectUris.length > redirectUrisMax) {
    throw new TypeError(`A client may have at most ${redirectUrisMax} redirect URIs.`);
  }
  const name = cleanClientName(given['client_name']);
  return {
    ...Object.fromEntries(meant.flatMap(member => (member in given ? [[member, given[member]]] : []))),
    ...(name !== undefined && { client_name: name }),
  };
}
