import { oauthScopeNames } from '@mailproof/shared-types';

/** Members of the library's description that hold here (RFC 8414, RFC 9126, RFC 9207); the others are of OpenID Connect. */
const kept = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'jwks_uri',
  'registration_endpoint',
  'revocation_endpoint',
  'pushed_authorization_request_endpoint',
  'grant_types_supported',
  'response_types_supported',
  'code_challenge_methods_supported',
  'token_endpoint_auth_methods_supported',
  'authorization_response_iss_parameter_supported',
  'client_id_metadata_document_supported',
  'request_uri_parameter_supported',
  'subject_types_supported',
  'id_token_signing_alg_values_supported',
] as const;

/** The authorization server's metadata: what clients need to know, and nothing that is not offered. */
export function describeServer(described: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return {
    ...Object.fromEntries(kept.flatMap(name => (name in described ? [[name, described[name]]] : []))),
    revocation_endpoint_auth_methods_supported: described['token_endpoint_auth_methods_supported'],
    response_modes_supported: ['query'],
    // Without `offline_access`: every client that can gets refresh tokens, and asking for it changes nothing.
    scopes_supported: oauthScopeNames,
  };
}
