import { expect, test } from '@jest/globals';
import { companyDomainOf } from './company-domain.ts';

test.each([
  ['ada@acme.example', 'acme.example'],
  [' Ada.Lovelace@Mail.ACME.co.uk ', 'acme.co.uk'],
  ['ada@bücher.example', 'xn--bcher-kva.example'],
  ['https://www.acme.com/about?x=1#team', 'acme.com'],
  ['shop.acme.de', 'acme.de'],
  ['ACME.COM.', 'acme.com'],
  ['linkedin.com', 'linkedin.com'],
  // The company of a free mailbox provider is one, but its customers are not.
  ['https://www.orange.fr', 'orange.fr'],
  ['ada@orange.fr', undefined],
  ['ada@gmail.com', undefined],
  ['ada@ms1.hinet.net', undefined],
  ['gmail.com', undefined],
  ['https://www.linkedin.com/company/acme', undefined],
  ['ada@[192.0.2.1]', undefined],
  ['http://192.0.2.1/', undefined],
  ['under_score.com', undefined],
  ['com', undefined],
  ['', undefined],
  ['Acme Limited', undefined],
  ['ada@', undefined],
  ['\ud800@acme.com', undefined],
])('the company domain of %j is %s', (text, domain) => expect(companyDomainOf(text)).toBe(domain));
