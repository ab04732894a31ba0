import { describe, expect, it } from '@jest/globals';
import { domainOf } from './domain-of.ts';

describe('the domain of a website', () => {
  it.each([
    ['example.com', 'example.com'],
    ['https://www.Example.com/', 'example.com'],
    [' http://www.example.com:8080/about?x=1#y ', 'example.com'],
    ['HTTPS://example.co.uk/team', 'example.co.uk'],
    ['shop.example.com', 'shop.example.com'],
    ['www.com', 'www.com'],
    ['https://münchen.example', 'xn--mnchen-3ya.example'],
    ['example.com.', 'example.com'],
  ])('of %j is %j', (website, domain) => {
    expect(domainOf(website)).toBe(domain);
  });

  it.each([
    '',
    'none',
    'n/a',
    'http://192.0.2.1/',
    'http://[::1]/',
    'ftp://example.com',
    'javascript://example.com',
    'not a website.com',
    'a\\b.com',
    "o'brien",
  ])('is not known of %j', website => {
    expect(domainOf(website)).toBeUndefined();
  });
});
