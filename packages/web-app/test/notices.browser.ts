import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import pg from 'pg';
import { type AppHouse, type Customer, flawsOf, openSharedAppHouse, tabAndPress } from './app-house.ts';
import { mailed } from './mailed.ts';

describe('notices', () => {
  let app: AppHouse;
  let dispatcher: pg.Pool;

  beforeAll(async () => {
    app = await openSharedAppHouse();
    dispatcher = new pg.Pool({
      connectionString: app.house.databaseUrls['dispatcher']?.migrationDatabaseUrl ?? '',
    });
  });

  afterAll(async () => {
    await dispatcher?.end();
    await app?.stop();
  });

  /** Records an event of the account in the dispatcher, as if another service had told it. */
  async function record({ accountId }: Customer, type: string, data: object): Promise<void> {
    await dispatcher.query(
      'INSERT INTO dispatcher.event (event_id, account_id, type, data, happened_at) VALUES ($1, $2, $3, $4, now())',
      [newId('event'), accountId, type, JSON.stringify({ account_id: accountId, ...data })],
    );
  }

  const finished = {
    job_id: newId('validationJob'),
    name: 'customers <b>.csv',
    state: 'succeeded',
    addresses: 1_234,
    done: 1_234,
    failure: null,
    results: { ok: 900, invalid: 334 },
    spent: 1_234,
    seconds: 30,
  };

  it('arrive on the open page, are read and marked with the keyboard, and are chosen for each event', async () => {
    const customer = await app.customer();
    const { context, page, complaints } = await app.signedIn(customer, '/account/notices');
    await page.getByRole('heading', { name: 'Events' }).waitFor();
    expect(await flawsOf(page, 'notice-settings')).toEqual([]);
    await record(customer, 'validation_job.finished', finished);
    // The live region of the toasts says it.
    await page
      .getByRole('status')
      .getByText('Your list “customers <b>.csv” is finished.')
      .waitFor({ timeout: 30_000 });
    const bell = page.getByRole('button', { name: 'Notices, 1 unread' });
    await tabAndPress(bell);
    const drawer = page.getByRole('dialog', { name: 'Notices' });
    await drawer.getByText('The list “customers <b>.csv” with 1,234 addresses is finished.').waitFor();
    expect(await flawsOf(page, 'notices')).toEqual([]);
    await tabAndPress(
      drawer.getByRole('button', { name: 'Mark as read Your list “customers <b>.csv” is finished' }),
    );
    await drawer.getByText('Unread', { exact: true }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Notices', exact: true }).waitFor();

    const lists = page.getByRole('group', { name: 'A validation job has ended' });
    // The second change is made before the first is saved. Neither is lost, and the focus stays.
    let save = () => {};
    const held = new Promise<void>(resolve => {
      save = resolve;
    });
    await page.route('**/app/v1/notice-settings', async route => {
      if (route.request().method() === 'PUT') await held;
      await route.continue();
    });
    await tabAndPress(lists.getByLabel('In the application'), 'Space');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    expect(await lists.getByLabel('By mail').and(page.locator(':focus')).isChecked()).toBe(false);
    save();
    await page.getByText('Saved.').nth(1).waitFor();
    await page.reload();
    await lists.waitFor();
    expect(await lists.getByLabel('In the application').isChecked()).toBe(false);
    expect(await lists.getByLabel('By mail').isChecked()).toBe(false);
    expect(await lists.getByLabel('By mail').isEnabled()).toBe(true);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('stop by mail from the link of a mail, without a session', async () => {
    const customer = await app.customer();
    await record(customer, 'credits.low', { available: 1, held: 0, threshold: 5 });
    const { subject, text, link } = await mailed(app.house, customer.email);
    expect(subject).toBe('Your credits are low');
    expect(text).toContain('1 available credit and 0 held by work in progress');
    const { context, page, complaints } = await app.page();
    await page.goto(link);
    await page.getByRole('heading', { name: 'Stop mails of this kind' }).waitFor();
    // The token does not stay in the history.
    expect(page.url()).not.toContain('mp_stop');
    expect(await flawsOf(page, 'notices-stop')).toEqual([]);
    await tabAndPress(page.getByRole('button', { name: 'Stop these mails' }));
    await page.getByText('You get no more mails of this kind.').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
    const { context: signedIn, page: settings } = await app.signedIn(customer, '/account/notices');
    const low = settings.getByRole('group', { name: 'Credits are below the threshold' });
    await low.waitFor();
    expect(await low.getByLabel('By mail').isChecked()).toBe(false);
    await signedIn.close();
  });
});
