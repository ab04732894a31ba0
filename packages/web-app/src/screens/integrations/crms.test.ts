import { describe, expect, it } from '@jest/globals';
import { isAddressOfCrm } from './crms.ts';

describe('the address of a CRM', () => {
  it.each(['https://app.hubspot.com/oauth/authorize?x=1', 'http://127.0.0.1:4310/oauth', 'http://[::1]:1/'])(
    'is gone to: %s',
    address => expect(isAddressOfCrm(address)).toBe(true),
  );

  it.each(['javascript:alert(1)', 'http://hubspot.example/', 'data:text/html,x', '/oauth', ''])(
    'is not gone to: %s',
    address => expect(isAddressOfCrm(address)).toBe(false),
  );
});
