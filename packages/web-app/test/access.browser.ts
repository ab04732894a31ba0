import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import {
  type AppHouse,
  flawsOf,
  openMenu,
  openSharedAppHouse,
  tabAndPress,
  tabAndType,
} from './app-house.ts';
import { mailed } from './mailed.ts';

const password = 'horses of a quiet blue';
const newAddress = () => `${newId('user').slice(-20)}@ordinary.example`;

describe('coming in', () => {
  let app: AppHouse;

  beforeAll(async () => {
    app = await openSharedAppHouse();
  });

  afterAll(() => app?.stop());

  it('signs in with only the keyboard, continues to the requested screen, and signs out again', async () => {
    const customer = await app.customer();
    const { context, page, complaints } = await app.page();
    await page.goto(`${app.url}/?from=a-link`);
    await page.waitForURL(/\/sign-in\?next=/);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await flawsOf(page, 'sign-in')).toEqual([]);
    await tabAndType(page.getByLabel('Email address'), customer.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type('not the password');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    const visited = await page.evaluate<number>('history.length');
    await tabAndType(page.getByLabel('Password', { exact: true }), customer.password);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: '1,000 credits available' }).waitFor();
    expect(page.url()).toBe(`${app.url}/?from=a-link`);
    // Back does not lead to the form.
    expect(await page.evaluate<number>('history.length')).toBe(visited);
    expect(await flawsOf(page, 'home')).toEqual([]);
    await openMenu(page);
    await tabAndPress(page.getByRole('button', { name: 'Settings' }));
    await page.getByRole('menuitem', { name: 'Sign out' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('shows that the user is still signed in when the server is down, and continues as soon as it is up', async () => {
    const { context, page } = await app.signedIn(await app.customer(), '/', {
      viewport: { width: 360, height: 740 },
    });
    await page.getByRole('button', { name: 'Menu' }).click();
    const menu = page.getByRole('dialog');
    await menu.getByRole('link', { name: /credits available/ }).click();
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    await menu.waitFor({ state: 'detached' });

    await page.route('**/app/v1/session', route => route.abort());
    await page.getByRole('button', { name: 'Menu' }).click();
    await menu.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByText(/^You are still signed in\./).waitFor();
    await page.reload();
    await page.getByText('Mailproof is not responding').waitFor();
    await page.unroute('**/app/v1/session');
    await tabAndPress(page.getByRole('button', { name: 'Try again' }));
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    await context.close();
  });

  it('redirects to no other origin after the sign-in', async () => {
    const customer = await app.customer();
    for (const next of ['//evil.example/', 'https://evil.example/', '/\\evil.example']) {
      const { context, page } = await app.page();
      await page.goto(`${app.url}/sign-in?next=${encodeURIComponent(next)}`);
      await tabAndType(page.getByLabel('Email address'), customer.email);
      await tabAndType(page.getByLabel('Password', { exact: true }), customer.password);
      await tabAndPress(page.getByRole('button', { name: 'Sign in' }));
      await page.getByRole('link', { name: '1,000 credits available' }).waitFor();
      expect(new URL(page.url()).origin).toBe(new URL(app.url).origin);
      await context.close();
    }
  });

  it('keeps the chosen theme', async () => {
    const { context, page } = await app.signedIn(await app.customer(), '/', { colorScheme: 'light' });
    await openMenu(page);
    await tabAndPress(page.getByRole('button', { name: 'Settings' }));
    await page.getByRole('menuitem', { name: 'Dark theme' }).click();
    await page.reload();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    expect(await page.evaluate<string>('getComputedStyle(document.documentElement).colorScheme')).toBe(
      'dark',
    );
    await context.close();
  });

  it('shows that a page does not exist, and returns 404 to programs', async () => {
    const { context, page } = await app.signedIn(await app.customer(), '/no-such-screen');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(await flawsOf(page, 'not-found')).toEqual([]);
    await context.close();
    const answer = await fetch(`${app.url}/no-such-screen`, { headers: { accept: 'application/json' } });
    expect([answer.status, (await answer.json()) as unknown]).toEqual([
      404,
      expect.objectContaining({ code: 'route_not_found' }),
    ]);
  });

  it('comes from nothing to the first screen, by the link of a mail that works once', async () => {
    const email = newAddress();
    const { context, page, complaints } = await app.page();
    await page.goto(`${app.url}/sign-in`);
    await tabAndPress(page.getByRole('link', { name: 'Create an account' }));
    await page.getByRole('heading', { name: 'Create your account' }).waitFor();
    expect(await flawsOf(page, 'sign-up')).toEqual([]);
    await tabAndType(page.getByLabel('Your email address'), email);
    await tabAndType(page.getByLabel('Account name'), '<img src=x onerror=alert(1)> & Sons');
    await tabAndPress(page.getByRole('button', { name: 'Send link' }));
    await page.getByText(email).waitFor();
    expect(await flawsOf(page, 'sign-up-sent')).toEqual([]);

    const { link } = await mailed(app.house, email);
    const sent: string[] = [];
    page.on('request', request => sent.push(`${request.method()} ${request.url()}`));
    await page.goto(link);
    await page.getByRole('heading', { name: 'Create your account' }).waitFor();
    // The browser keeps the fragment across the redirect; the page removes it from the URL and sends nothing
    // automatically.
    expect(page.url()).toBe(`${app.url}/confirm`);
    expect(sent.filter(line => line.startsWith('POST'))).toEqual([]);
    expect(sent.join()).not.toContain('mp_link_');
    expect(await page.evaluate<string>('JSON.stringify(history.state)')).not.toContain('mp_link_');
    expect(await flawsOf(page, 'confirm-sign-up')).toEqual([]);

    const make = page.getByRole('button', { name: 'Create account' });
    await tabAndType(page.getByLabel('New password'), 'too short');
    await tabAndPress(make);
    await page.getByText('Too short: 9 of at least 12 characters.').waitFor();
    await tabAndType(page.getByLabel('New password'), 'password1234');
    await tabAndPress(make);
    await page
      .getByText(/common|guess/)
      .last()
      .waitFor();
    expect(await flawsOf(page, 'confirm-refused')).toEqual([]);
    await tabAndType(page.getByLabel('New password'), password);
    await tabAndPress(page.getByRole('button', { name: 'Show password' }));
    expect(await page.getByLabel('New password').getAttribute('type')).toBe('text');
    await page.keyboard.press('Escape');
    await tabAndPress(page.getByLabel('New password'));
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    expect(page.url()).toBe(`${app.url}/`);

    await page.goto(link);
    await tabAndType(page.getByLabel('New password'), password);
    await tabAndPress(make);
    await page.getByText('This link has expired or was already used').waitFor();
    expect(await flawsOf(page, 'confirm-used')).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('reports an incomplete link', async () => {
    const { context, page, complaints } = await app.page();
    for (const fragment of ['', '#token=mp_link_1', '#token=mp_link_1&for=toString']) {
      await page.goto(`${app.url}/confirm${fragment}`);
      await page.getByRole('heading', { name: 'This link is incomplete' }).waitFor();
      await page.goto('about:blank');
    }
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('shows the remaining wait after too many wrong passwords, and accepts a new password', async () => {
    const customer = await app.customer();
    const { context, page, complaints } = await app.page();
    await page.goto(`${app.url}/sign-in`);
    await tabAndType(page.getByLabel('Email address'), customer.email);
    const signIn = page.getByRole('button', { name: 'Sign in' });
    const locked = page.getByText('Too many wrong passwords');
    for (let tries = 0; tries < 30 && !(await locked.isVisible()); tries += 1) {
      await tabAndType(page.getByLabel('Password', { exact: true }), `not the password ${tries}`);
      const answered = page.waitForResponse(response => response.url().endsWith('/app/v1/session'));
      await tabAndPress(signIn);
      await answered;
      await page.getByRole('alert').waitFor();
    }
    await page
      .getByText(/locked to protect your account for \d+|locked to protect your account for less/)
      .waitFor();
    expect(await flawsOf(page, 'sign-in-locked')).toEqual([]);
    await tabAndPress(page.getByRole('link', { name: 'Reset your password' }));
    await page.getByRole('heading', { name: 'Reset your password' }).waitFor();
    expect(await flawsOf(page, 'forgot-password')).toEqual([]);
    await tabAndType(page.getByLabel('Email address'), customer.email);
    await tabAndPress(page.getByRole('button', { name: 'Send link' }));
    await page.getByRole('heading', { name: 'Check your email' }).waitFor();
    await page.goto((await mailed(app.house, customer.email)).link);
    await tabAndType(page.getByLabel('New password'), password);
    await tabAndPress(page.getByRole('button', { name: 'Set password' }));
    await page.getByText('Your password has been changed.').waitFor();
    await tabAndType(page.getByLabel('Email address'), customer.email);
    await tabAndType(page.getByLabel('Password', { exact: true }), password);
    await tabAndPress(signIn);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('opts out a person who is not a customer, after the emailed link is opened', async () => {
    const email = newAddress();
    const { context, page, complaints } = await app.page();
    await page.goto(`${app.url}/sign-in`);
    await tabAndPress(page.getByRole('link', { name: 'Opt out' }));
    await page.getByRole('heading', { name: 'Opt out' }).waitFor();
    expect(await flawsOf(page, 'opt-out')).toEqual([]);
    const profile = page.getByLabel('Profile URL');
    await tabAndType(page.getByLabel('Email address'), email);
    for (const [url, sentence] of [
      ['not a profile', 'Enter the URL of a person’s profile'],
      ['https://www.linkedin.com/company/ordinary', 'This is a company profile.'],
    ] as const) {
      await tabAndType(profile, url);
      await tabAndPress(profile);
      await page.getByText(sentence).waitFor();
    }
    expect(await flawsOf(page, 'opt-out-refused')).toEqual([]);
    await tabAndType(profile, 'linkedin.com/in/ada-left-out');
    await tabAndPress(profile);
    await page.getByText(email).waitFor();
    await page.goto((await mailed(app.house, email)).link);
    await page.getByRole('heading', { name: 'Confirm opt-out' }).waitFor();
    expect(await flawsOf(page, 'confirm-opt-out')).toEqual([]);
    await tabAndPress(page.getByRole('button', { name: 'Confirm opt-out' }));
    await page.getByText('Your opt-out is complete.').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('shows the operator of a domain how to prove control of it', async () => {
    const { context, page, complaints } = await app.page();
    await page.goto(`${app.url}/opt-out`);
    await tabAndPress(page.getByRole('link', { name: 'I run a domain or a mail host' }));
    const name = page.getByLabel('Name');
    await tabAndType(name, 'not a domain"><script>');
    await tabAndPress(name);
    await page.getByText('Enter a valid domain or host name.').waitFor();
    await tabAndType(name, 'ordinary.example');
    await tabAndPress(name);
    await page.getByText('_mailproof-do-not-probe.ordinary.example').waitFor();
    expect(await flawsOf(page, 'opt-out-domain')).toEqual([]);
    await page.getByRole('button', { name: 'Check the record' }).waitFor();
    // The result for one name does not apply to another.
    await tabAndType(name, 'other.example');
    await page.getByText('_mailproof-do-not-probe.ordinary.example').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Continue' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });
});
