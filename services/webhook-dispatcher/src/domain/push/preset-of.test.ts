import { describe, expect, it } from '@jest/globals';
import { presetOf } from './preset-of.ts';

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

  it('is the one that was named, whatever the URL', () => {
    expect(presetOf({ preset: 'clay' }, 'https://hooks.zapier.com/')).toBe('clay');
  });
});
