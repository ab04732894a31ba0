import { describe, expect, it } from '@jest/globals';
import { parseCrmCallback, storeCrmCallback, storedCrmCallback } from './crm-callback.ts';

describe('the parameters of a CRM’s redirect', () => {
  it('are a code or an error, with the state, and no other parameter of the URL', () => {
    expect(parseCrmCallback('?code=c-1&state=s-1&hub=x')).toEqual({ state: 's-1', code: 'c-1' });
    expect(parseCrmCallback('?error=access_denied&error_description=x&state=s-1')).toEqual({
      state: 's-1',
      error: 'access_denied',
    });
  });

  it('stays text, even if it looks like another type', () => {
    expect(parseCrmCallback('?code=00123&state=true')).toEqual({ state: 'true', code: '00123' });
    expect(parseCrmCallback('?code=a%2Bb%20c&state=%22s%22')).toEqual({ state: '"s"', code: 'a+b c' });
  });

  it.each(['', '?code=c-1', '?state=s-1', '?error=access_denied', '?state=&code=c'])(
    'is nothing where it is not whole: %s',
    query => expect(parseCrmCallback(query)).toBeUndefined(),
  );

  it('is kept when the address is cleared, and is not taken for cleared when there was something', () => {
    expect(storeCrmCallback('?code=c-1&state=s-1')).toBe(true);
    expect(storeCrmCallback('')).toBe(false);
    expect(storedCrmCallback()).toEqual({ state: 's-1', code: 'c-1' });
    expect(storeCrmCallback('?state=half')).toBe(true);
    expect(storedCrmCallback()).toBeUndefined();
  });
});
