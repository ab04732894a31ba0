import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { type Customer, openToolHouse, type ToolHouse } from './house.ts';
import { connect, requestToken } from './oauth-client.ts';

let tools: ToolHouse;
let customer: Customer;

beforeAll(async () => {
  tools = await openToolHouse();
  customer = await tools.customer();
}, 120_000);
afterAll(() => tools?.stop());

describe('the authorization server', () => {
  it('leads from registration through the pages to tokens, and rotates them', async () => {
    const connection = await connect(tools, customer);
    expect(decodeProtectedHeader(connection.accessToken)).toMatchObject({ alg: 'ES256', typ: 'at+jwt' });
    expect(decodeJwt(connection.accessToken)).toMatchObject({
      iss: tools.url,
      aud: tools.resource,
      client_id: connection.clientId,
      scope: 'account.read validation.run',
      assistant_id: expect.stringMatching(/^asst_/),
      sub: expect.stringMatching(/^user_/),
    });
    const { iat = 0, exp = 0 } = decodeJwt(connection.accessToken);
    expect(exp - iat).toBe(600);
    const refreshed = await requestToken(tools.url, connection, {
      grant_type: 'refresh_token',
      refresh_token: connection.refreshToken,
    });
    expect(refreshed).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 600 } });
    expect(refreshed.body['refresh_token']).not.toBe(connection.refreshToken);
  });
});
