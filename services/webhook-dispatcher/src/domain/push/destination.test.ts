import { describe, expect, it } from '@jest/globals';
import { type ClassifyHost, destinationIssues, presetOf } from './destination.ts';

const classifyHost: ClassifyHost = host =>
  host === '127.0.0.1'
    ? 'refused'
    : host === '10.1.2.3'
      ? 'allowed'
      : host === '8.8.8.8'
        ? 'public'
        : 'unknown';

const issues = (url: string, header: { name: string; value: string } | null = null) =>
  destinationIssues({ url, header }, classifyHost).map(each => each.path);

describe('a destination', () => {
  it.each([
    'https://hooks.zapier.com/hooks/catch/1/2/',
    'https://receiver.example:8443/hook?token=1',
    'https://receiver.example:443/',
    'http://10.1.2.3:5678/webhook',
    'https://10.1.2.3/',
    'https://8.8.8.8/',
    `https://${`${'a'.repeat(41)}.`.repeat(6)}x/`,
    // The address of the name is checked at the request.
    'http://n8n.internal:5678/webhook',
  ])('may be %s', url => {
    expect(issues(url)).toEqual([]);
  });

  it.each([
    'https://user:secret@receiver.example/',
    'https://receiver.example:25/',
    'https://receiver.example:22/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'http://8.8.8.8/',
    `https://${`${'a'.repeat(41)}.`.repeat(6)}xy/`,
  ])('may not be %s', url => {
    expect(issues(url)).toEqual(['url']);
  });

  it.each(['Authorization', 'X-Api-Key', 'Cookie', 'X-Forward'])('may have a header %s', name => {
    expect(issues('https://receiver.example/', { name, value: 'v' })).toEqual([]);
  });

  it.each([
    'Host',
    'content-length',
    'Transfer-Encoding',
    'Webhook-Signature',
    'X-Forwarded-For',
    'Proxy-Foo',
  ])('may not have a header %s', name => {
    expect(issues('https://receiver.example/', { name, value: 'v' })).toEqual(['header.name']);
  });
});

describe('the preset of a push', () => {
  it.each([
    ['https://api.clay.com/v3/sources/webhook/1', 'clay'],
    ['https://hooks.zapier.com/hooks/catch/1/2/', 'zapier'],
    ['https://hooks.airtable.com/workflows/v1/genericWebhook/a', 'airtable'],
    ['https://script.google.com/macros/s/a/exec', 'google_apps_script'],
    ['https://hook.eu1.make.com/a', 'make'],
    ['https://me.app.n8n.cloud/webhook/a', 'n8n'],
    ['https://receiver.example/', 'none'],
    ['https://hooks.zapier.com.example/', 'none'],
    ['https://notmake.com/', 'none'],
  ])('of %s is %s', (url, preset) => {
    expect(presetOf({}, url)).toBe(preset);
  });

  it('is the one that was named, regardless of the URL', () => {
    expect(presetOf({ preset: 'clay' }, 'https://hooks.zapier.com/')).toBe('clay');
  });
});
