import { describe, expect, it } from '@jest/globals';
import { newId } from '../ids.ts';
import { disconnectAssistantSignedIn } from './app/assistants.ts';
import { forwarded } from './forwarded.ts';
import { getMe } from './public/get-me.ts';

describe('a forwarded operation', () => {
  const twin = forwarded(disconnectAssistantSignedIn);

  it('names the account and the user in its path, and is for the gateway alone', () => {
    expect(twin.path).toBe('/internal/v1/accounts/:accountId/users/:callerId/assistants/:assistant_id');
    expect(twin.access).toEqual({ kind: 'service', callers: ['gateway'] });
    const params = {
      accountId: newId('account'),
      callerId: newId('user'),
      assistant_id: newId('assistant'),
    };
    expect(twin.params.parse(params)).toEqual(params);
    expect(twin.params.safeParse({ ...params, more: '' }).success).toBe(false);
    expect(twin.params.safeParse({ assistant_id: params.assistant_id }).success).toBe(false);
  });

  it('has the query, body, answer and problems of the application’s, and may refuse the request itself', () => {
    expect(twin).toMatchObject({
      method: 'delete',
      body: disconnectAssistantSignedIn.body,
      bodyBytesMax: 0,
      problems: [...disconnectAssistantSignedIn.problems, 'invalid_request', 'malformed_json'],
      success: { schema: disconnectAssistantSignedIn.success.schema },
    });
  });

  it('is not made of what no session opens', () => {
    expect(() => forwarded(getMe)).toThrow('get-me');
  });
});
