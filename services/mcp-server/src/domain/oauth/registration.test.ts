import { describe, expect, it, test } from '@jest/globals';
import { cleanClientName, judgeRegistration } from './registration.ts';

const redirect_uris = ['http://127.0.0.1/callback'];

describe('a registration', () => {
  it('gets the supported values instead of unsupported ones', () => {
    const asked = {
      client_name: 'Editor',
      redirect_uris,
      scope: 'account.read validation.run offline_access',
      grant_types: ['authorization_code', 'refresh_token', 'implicit', 'client_credentials'],
      response_types: ['code', 'token'],
      jwks_uri: 'http://169.254.169.254/',
      sector_identifier_uri: 'http://169.254.169.254/',
      software_id: 'x',
    };
    expect(judgeRegistration(asked)).toEqual({
      kind: 'accepted',
      registration: {
        client_name: 'Editor',
        redirect_uris,
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
    });
  });

  test.each([
    ['Claude', 'Claude'],
    ['  Claude \n Code\t', 'Claude Code'],
    ['Bank\u202Ekcab\u200B', 'Bank kcab'],
    ['\u0000\u0007', 'Unnamed assistant'],
    ['x'.repeat(500), 'x'.repeat(80)],
    ['', 'Unnamed assistant'],
    [42, 'Unnamed assistant'],
    [undefined, 'Unnamed assistant'],
  ])('whose name is %j is shown as %j', (client_name, shown) => {
    expect(judgeRegistration({ client_name, redirect_uris })).toMatchObject({
      registration: { client_name: shown },
    });
  });

  test.each([
    [['https://claude.ai/api/mcp/auth_callback'], 'web'],
    [['https://vscode.dev/redirect', 'http://127.0.0.1/'], 'native'],
    [['cursor://anysphere.cursor-mcp/oauth/callback'], 'native'],
  ])('with the redirects %j is %s', (uris, application_type) => {
    expect(judgeRegistration({ redirect_uris: uris })).toMatchObject({ registration: { application_type } });
  });

  test.each([
    [undefined, 'invalid_client_metadata'],
    [[], 'invalid_client_metadata'],
    ['text', 'invalid_client_metadata'],
    [{}, 'invalid_redirect_uri'],
    [{ redirect_uris: [] }, 'invalid_redirect_uri'],
    [{ redirect_uris: 'https://example.com/' }, 'invalid_redirect_uri'],
    [{ redirect_uris: [1] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['http://example.com/callback'] }, 'invalid_redirect_uri'],
    [{ redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    [
      { redirect_uris: Array.from({ length: 11 }, (_, n) => `https://example.com/${n}`) },
      'invalid_redirect_uri',
    ],
    [
      { redirect_uris: ['a', 'b'].map(name => `https://example.com/${name.repeat(1_000)}`) },
      'invalid_redirect_uri',
    ],
    [{ redirect_uris, response_types: ['token'] }, 'invalid_client_metadata'],
    [{ redirect_uris, token_endpoint_auth_method: 'client_secret_jwt' }, 'invalid_client_metadata'],
  ])('of %j is refused', (asked, error) => {
    expect(judgeRegistration(asked)).toEqual({ kind: 'refused', error, description: expect.any(String) });
  });
});

describe('the name of a client', () => {
  it.each([
    ['Claude', 'Claude'],
    ['  Claude\n Desktop ', 'Claude Desktop'],
    ['Éditeur à côté', 'Éditeur à côté'],
    ['\u202egnp.exe', 'gnp.exe'],
    ['“ to your account? Yes. “', '’ to your account? Yes. ’'],
    [`Z${'\u0335'.repeat(40)}algo`, `Z${'\u0335'.repeat(3)}algo`],
    ['x'.repeat(10_000), 'x'.repeat(80)],
  ])('%j is shown as %j', (given, shown) => {
    expect(cleanClientName(given)).toBe(shown);
  });

  it.each(['', ' \n', '\u3164', '\u2800\u2800', '\u200b', '\ud800', 12, undefined])(
    'is none when it is %j',
    given => {
      expect(cleanClientName(given)).toBeUndefined();
    },
  );
});
