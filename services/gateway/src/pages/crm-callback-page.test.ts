import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { crmCallbackScript } from './crm-callback-page.ts';
import { mountPages } from './mount.ts';

const app = express();
mountPages(app);

interface Element {
  textContent: string;
  hidden: boolean;
  click: (() => void) | undefined;
  addEventListener(type: string, listener: () => void): void;
}

type ServiceAnswer = { readonly ok: boolean; readonly body: object } | 'none';

/** Runs the page's script on the elements that the served page has, against answers of the service, one after the other. */
async function open(search: string, answers: readonly ServiceAnswer[]) {
  const html = (await request(app).get('/crm/callback')).text;
  const elements = new Map<string, Element>();
  for (const [, id = ''] of html.matchAll(/ id="([\w-]+)"/g)) {
    elements.set(id, {
      textContent: '',
      hidden: new RegExp(`id="${id}"[^>]* hidden`).test(html),
      click: undefined,
      addEventListener(_type, listener) {
        this.click = listener;
      },
    });
  }
  const asked: { path: string; method: string; body: unknown }[] = [];
  const replaced: string[] = [];
  const left = [...answers];
  const element = (id: string): Element => {
    const found = elements.get(id);
    if (!found) {
      throw new Error(`The page has no element ${id}.`);
    }
    return found;
  };
  runInContext(
    crmCallbackScript(),
    createContext({
      URLSearchParams,
      document: { getElementById: element },
      location: { search, pathname: '/crm/callback' },
      history: { replaceState: (_state: null, _title: string, url: string) => replaced.push(url) },
      fetch: async (path: string, init: { method: string; body: string }) => {
        asked.push({ path, method: init.method, body: JSON.parse(init.body) });
        const answer = left.shift() ?? 'none';
        if (answer === 'none') {
          throw new TypeError('fetch failed');
        }
        return { ok: answer.ok, json: async () => answer.body };
      },
    }),
  );
  const settle = () => new Promise(resolve => setImmediate(resolve));
  await settle();
  return {
    asked,
    replaced,
    message: () => element('message').textContent,
    canTryAgain: () => !element('button').hidden,
    async tryAgain() {
      element('button').click?.();
      await settle();
    },
  };
}

const connected = {
  ok: true,
  body: { provider: 'hubspot', organisation: { id: '62515', name: 'ordinary.example' } },
};

describe('the page that CRMs send browsers back to', () => {
  it('loads its own script alone, and tells nobody where it is', async () => {
    const { status, headers, text } = await request(app).get('/crm/callback?code=canary&state=canary');
    expect(status).toBe(200);
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['content-security-policy']).toContain("script-src 'self'");
    expect(text.match(/<script[^>]*>/g)).toEqual(['<script src="/crm/callback.js">']);
    expect(text).not.toContain('canary');
    const script = await request(app).get('/crm/callback.js');
    expect(script.headers['content-type']).toContain('text/javascript');
  });

  it('completes the connection, and says which one', async () => {
    const page = await open('?code=c-1&state=s-1', [connected]);
    expect(page.asked).toEqual([
      {
        path: '/app/v1/crm-connections/completion',
        method: 'POST',
        body: { code: 'c-1', state: 's-1' },
      },
    ]);
    expect(page.replaced).toEqual(['/crm/callback']);
    expect(page.message()).toBe('HubSpot is connected: ordinary.example. You can close this page.');
    expect(page.canTryAgain()).toBe(false);
  });

  it('passes on that somebody said no', async () => {
    const refusal = {
      ok: false,
      body: { code: 'crm_access_denied', title: 'The CRM has not given access', detail: 'It says no.' },
    };
    const page = await open('?error=access_denied&error_description=x&state=s-1', [refusal]);
    expect(page.asked[0]?.body).toEqual({ error: 'access_denied', state: 's-1' });
    expect(page.message()).toBe('The CRM has not given access. It says no.');
    expect(page.canTryAgain()).toBe(false);
  });

  it.each([
    [{ ok: false, body: { code: 'not_signed_in', title: 'Nobody has signed in' } }, 'Sign in'],
    [{ ok: false, body: { code: 'service_unavailable', title: 'A part is away' } }, 'away'],
    ['none', 'did not answer'],
  ] as const)('can be tried again while nothing was done: %j', async (answer, words) => {
    const page = await open('?code=c-1&state=s-1', [answer, connected]);
    expect(page.message()).toContain(words);
    expect(page.canTryAgain()).toBe(true);
    await page.tryAgain();
    expect(page.asked).toHaveLength(2);
    expect(page.message()).toContain('is connected');
  });

  it.each(['', '?code=c-1', '?state=s-1', '?error=access_denied'])(
    'sends nothing of an incomplete address: %s',
    async search => {
      const page = await open(search, []);
      expect(page.asked).toEqual([]);
      expect(page.message()).toContain('not complete');
    },
  );
});
