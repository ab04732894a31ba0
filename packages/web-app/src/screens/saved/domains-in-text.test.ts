import { describe, expect, it } from '@jest/globals';
import { domainsIn } from './domains-in-text.ts';

describe('the domains in a text', () => {
  it.each([
    ['acme.com', ['acme.com']],
    ['Acme.COM,\n www.acme.com;globex.example.', ['acme.com', 'globex.example']],
    ['ada@acme.com <bob@globex.example>', ['acme.com', 'globex.example']],
    ['https://www.acme.com/about?x=1 http://shop.globex.example:8080', ['acme.com', 'shop.globex.example']],
    ['bücher.example', ['xn--bcher-kva.example']],
    ['"acme.com"', ['acme.com']],
    ['', []],
  ])('are found: %j', (text, domains) => {
    expect(domainsIn(text)).toEqual({ domains, faulty: [] });
  });

  it('are none where a word has no domain', () => {
    const words = ['acme', '192.0.2.1', '[::1]', 'http://', 'ada@', 'a..b', '-'];
    expect(domainsIn(words.join('\n'))).toEqual({ domains: [], faulty: words });
  });
});
