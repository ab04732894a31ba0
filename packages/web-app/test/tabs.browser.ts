import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { accountHeader, accountParameter, newId } from '@mailproof/shared-types';
import type { Page } from 'playwright-core';
import { type AppHouse, type Customer, flawsOf, openMenu, openSharedAppHouse } from './app-house.ts';
import { mailed } from './mailed.ts';

/** A response to a tab, and the account of the request. */
interface Answered {
  readonly account: string | undefined;
  readonly status: number;
  readonly text: string;
}

const switched = 'You signed in as another user in another tab';

let app: AppHouse;

describe('tabs of one browser', () => {
  beforeAll(async () => {
    app = await openSharedAppHouse();
  });

  afterAll(() => app?.stop());

  it('show no data of an account after another tab signs in as another user', async () => {
    const [first, second] = [await app.customer(), await app.customer()];
    const { context, page, complaints } = await app.signedIn(first, '/');
    const ofFirst = tracesOf(first, await paste(page, 'First list'), 'First list', 'First trade');
    await openMenu(page);
    await page.getByRole('link', { name: 'Validate lists' }).click();
    // Until the page has changed, Home has links to the list too.
    await page.getByRole('link', { name: 'First list' }).first().click();
    await page.getByRole('heading', { name: 'First list' }).waitFor();
    await page.evaluate(`sessionStorage.setItem('mailproof-tried-filters', '{"titles":["First trade"]}')`);
    const answers = answersTo(page);

    const other = await context.newPage();
    await other.goto(app.url);
    await openMenu(other);
    await other.getByRole('button', { name: 'Settings' }).click();
    await other.getByRole('menuitem', { name: 'Dark theme' }).click();
    await openMenu(other);
    await other.getByRole('button', { name: 'Settings' }).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByText('You signed out in another tab.').waitFor();
    expect(await traces(page)).not.toMatch(ofFirst);
    expect(await flawsOf(page, 'tabs-signed-out')).toEqual([]);
    await signIn(other, second);
    await other.getByRole('heading', { name: 'Home' }).waitFor();
    const ofSecond = tracesOf(second, await paste(other, 'Second list'), 'Second list');

    await page.getByText(switched).waitFor();
    await page.getByText(`signed in as ${second.email}`).waitFor();
    expect(await flawsOf(page, 'tabs-switched')).toEqual([]);
    expect(await traces(page)).not.toMatch(ofFirst);
    for (const tab of [page, other]) {
      // Entries of the first account lead to the first screen of the second.
      for (await tab.goBack(); tab.url() !== 'about:blank'; await tab.goBack()) {
        await tab.waitForURL(url => /^\/app\/(sign-in)?$/.test(url.pathname));
        await tab.getByRole('heading', { name: /^(Home|Sign in)$/ }).waitFor();
        expect(await traces(tab)).not.toMatch(ofFirst);
      }
      await tab.goto(app.url);
      expect(await tab.evaluate<string>("localStorage.getItem('mailproof-theme')")).toBe('dark');
    }
    expect(answers.length).toBeGreaterThan(0);
    for (const { account, status, text } of answers) {
      if (account === first.accountId && status < 400) expect(text).not.toMatch(ofSecond);
      if (account === second.accountId) expect(text).not.toMatch(ofFirst);
    }
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('find out by a refusal when they missed it, with any request', async () => {
    const [first, second] = [await app.customer(), await app.customer()];
    for (const [path, act] of [
      ['/validations', goToUsage],
      [
        '/',
        (page: Page) =>
          page.evaluate("setTimeout(() => document.dispatchEvent(new Event('visibilitychange')))"),
      ],
      ['/', (page: Page) => page.evaluate(restored)],
    ] as const) {
      const { context, page } = await app.signedIn(first, path);
      await untilNamed(page, first);
      // A request of the page between the two sessions would be refused with 401.
      await page.waitForLoadState('networkidle');
      const answers = answersTo(page);
      // Signs in without a page, so that no tab sends a notification.
      await signInUnheard(page, second);
      await act(page);
      await page.getByText(switched).waitFor();
      await page.getByText(`signed in as ${second.email}`).waitFor();
      expect(await traces(page)).not.toMatch(tracesOf(first));
      expect(answers).toContainEqual(expect.objectContaining({ account: first.accountId, status: 409 }));
      for (const { account, text } of answers) {
        if (account === first.accountId) expect(text).not.toMatch(tracesOf(second));
      }
      await page.getByRole('button', { name: 'OK' }).click();
      await page.getByText(switched).waitFor({ state: 'detached' });
      await context.close();
    }
  });

  it('follow another member of the same account too', async () => {
    const owner = await app.customer();
    const { context, page } = await app.signedIn(owner, '/');
    await untilNamed(page, owner);
    const member = await memberOf(page, owner);
    // The link of an invitation signs in the invited user.
    await signInUnheard(page, owner);
    const other = await context.newPage();
    await other.goto(`${app.url}/sign-in`);
    await signIn(other, member);
    await page.getByText(`signed in as ${member.email}`).waitFor();
    await context.close();
  });

  it('show the first screen, and no warning, when the same user signs in again in another tab', async () => {
    const customer = await app.customer();
    const { context, page } = await app.signedIn(customer, '/usage');
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    const other = await context.newPage();
    await other.goto(app.url);
    await openMenu(other);
    await other.getByRole('button', { name: 'Settings' }).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByText('You signed out in another tab.').waitFor();
    await signIn(other, customer);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    expect(await page.getByText(switched).count()).toBe(0);
    await context.close();
  });

  it('lead another user to the home screen, and not to the previous user’s screen', async () => {
    const [first, second] = [await app.customer(), await app.customer()];
    const { context, page } = await app.signedIn(first, '/usage?period=90d');
    await page.getByRole('heading', { name: 'Usage' }).waitFor();
    // The session ends without a notification from any tab.
    await page.context().clearCookies();
    await openMenu(page);
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByText('Your session has ended.').waitFor();
    expect(page.url()).toContain('next=');
    await signIn(page, second);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    expect(page.url()).toBe(`${app.url}/`);
    await context.close();
  });
});

/** Simulates a page that the browser restores from its back/forward cache. */
const restored =
  "setTimeout(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))";

async function goToUsage(page: Page): Promise<void> {
  await openMenu(page);
  await page.getByRole('link', { name: 'Usage' }).click();
}

/** Waits until the page names its user; on a phone, the menu does. */
async function untilNamed(page: Page, { email }: Customer): Promise<void> {
  await openMenu(page);
  await page.getByText(email).filter({ visible: true }).first().waitFor();
  // Closes the menu.
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

async function signIn(page: Page, { email, password }: Customer): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Password', { exact: true }).press('Enter');
}

async function signInUnheard(page: Page, { email, password }: Customer): Promise<void> {
  const { origin } = new URL(page.url());
  const answer = await page.context().request.post(`${origin}/app/v1/session`, {
    data: { email, password },
    headers: { origin },
  });
  expect(answer.status()).toBe(200);
}

/** Creates another user of the account. */
async function memberOf(page: Page, owner: Customer): Promise<Customer> {
  const { origin } = new URL(page.url());
  const email = `${newId('user').slice(-20)}@ordinary.example`;
  const post = (path: string, data: object) =>
    page.context().request.post(`${origin}/app/v1${path}`, { data, headers: { origin } });
  expect((await post('/members/invitations', { email })).status()).toBe(202);
  const { link } = await mailed(app.house, email);
  const token = new URLSearchParams(new URL(link).hash.slice(1)).get('token');
  const accepted = await post('/members/invitations/confirmation', { token, password: owner.password });
  expect(accepted.status()).toBe(200);
  return { ...owner, email };
}

/** Creates a validation job from a list, with a given name, and returns its id. */
async function paste(page: Page, name: string): Promise<string> {
  const { origin } = new URL(page.url());
  const query = new URLSearchParams({ name });
  const answer = await page.context().request.post(`${origin}/app/v1/validation-jobs/pasted?${query}`, {
    data: 'someone@ordinary.example\n',
    headers: { origin, 'content-type': 'text/plain' },
  });
  expect(answer.status()).toBe(201);
  return ((await answer.json()) as { job_id: string }).job_id;
}

/** Collects the API's responses to the page from now on. */
function answersTo(page: Page): Answered[] {
  const answers: Answered[] = [];
  page.on('response', async response => {
    const url = new URL(response.url());
    if (!url.pathname.startsWith('/app/v1/')) return;
    const account =
      response.request().headers()[accountHeader.toLowerCase()] ??
      url.searchParams.get(accountParameter) ??
      undefined;
    // The page may have navigated away before the whole response arrived.
    const text = await response.text().catch(() => '');
    answers.push({ account, status: response.status(), text });
  });
  return answers;
}

/** Returns everything that the page shows and stores: its text, its URL, and all of its storage. */
function traces(page: Page): Promise<string> {
  return page.evaluate<string>(`(async () => JSON.stringify([
    document.documentElement.outerHTML,
    location.href,
    { ...sessionStorage },
    { ...localStorage },
    await indexedDB.databases(),
    await caches.keys(),
  ]))()`);
}

/** Returns a pattern that matches traces of an account, and the given other words. */
function tracesOf({ email, accountId }: Customer, ...others: readonly string[]): RegExp {
  return new RegExp([email, accountId, ...others].map(word => word.replaceAll('.', '\\.')).join('|'));
}
