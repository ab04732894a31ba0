import { describe, expect, test } from '@jest/globals';
import { formActionOf, redirectHostOf, redirectUriKind } from './redirect-uri.ts';

describe('a redirect URI', () => {
  test.each([
    ['http://localhost:33418/callback', 'loopback', 'localhost', 'http://localhost:33418'],
    ['http://127.0.0.1:33418/', 'loopback', '127.0.0.1', 'http://127.0.0.1:33418'],
    ['http://[::1]:8080/callback', 'loopback', '[::1]', 'http:'],
    ['http://localhost:6274/oauth/callback', 'loopback', 'localhost', 'http://localhost:6274'],
    ['https://claude.ai/api/mcp/auth_callback', 'https', 'claude.ai', 'https://claude.ai'],
    ['https://claude.com/api/mcp/auth_callback', 'https', 'claude.com', 'https://claude.com'],
    ['HTTPS://Example.com:8443/callback', 'https', 'example.com', 'https://example.com:8443'],
    ['https://vscode.dev/redirect', 'https', 'vscode.dev', 'https://vscode.dev'],
    ['cursor://anysphere.cursor-mcp/oauth/callback', 'app', 'cursor:', 'cursor:'],
    ['com.example.app:/oauth', 'app', 'com.example.app:', 'com.example.app:'],
  ])('%s is %s', (uri, kind, host, formAction) => {
    expect([redirectUriKind(uri), redirectHostOf(uri), formActionOf(uri)]).toEqual([kind, host, formAction]);
  });

  test.each([
    'http://example.com/callback',
    'http://192.168.1.4/callback',
    'http://localhost.evil.example/callback',
    'http://127.0.0.1.evil.example/callback',
    'https://localhost/callback',
    'https://user:password@example.com/callback',
    'https://example.com/callback#fragment',
    'https://example.com\\@evil.example/',
    'https://example.com/call back',
    'https://exаmple.com/',
    'https:example.com/callback',
    'https:///example.com/callback',
    'https://%65xample.com/callback',
    'https://*.example.com/callback',
    'https://example.com;sandbox/callback',
    'https://example.com,evil.example/callback',
    'http://127.1/callback',
    'http://0x7f.0.0.1/callback',
    'http://2130706433/callback',
    'http://localhost./callback',
    'http://[::ffff:127.0.0.1]/callback',
    'ms-settings:privacy',
    'shell:startup',
    'smb://evil.example/share',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:msgbox(1)',
    'file:///etc/passwd',
    'blob:https://example.com/1',
    'about:blank',
    'ws://example.com/',
    '/callback',
    '',
    `https://example.com/${'x'.repeat(2_000)}`,
  ])('may not be %s', uri => {
    expect(redirectUriKind(uri)).toBeUndefined();
  });
});
