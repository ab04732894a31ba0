import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import type { Page } from 'playwright-core';
import { type AppHouse, flawsOf, openMenu, openSharedAppHouse, tabAndPress } from './app-house.ts';

let app: AppHouse;

beforeAll(async () => {
  app = await openSharedAppHouse();
});

afterAll(() => app?.stop());

async function check(page: Page, email: string): Promise<void> {
  // During an earlier check, the button takes no press.
  await page.getByRole('button', { name: 'Check', exact: true, disabled: false }).waitFor();
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Email address').press('Enter');
}

/** Waits for the headline of the answer. */
function answer(page: Page, words: string | RegExp) {
  return page.getByRole('heading', { level: 2, name: words }).waitFor();
}

const markup = '<img src=x onerror=alert(1)>"><script>alert(2)</script>';

describe('checking one address', () => {
  it('answers plainly, says why, and shows all that it rests on', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer({ credits: 20 }), '/');
    await openMenu(page);
    await page.getByRole('link', { name: 'Check one address' }).first().press('Enter');
    await page.getByRole('heading', { name: 'Check one address', level: 1 }).waitFor();
    // Simulates a page that was loaded without TLS from another machine.
    await page.evaluate('delete Crypto.prototype.randomUUID');
    await page.getByText('At most 1 credit').waitFor();
    await page.getByRole('link', { name: '20 credits available' }).waitFor();
    expect(await flawsOf(page, 'check-empty')).toEqual([]);

    // By keyboard, starting in the field. No other test of this house checks katherine, because a cached answer has no
    // transcript.
    await page.getByLabel('Email address').focus();
    await page.keyboard.type('katherine@ordinary.example');
    await page.keyboard.press('Enter');
    await answer(page, 'Mail to katherine@ordinary.example will arrive');
    await page.getByText('Its mail server knows this mailbox and rejects made-up ones.').waitFor();
    await page.getByText('1 credit spent. 19 left.').waitFor();
    await page.getByRole('link', { name: '19 credits available' }).waitFor();
    const said = page.getByRole('region', { name: 'What the mail servers replied' });
    await said
      .getByText(/^RCPT TO:<katherine@ordinary\.example>/)
      .filter({ visible: true })
      .first()
      .waitFor();

    await check(page, 'nobody@ordinary.example');
    await answer(page, 'Mail to nobody@ordinary.example will not arrive');
    await page.getByText('Its mail server reports that the mailbox does not exist.').waitFor();

    await check(page, 'ada@gateway.example');
    await answer(page, 'Mail to ada@gateway.example will very likely arrive');
    await page.getByRole('img', { name: /Likelihood that the mailbox exists: 9\d/ }).waitFor();
    const evidence = page.getByRole('list', { name: 'Evidence' });
    await evidence.getByText('It accepts this address and rejects made-up ones.').waitFor();
    await evidence.getByText('strong evidence for').first().waitFor();
    expect(await flawsOf(page, 'check-catch-all-validated')).toEqual([]);

    await check(page, 'ada@webfinger.example');
    await answer(page, /ada@webfinger\.example will be accepted/);
    await evidence.getByText('weak evidence for').waitFor();

    await check(page, 'ada@blocked-at-rcpt.example');
    await answer(page, /^We cannot tell yet whether mail to ada@blocked-at-rcpt\.example/);
    await page.getByText('Nothing spent. 16 left.').waitFor();

    // An earlier check is one press away, and is not requested again.
    await page.getByRole('button', { name: /nobody@ordinary\.example/ }).press('Enter');
    await answer(page, 'Mail to nobody@ordinary.example will not arrive');
    await page.getByRole('link', { name: '16 credits available' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('corrects a misspelled domain at a press', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer({ credits: 5 }), '/check');
    await check(page, 'ada.lovelace@gmial.com');
    await answer(page, 'Mail to ada.lovelace@gmial.com will not arrive');
    expect(await flawsOf(page, 'check-did-you-mean')).toEqual([]);
    await page.getByRole('button', { name: 'Check ada.lovelace@gmail.com' }).press('Enter');
    await answer(page, 'Mail to ada.lovelace@gmail.com will arrive');
    expect(await page.getByLabel('Email address').inputValue()).toBe('ada.lovelace@gmail.com');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('keeps the recent checks of the tab over a reload, until they are cleared or the session ends', async () => {
    const customer = await app.customer({ credits: 5 });
    const { context, page, complaints } = await app.signedIn(customer, '/check');
    const recent = page.getByRole('region', { name: 'Recent checks' });
    await check(page, 'ada@ordinary.example');
    await answer(page, 'Mail to ada@ordinary.example will arrive');
    await check(page, 'ada@silent.example');
    await page.getByText('Finding and querying the mail servers of silent.example.').waitFor();
    await page.reload();
    // The same request again: it is not charged twice, if the answer was lost by the reload.
    await page.getByText('The page was reloaded before the answer came.').waitFor();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    await recent.getByRole('button', { name: /ada@ordinary\.example/ }).focus();
    await page.keyboard.press('Enter');
    await answer(page, 'Mail to ada@ordinary.example will arrive');
    expect(await flawsOf(page, 'check-recent')).toEqual([]);
    const stored = () => page.evaluate<string>('JSON.stringify({ ...sessionStorage })');
    expect(await stored()).toContain('ada@ordinary.example');
    await recent.getByRole('button', { name: 'Clear recent checks' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Recent checks cleared.').waitFor();
    expect(await stored()).not.toContain('@ordinary.example');
    await page.reload();
    await recent.getByText('Only this tab stores them.').waitFor();

    await check(page, 'ada@ordinary.example');
    await answer(page, 'Mail to ada@ordinary.example will arrive');
    await openMenu(page);
    await page.getByRole('button', { name: 'Settings' }).first().press('Enter');
    await page.getByRole('menuitem', { name: 'Sign out' }).press('Enter');
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await stored()).not.toContain('@ordinary.example');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('says what it is doing during the wait, and stops at a press without a charge', async () => {
    const customer = await app.customer({ credits: 5 });
    const { context, page, complaints } = await app.signedIn(customer, '/check');
    await check(page, 'ada@silent.example');
    await page.getByText('Finding and querying the mail servers of silent.example.').waitFor();
    expect(await flawsOf(page, 'check-waiting')).toEqual([]);
    // The validation continues while another screen is open.
    await openMenu(page);
    await page.getByRole('link', { name: 'Home' }).press('Enter');
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await openMenu(page);
    await page.getByRole('link', { name: 'Check one address' }).first().press('Enter');
    await page.getByRole('button', { name: 'Stop' }).press('Enter');
    await page.getByText('Check of ada@silent.example stopped.').waitFor();
    await page.getByText('Nothing was charged.').waitFor();
    await page.getByRole('link', { name: '5 credits available' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('charges once where an answer was lost on its way and is asked for again', async () => {
    const { context, page } = await app.signedIn(await app.customer({ credits: 5 }), '/check');
    await page.route(
      '**/app/v1/address-checks',
      async route => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await check(page, 'ada@ordinary.example');
    await page.getByText('Mailproof is not responding').waitFor();
    await tabAndPress(page.getByRole('button', { name: 'Try again' }));
    await answer(page, 'Mail to ada@ordinary.example will arrive');
    // The pressed button is gone.
    await page.getByRole('region', { name: 'Outcome' }).and(page.locator(':focus')).waitFor();
    await page.getByRole('link', { name: '4 credits available' }).waitFor();
    await context.close();
  });

  it('says what is no address, and who is out of credits', async () => {
    const { context, page } = await app.signedIn(await app.customer({ credits: 0 }), '/check');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText('Enter an email address.').waitFor();
    await check(page, 'nobody');
    await page.getByText('An email address contains an @.').waitFor();
    await check(page, `${markup}@ordinary.example`);
    await page.getByText('is not an email address.').waitFor();
    await check(page, 'ada@ordinary.example');
    await page.getByText('You are out of credits').waitFor();
    expect(await flawsOf(page, 'check-out-of-credits')).toEqual([]);
    await context.close();
  });

  it('shows addresses as text, however they look', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer({ credits: 9 }), '/check');
    // A quoted local part can contain nearly anything (RFC 5321 section 4.1.2).
    const quoted = '"<img src=x onerror=alert(1)>"@ordinary.example';
    await check(page, quoted);
    await page.getByRole('heading', { level: 2, name: quoted }).waitFor();
    const long = `${'l'.repeat(64)}@${'d'.repeat(60)}.${'e'.repeat(60)}.ordinary.example`;
    await check(page, long);
    await page.getByRole('heading', { level: 2, name: long }).waitFor();
    expect(await flawsOf(page, 'check-long')).toEqual([]);
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe('usage', () => {
  it('shows what was spent, with every movement and the receipt', async () => {
    const customer = await app.customer({ credits: 10 });
    const { context, page, complaints } = await app.signedIn(customer, '/usage', {
      // Days are UTC days, regardless of the browser's time zone.
      timezoneId: 'Pacific/Pago_Pago',
    });
    await page.getByRole('heading', { name: 'No credits spent in this period' }).waitFor();
    expect(await flawsOf(page, 'usage-empty')).toEqual([]);
    await page.getByRole('main').getByRole('link', { name: 'Check one address' }).press('Enter');
    await check(page, 'ada@ordinary.example');
    await answer(page, 'Mail to ada@ordinary.example will arrive');

    await page.getByRole('link', { name: 'Receipt', exact: true }).press('Enter');
    const receipt = page.getByRole('main');
    await receipt.getByText('Single checks').waitFor();
    await receipt.getByText('Delivered work was charged; the remaining credits were returned.').waitFor();
    expect(await flawsOf(page, 'receipt')).toEqual([]);
    await page.emulateMedia({ media: 'print' });
    expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(false);
    expect(await page.getByRole('navigation', { name: 'Main navigation' }).isVisible()).toBe(false);
    await page.emulateMedia({ media: 'screen' });

    await page.getByRole('link', { name: 'All receipts' }).press('Enter');
    await page.getByRole('region', { name: 'Receipts' }).getByText('Completed').waitFor();
    expect(await flawsOf(page, 'receipts')).toEqual([]);

    await page.getByRole('link', { name: 'Overview' }).press('Enter');
    await page.getByRole('img', { name: /^1 credit spent, by day/ }).waitFor();
    const today = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' }).format();
    await page.getByText(`to ${today}, in UTC`).waitFor();
    // 9 credits at 1 credit in 7 days.
    const last = new Date(Date.now() + 63 * 86_400_000);
    const forecast = page.getByRole('region', { name: 'At this pace' });
    await forecast
      .getByText(new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' }).format(last))
      .waitFor();
    await forecast.getByText('less than 1 credit a day, the average of the last 7 days').waitFor();
    await page.getByText('Show as table').press('Enter');
    await page
      .getByRole('region', { name: 'Credits by day and operation' })
      .getByRole('row', { name: `${today} Single checks 1` })
      .waitFor();
    expect(await flawsOf(page, 'usage')).toEqual([]);
    await page.getByLabel('Period').selectOption('365d');
    await page.getByText('Each bar is 7 days.').waitFor();
    await page.reload();
    await page.getByText('Each bar is 7 days.').waitFor();

    await page.getByRole('link', { name: 'Statement' }).last().press('Enter');
    const statement = page.getByRole('region', { name: 'Credit entries' });
    await statement.getByText('1 credit spent, 0 returned').waitFor();
    await statement.getByText('+10', { exact: true }).waitFor();
    expect(await flawsOf(page, 'statement')).toEqual([]);
    await page.getByLabel('Show').selectOption('grants');
    await statement.getByText('1 credit spent, 0 returned').waitFor({ state: 'detached' });
    await statement.getByText('10 credits added').waitFor();
    expect(new URL(page.url()).search).toBe('?period=365d&show=grants');
    const file = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download as CSV' }).press('Enter');
    expect((await file).suggestedFilename()).toMatch(/\.csv$/);
    const rows = (await readFile(await (await file).path(), 'utf8')).trimEnd().split('\r\n');
    expect(rows.slice(1)).toEqual([expect.stringContaining(',grant,')]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('reports a missing receipt, and renders no markup from its id', async () => {
    const { context, page, complaints } = await app.signedIn(
      await app.customer(),
      `/usage/receipts/${encodeURIComponent(markup)}`,
    );
    await page.getByRole('heading', { name: 'Receipt not found' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('shows an error if it cannot be loaded, and retries on request', async () => {
    const { context, page } = await app.signedIn(await app.customer(), '/usage?period=nonsense');
    await page.getByRole('heading', { name: 'No credits spent in this period' }).waitFor();
    await page.route('**/app/v1/statement?*', route => route.abort());
    await page.getByRole('link', { name: 'Statement' }).last().click();
    await page.getByText('Mailproof is not responding').waitFor();
    await page.unroute('**/app/v1/statement?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('1,000 credits added').waitFor();
    await context.close();
  });
});

describe('home', () => {
  it('leads a newcomer to the first validated list, by keyboard, and is out of the way after it', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/');
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.waitFor();
    await page.getByRole('link', { name: '1,000 credits available' }).waitFor();
    await page.getByText('1,000 never expire').waitFor();
    await page.getByText('10 API requests per second').waitFor();
    await steps.getByRole('link', { name: 'Get the API key' }).waitFor();
    expect(await steps.getByText('Done').count()).toBe(0);
    expect(await flawsOf(page, 'home-first-steps')).toEqual([]);

    await steps.getByRole('link', { name: 'Check one address' }).press('Enter');
    await check(page, 'ada@ordinary.example');
    await answer(page, 'Mail to ada@ordinary.example will arrive');
    await openMenu(page);
    await page.getByRole('link', { name: 'Home', exact: true }).press('Enter');
    await steps.getByRole('heading', { name: 'Check one address · Done' }).waitFor();

    await steps.getByRole('link', { name: 'Try a sample list' }).press('Enter');
    expect(await page.getByRole('textbox', { name: 'Addresses' }).inputValue()).toContain(
      'ada@catch-all.example',
    );
    expect(await flawsOf(page, 'list-sample')).toEqual([]);
    await page.getByRole('button', { name: 'Continue' }).press('Enter');
    await page.getByRole('button', { name: 'Start validation' }).waitFor();
    await openMenu(page);
    await page.getByRole('link', { name: 'Home', exact: true }).press('Enter');
    await steps.getByText('Your list is uploaded').waitFor();
    expect(await flawsOf(page, 'home-second-step')).toEqual([]);
    await steps.getByRole('link', { name: 'Example' }).press('Enter');
    await page.getByRole('button', { name: 'Start validation' }).press('Enter');
    await page.getByText('Done', { exact: true }).waitFor();
    await openMenu(page);
    await page.getByRole('link', { name: 'Home', exact: true }).press('Enter');
    await page.getByRole('region', { name: 'Recent work' }).waitFor();
    await steps.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('hides the first steps on request, also after a new sign-in', async () => {
    const customer = await app.customer();
    const { context, page } = await app.signedIn(customer, '/');
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByRole('button', { name: 'Hide the first steps' }).press('Enter');
    await steps.waitFor({ state: 'detached' });
    await openMenu(page);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Email address').fill(customer.email);
    await page.getByLabel('Password', { exact: true }).fill(customer.password);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: '1,000 credits available' }).first().waitFor();
    expect(await steps.count()).toBe(0);
    await context.close();
  });

  it('shows the running work to the user, and names as text', async () => {
    const customer = await app.customer({ plan: 'free', credits: 0 });
    const { context, page, complaints } = await app.signedIn(customer, '/');
    const name = `Häuser ${markup} ${'W'.repeat(90)}`;
    await send(page, 'PUT', '/account/name', { name });
    await paste(page, markup);
    await paste(page, 'w'.repeat(100));
    await page.reload();
    const work = page.getByRole('region', { name: 'Recent work' });
    await work.getByText(markup).waitFor();
    await work.getByText('Ready to start').first().waitFor();
    await page.getByText(name).waitFor();
    await page.getByText('No API key; all web features are included').waitFor();
    expect(await page.locator('main img').count()).toBe(0);
    expect(await flawsOf(page, 'home')).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('shows the rest where one service is away', async () => {
    const { context, page } = await app.signedIn(await app.customer(), '/check');
    await page.route('**/app/v1/exports?*', route =>
      route.fulfill({ status: 403, contentType: 'application/problem+json', body: '{"title":"No exports"}' }),
    );
    await openMenu(page);
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await page.getByText('No exports').waitFor();
    await page.getByRole('link', { name: '1,000 credits available' }).waitFor();
    await context.close();
  });

  it('and other screens say that there is no connection, and show their data when it is back', async () => {
    const { context, page } = await app.signedIn(await app.customer(), '/usage');
    await page.getByText('No credits spent in this period').waitFor();
    await page.goto(`${app.url}/check`);
    await page.getByRole('heading', { level: 1, name: 'Check one address' }).waitFor();
    await context.setOffline(true);
    await openMenu(page);
    await page.getByRole('link', { name: 'Usage', exact: true }).press('Enter');
    await page.getByRole('alert').getByText('Check your connection, then try again.').first().waitFor();
    await context.setOffline(false);
    await page.getByText('No credits spent in this period').waitFor();
    await page.getByRole('alert').first().waitFor({ state: 'detached' });
    await context.close();
  });
});

/** Sends a request to the API with the cookies of the page. */
async function send(page: Page, method: string, path: string, data: unknown, type = 'application/json') {
  const answered = await page.context().request.fetch(`${app.url}/v1${path}`, {
    method,
    data: typeof data === 'string' ? data : JSON.stringify(data),
    headers: { 'content-type': type, origin: new URL(app.url).origin },
  });
  if (!answered.ok()) throw new Error(`${path}: ${answered.status()} ${await answered.text()}`);
}

function paste(page: Page, name: string) {
  return send(
    page,
    'POST',
    `/validation-jobs/pasted?name=${encodeURIComponent(name)}`,
    'ada@ordinary.example\n',
    'text/plain',
  );
}
