import { describe, expect, it } from '@jest/globals';
import { linkPurposes, readMailedLink } from './page-addresses.ts';

describe('an emailed link', () => {
  it.each(linkPurposes)('is read with its purpose: %s', purpose => {
    expect(readMailedLink(`token=mp_link_1&for=${purpose}`)).toEqual({ token: 'mp_link_1', purpose });
  });

  it.each(['', 'token=mp_link_1', 'for=sign_up', 'token=&for=sign_up', 'token=mp_link_1&for=toString'])(
    'is none where it is not complete: %s',
    fragment => {
      expect(readMailedLink(fragment)).toBeUndefined();
    },
  );
});
