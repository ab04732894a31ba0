import { describe, expect, it } from '@jest/globals';
import { newId } from '../ids.ts';
import { disconnectAssistantSignedIn } from './app/assistants.ts';
import { beginPeopleSearch } from './app/people-searches.ts';
import { forwarded } from './forwarded.ts';
import { getMe } from './public/get-me.ts';

describe('a forwarded operation', () => {
  const twin = forwarded(disconnectAssistantSignedIn);

  it('names the account and the user in its path, and is for the gateway alone', () => {
    expect(twin.path).toBe('/internal/v1/accounts/:accountId/users/:userId/assistants/:assistant_id');
    expect(twin.access).toEqual({ kind: 'service', callers: ['gateway'] });
    const params = {
      accountId: newId('account'),
      userId: newId('user'),
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
      problems: [...disconnectAssistantSignedIn.problems, 'invalid_request'],
      success: { schema: disconnectAssistantSignedIn.success.schema },
    });
  });

  it('takes what has become longer by being parsed', () => {
    const body = { name: 'A', filters: { company_domains: ['ü.de', 'é.fr'], cities: ['\u{fb2c}'] } };
    const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value));
    const parsed = beginPeopleSearch.body.parse(body);
    expect(bytes(parsed)).toBeGreaterThan(bytes(body));
    expect(forwarded(beginPeopleSearch).bodyBytesMax).toBeGreaterThanOrEqual(
      (beginPeopleSearch.bodyBytesMax * bytes(parsed.filters)) / bytes(body.filters),
    );
  });

  it('is not made of what no session opens', () => {
    expect(() => forwarded(getMe)).toThrow('get-me');
  });
});
