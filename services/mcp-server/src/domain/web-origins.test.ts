import { describe, expect, it } from '@jest/globals';
import { createHostJudge, createOriginJudge, isOriginPattern } from './web-origins.ts';

describe('a pattern of origins', () => {
  it.each(['https://app.example', 'http://localhost:*', 'http://[::1]:6274', 'https://app.example:8443'])(
    'may be %s',
    pattern => expect(isOriginPattern(pattern)).toBe(true),
  );

  it.each([
    '*',
    'https://*',
    'https://*.example',
    'app.example',
    'https://app.example/',
    'null',
    'ftp://a.example',
  ])('is not %s', pattern => expect(isOriginPattern(pattern)).toBe(false));
});

describe('an origin', () => {
  const isAllowed = createOriginJudge('https://mcp.example/', ['http://localhost:*', 'https://app.example']);

  it.each(['https://mcp.example', 'http://localhost', 'http://localhost:6274', 'https://app.example'])(
    'is allowed: %s',
    origin => expect(isAllowed(origin)).toBe(true),
  );

  it.each([
    'null',
    '',
    'http://mcp.example',
    'https://mcp.example:444',
    'https://app.example:8443',
    'http://localhost.evil.example',
    'http://localhost:6274.evil.example',
    'https://localhost',
    'http://evil.example:80',
  ])('is refused: %s', origin => expect(isAllowed(origin)).toBe(false));
});

describe('a host name', () => {
  it('is that of the public address', () => {
    const isOwn = createHostJudge('https://mcp.example');
    expect(['mcp.example', 'MCP.example', 'evil.example', 'localhost', ''].map(isOwn)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('is any of loopback, where that is one', () => {
    const isOwn = createHostJudge('http://127.0.0.1:8090');
    expect(['127.0.0.1', 'localhost', '[::1]', 'evil.example'].map(isOwn)).toEqual([true, true, true, false]);
  });
});
