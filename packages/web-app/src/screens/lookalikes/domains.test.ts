import { describe, expect, it } from '@jest/globals';
import { domainFault, splitDomains } from './domains.ts';

describe('domains that are pasted', () => {
  it('finds them in addresses of pages and of people, each once', () => {
    expect(
      splitDomains(
        'https://www.Ordinary.example/about?x=1, ordinary.example;\nada@other.example  third.example.',
      ),
    ).toEqual(['ordinary.example', 'other.example', 'third.example']);
  });

  it('writes letters beyond ASCII as the store does', () => {
    expect(splitDomains('bücher.example')).toEqual(['xn--bcher-kva.example']);
  });

  it('keeps what is none, and says so', () => {
    for (const text of ['ordinary', '192.0.2.1', 'a..b', '-x.example']) {
      const [domain = ''] = splitDomains(text);
      expect([domain, domainFault(domain)]).toEqual([text, `${text} is not a domain.`]);
    }
    expect(domainFault('ordinary.example')).toBeUndefined();
  });

  it('finds nothing in nothing', () => {
    expect(splitDomains(' ,;\n')).toEqual([]);
  });
});
