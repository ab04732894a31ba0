import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { confirmScript } from './confirm-page.ts';
import { mountPages } from './mount.ts';

const app = express();
mountPages(app);

interface Element {
  textContent: string;
  hidden: boolean;
  disabled: boolean;
  required: boolean;
  value: string;
  submit: ((event: { preventDefault(): void }) => void) | undefined;
  addEventListener(type: string, listener: Element['submit']): void;
}

/** Runs the page's script on the elements that the served page has, against an answer of the service. */
async function open(hash: string, answer: { ok: boolean; body: object }) {
  const html = (await request(app).get('/confirm')).text;
  const elements = new Map<string, Element>();
  for (const [, id = ''] of html.matchAll(/ id="([\w-]+)"/g)) {
    elements.set(id, {
      textContent: '',
      hidden: html.includes(`id="${id}" hidden`),
      disabled: false,
      required: false,
      value: '',
      submit: undefined,
      addEventListener(_type, listener) {
        this.submit = listener;
      },
    });
  }
  const asked: { path: string; body: unknown }[] = [];
  const replaced: string[] = [];
  const element = (id: string): Element => {
    const found = elements.get(id);
    if (!found) {
      throw new Error(`The page has no element ${id}.`);
    }
    return found;
  };
  runInContext(
    confirmScript(),
    createContext({
      URLSearchParams,
      document: { getElementById: element },
      location: { hash, pathname: '/confirm' },
      history: { replaceState: (_state: null, _title: string, url: string) => replaced.push(url) },
      fetch: async (path: string, init: { body: string }) => {
        asked.push({ path, body: JSON.parse(init.body) });
        return { ok: answer.ok, json: async () => answer.body };
      },
    }),
  );
  return {
    asked,
    replaced,
    element,
    async press() {
      element('form').submit?.({ preventDefault: () => undefined });
      // The script waits for two answers that are there already.
      for (let turn = 0; turn < 5; turn += 1) {
        await Promise.resolve();
      }
      await new Promise(resolve => setImmediate(resolve));
    },
  };
}

describe('the page that links lead to', () => {
  it('loads its own script alone, and sends no referrer', async () => {
    const { status, headers, text } = await request(app).get('/confirm');
    expect(status).toBe(200);
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['content-security-policy']).toContain("script-src 'self'");
    expect(text).not.toContain('maxlength');
    expect(text.match(/<script[^>]*>/g)).toEqual(['<script src="/confirm.js">']);
    const script = await request(app).get('/confirm.js');
    expect(script.headers['content-type']).toContain('text/javascript');
  });

  it.each([
    ['sign_up', '/app/v1/sign-ups/confirmation', true],
    ['password_reset', '/app/v1/password-resets/confirmation', true],
    ['email_change', '/app/v1/email-changes/confirmation', false],
    ['invitation', '/app/v1/members/invitations/confirmation', true],
    ['opt_out', '/app/v1/opt-outs/confirmation', false],
  ])('sends a link for %s once its reader agrees', async (purpose, path, wantsPassword) => {
    const page = await open(`#token=mp_link_1&for=${purpose}`, { ok: true, body: {} });
    expect(page.asked).toEqual([]);
    expect(page.replaced).toEqual(['/confirm']);
    expect(page.element('password-row').hidden).toBe(!wantsPassword);
    page.element('password').value = 'a password for tests';
    await page.press();
    expect(page.asked).toEqual([
      { path, body: { token: 'mp_link_1', ...(wantsPassword && { password: 'a password for tests' }) } },
    ]);
    expect(page.element('form').hidden).toBe(true);
    expect(page.element('message').textContent).not.toBe('');
  });

  it('says what is wrong, and can be tried again', async () => {
    const answer = {
      ok: false,
      body: { title: 'The password is too easy to guess', detail: 'It is common.' },
    };
    const page = await open('#token=mp_link_1&for=password_reset', answer);
    await page.press();
    expect(page.element('message').textContent).toBe('It is common.');
    expect(page.element('form').hidden).toBe(false);
    expect(page.element('button').disabled).toBe(false);
  });

  it.each(['', '#token=mp_link_1', '#for=sign_up', '#token=mp_link_1&for=toString'])(
    'sends nothing for an incomplete link: %s',
    async hash => {
      const page = await open(hash, { ok: true, body: {} });
      expect(page.element('form').hidden).toBe(true);
      expect(page.element('message').textContent).toContain('not complete');
      expect(page.asked).toEqual([]);
    },
  );
});
