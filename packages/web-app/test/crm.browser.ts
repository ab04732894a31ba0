import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type HubSpotSimulator, openHubSpot } from '@mailproof/crm-lab';
import { waitFor } from '@mailproof/dev-house';
import type { OpenPage } from '@mailproof/dev-house/chromium';
import {
  type AppHouse,
  type Customer,
  flawsOf,
  openAppHouse,
  openMenu,
  tabAndPress,
  tabAndType,
  tabTo,
} from './app-house.ts';

const image = '<img src=x onerror=alert(1)>';
const script = '"><script>alert(1)</script>';
const longWord = 'x'.repeat(500);
const timeoutMs = 120_000;

describe('a CRM', () => {
  let app: AppHouse;
  let hubspot: HubSpotSimulator;
  let opened: OpenPage[] = [];

  beforeAll(async () => {
    const redirectUris: string[] = [];
    hubspot = await openHubSpot({ redirectUris, hubDomain: `${image}.ordinary.example` });
    app = await openAppHouse({
      env: {
        gateway: { SESSION_REQUESTS_PER_SECOND_MAX: '1000' },
        'webhook-dispatcher': {
          OUTBOUND_ALLOWED_PRIVATE_RANGES: '127.0.0.1/32',
          HUBSPOT_CLIENT_ID: hubspot.clientId,
          HUBSPOT_CLIENT_SECRET: hubspot.clientSecret,
          HUBSPOT_APP_BASE_URL: hubspot.baseUrl,
          HUBSPOT_API_BASE_URL: hubspot.baseUrl,
        },
      },
    });
    redirectUris.push(`${new URL(app.url).origin}/crm/callback`);
    await seed(hubspot);
  });

  afterEach(async () => {
    await Promise.all(opened.map(({ context }) => context.close()));
    opened = [];
    hubspot?.oauth.answerPeopleWith('allow');
  });

  afterAll(async () => {
    await app?.stop();
    await hubspot?.close();
  });

  async function signedIn(path: string, customer?: Customer): Promise<OpenPage> {
    const one = await app.signedIn(customer ?? (await app.customer()), path);
    opened.push(one);
    return one;
  }

  async function connected(): Promise<OpenPage> {
    const one = await signedIn('/integrations');
    await tabAndPress(one.page.getByRole('button', { name: 'Connect HubSpot' }));
    await one.page.getByRole('navigation', { name: 'HubSpot sections' }).waitFor();
    return one;
  }

  /**
   * Creates a validated list of two people, one of whom is in HubSpot; an attacker chose the name of its third column.
   */
  async function validated({ context }: OpenPage): Promise<string> {
    const headers = { origin: new URL(app.url).origin };
    const made = await context.request.post(`${app.url}/v1/validation-jobs?name=Customers`, {
      headers: { ...headers, 'content-type': 'text/csv' },
      data: `first_name,last_name,email,"${image}"\nAda,Lovelace,ada@ordinary.example,${script.replaceAll('"', '')}\nGrace,Hopper,grace@ordinary.example,${longWord}\n`,
    });
    const { job_id: jobId } = (await made.json()) as { job_id: string };
    const started = await context.request.post(`${app.url}/v1/validation-jobs/${jobId}/start`, { headers });
    expect(started.status()).toBe(202);
    await waitFor(
      'the validation has succeeded',
      async () => {
        const answer = await context.request.get(`${app.url}/v1/validation-jobs/${jobId}`);
        return ((await answer.json()) as { state: string }).state === 'succeeded';
      },
      { deadlineMs: 60_000 },
    );
    return jobId;
  }

  const contacts = () => hubspot.records('contacts').map(({ values }) => values);

  it(
    'creates the properties for results after asking, and chooses them, by keyboard',
    async () => {
      const { page, complaints } = await connected();
      await tabAndPress(page.getByRole('link', { name: 'Import records' }).first());
      const type = page.getByLabel('Record type');
      await tabTo(type);
      await page.keyboard.type('Comp');
      expect(await type.inputValue()).toBe('company');
      await page.getByText('There are no lists.').waitFor();
      await tabAndPress(page.getByRole('checkbox', { name: 'Write results back' }), 'Space');
      const status = page.getByRole('group', { name: 'Result, such as ok' }).getByLabel('Property');
      const time = page.getByRole('group', { name: 'Validation time' }).getByLabel('Property');
      expect([await status.inputValue(), await time.inputValue()]).toEqual(['', '']);
      const creating = page.getByRole('button', { name: 'Create 2 properties' });
      await tabAndPress(creating);
      const dialog = page.getByRole('dialog', { name: 'Create properties in HubSpot?' });
      await dialog.getByText('Email validated at (Mailproof): date and time').waitFor();
      expect(await flawsOf(page, 'integrations-create-properties')).toEqual([]);
      await tabAndPress(dialog.getByRole('button', { name: 'Cancel' }));
      await dialog.waitFor({ state: 'detached' });
      expect(await status.inputValue()).toBe('');
      await creating.and(page.locator(':focus')).press('Enter');
      await tabAndPress(dialog.getByRole('button', { name: 'Create properties' }));
      await dialog.waitFor({ state: 'detached' });
      expect([await status.inputValue(), await time.inputValue()]).toEqual([
        'mailproof_result',
        'mailproof_validated_at',
      ]);
      expect(await page.getByRole('button', { name: /^Create 2/ }).count()).toBe(0);
      expect(await flawsOf(page, 'integrations-created-properties')).toEqual([]);
      // They are suggested the next time.
      await page.reload();
      await page.getByLabel('Record type').selectOption('company');
      await page.getByRole('checkbox', { name: 'Write results back' }).check();
      expect(await status.inputValue()).toBe('mailproof_result');
      expect(complaints).toEqual([]);
    },
    timeoutMs,
  );

  it(
    'connects HubSpot, validates a list of it, and writes the results back, by keyboard',
    async () => {
      const { page, complaints } = await signedIn('/integrations');
      await page.getByText('SALESFORCE_CLIENT_ID').waitFor();
      await page.getByText('No assistants connected').waitFor();
      expect(await flawsOf(page, 'integrations-empty')).toEqual([]);
      await tabAndPress(page.getByRole('button', { name: 'Connect HubSpot' }));
      await page.getByRole('heading', { name: `${image}.ordinary.example` }).waitFor();
      await page.getByText('No imports from HubSpot yet').waitFor();
      expect(await flawsOf(page, 'integrations-connection-empty')).toEqual([]);
      // The history contains nothing of the CRM's redirect: going back leads to where the connection was started.
      await page.goBack();
      await page.getByRole('link', { name: `${image}.ordinary.example` }).waitFor();
      expect(page.url()).toBe(`${app.url}/integrations`);
      await tabAndPress(page.getByRole('link', { name: `${image}.ordinary.example` }));

      await tabAndPress(page.getByRole('link', { name: 'Import records' }).first());
      // The property with the addresses is chosen already.
      expect(await page.getByLabel('Email property').inputValue()).toBe('email');
      await tabAndPress(page.getByRole('radio', { name: 'All contacts' }), 'ArrowDown');
      expect(await page.getByRole('radio', { name: 'A list in HubSpot' }).isChecked()).toBe(true);
      const list = page.getByLabel('List', { exact: true });
      expect(await list.locator('option').allTextContents()).toEqual([`Newsletter ${image} (3 records)`]);
      const automatic = page.getByRole('checkbox', { name: 'Start validation automatically' });
      await tabAndPress(automatic, 'Space');
      const creditsMax = page.getByLabel('Maximum credits');
      await tabAndType(creditsMax, '');
      await page.keyboard.press('Backspace');
      await page.keyboard.type('50');
      expect(await creditsMax.inputValue()).toBe('50');
      await page.getByText('At most 50 credits').waitFor();
      await page.keyboard.type('x');
      await page.getByText('Enter a whole number of at least 1.').waitFor();
      await tabAndPress(automatic, 'Space');
      await tabAndPress(page.getByRole('checkbox', { name: 'Write results back' }), 'Space');
      const status = page.getByRole('group', { name: 'Result, such as ok' }).getByLabel('Property');
      expect(await status.inputValue()).toBe('email_status');
      await tabAndPress(page.getByRole('button', { name: 'Add filter' }));
      await tabAndPress(page.getByRole('button', { name: 'Import contacts' }));
      await page.getByText('A filter is incomplete').waitFor();
      expect(await flawsOf(page, 'integrations-import-form')).toEqual([]);
      await tabAndPress(page.getByRole('button', { name: 'Remove filter' }));
      await tabAndPress(page.getByRole('button', { name: 'Import 3 records' }));

      await page.getByText('3 distinct addresses in 3 rows').waitFor({ timeout: 60_000 });
      await page.getByText('At most 3 credits').waitFor();
      expect(await flawsOf(page, 'integrations-import-ready')).toEqual([]);
      await page.reload();
      await tabAndPress(page.getByRole('button', { name: 'Start validation' }));
      await page.getByText('Results were written to 3 CRM records.').waitFor({ timeout: 60_000 });
      expect(await flawsOf(page, 'integrations-import-done')).toEqual([]);
      expect(contacts().map(values => values['email_status'])).toEqual(['ok', 'ok', 'invalid']);

      await tabAndPress(page.getByRole('button', { name: 'Delete' }));
      await tabAndPress(page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
      await page.getByText('No imports from HubSpot yet').waitFor();
      expect(complaints).toEqual([]);
    },
    timeoutMs,
  );

  it(
    'adds the companies of a list in HubSpot to a new list, and then to the same, by keyboard',
    async () => {
      const { page, complaints } = await connected();
      async function begin(): Promise<void> {
        await tabAndPress(page.getByRole('link', { name: 'Import records' }).first());
        await tabAndPress(page.getByRole('radio', { name: 'All contacts' }), 'ArrowDown');
        await tabAndPress(page.getByRole('radio', { name: 'Validate the addresses' }), 'ArrowDown');
        const property = page.getByLabel('Property with the address, domain or website');
        expect(await property.inputValue()).toBe('email');
        expect(await page.getByRole('checkbox', { name: 'Write results back' }).count()).toBe(0);
      }
      await begin();
      const start = page.getByRole('button', { name: 'Import 3 records' });
      await tabAndPress(start);
      await page.getByText('Enter a name for the new list.').waitFor();
      await tabTo(page.getByLabel('Name of the new list'));
      await page.keyboard.type('Customers');
      expect(await flawsOf(page, 'integrations-import-into-list')).toEqual([]);
      await tabAndPress(start);
      await page.getByText('1 company added to the list.').waitFor({ timeout: 60_000 });
      expect(await flawsOf(page, 'integrations-import-into-list-done')).toEqual([]);
      await tabAndPress(page.getByRole('link', { name: 'Open the list' }));
      await page.getByRole('heading', { name: 'Customers' }).waitFor();
      await page.getByText('ordinary.example', { exact: true }).waitFor();
      await tabAndPress(page.getByRole('link', { name: 'import the companies of a CRM segment' }));
      await tabAndPress(page.getByRole('link', { name: `${image}.ordinary.example` }));

      await begin();
      expect(await page.getByLabel('List of companies').locator('option:checked').textContent()).toBe(
        'Customers',
      );
      await tabAndPress(start);
      await page
        .getByText('0 companies added to the list; 1 was already on it.')
        .waitFor({ timeout: 60_000 });
      expect(complaints).toEqual([]);
    },
    timeoutMs,
  );

  it(
    'is connected, shows what a push would do, pushes, undoes it, and is disconnected, by keyboard',
    async () => {
      const one = await connected();
      const { page, complaints } = one;
      const jobId = await validated(one);
      await tabAndPress(page.getByRole('link', { name: 'Push rows', exact: true }).first());
      await tabTo(page.getByLabel('Rows', { exact: true }));
      await page.keyboard.type('Customers');
      await page.waitForURL(url => url.searchParams.get('rows') === jobId);
      const table = page.getByRole('table', { name: 'Mapping' });
      await table.getByText('ada@ordinary.example').waitFor();
      for (const [column, property] of [
        ['email', 'email'],
        ['first_name', 'firstname'],
        ['last_name', 'lastname'],
      ]) {
        const preset = page.getByLabel(`Property for ${column}`, { exact: true });
        expect(await preset.inputValue()).toBe(property);
      }
      const endless = page.getByLabel(`Property for ${image}`, { exact: true });
      const policy = page.getByLabel('Existing values for first_name');
      await tabTo(policy);
      await page.keyboard.type('Fill');
      expect(await policy.locator('option:checked').textContent()).toBe('Fill if blank');
      await tabTo(endless);
      await page.keyboard.type('Email');
      await page.getByText('A property can be used by one field only.').waitFor();
      await page.keyboard.press('End');
      expect(await endless.inputValue()).toBe('endless');
      const status = page.getByLabel('Property for result_status', { exact: true });
      await tabTo(status);
      await page.keyboard.press('Home');
      expect(await status.inputValue()).toBe('');
      expect(await flawsOf(page, 'integrations-mapping')).toEqual([]);
      const creating = page.getByRole('button', { name: 'Create 1 property' });
      await tabAndPress(creating);
      const asked = page.getByRole('dialog', { name: 'Create properties in HubSpot?' });
      await asked.getByText('Email status (Mailproof): text').waitFor();
      await tabAndPress(asked.getByRole('button', { name: 'Create properties' }), 'Space');
      await asked.waitFor({ state: 'detached' });
      await creating.waitFor({ state: 'detached' });
      expect(await status.inputValue()).toBe('mailproof_result');

      const before = contacts();
      await tabAndPress(page.getByRole('button', { name: 'Preview changes' }));
      const write = page.getByRole('button', { name: 'Write 2 records to HubSpot' });
      await write.waitFor();
      await page.getByRole('region', { name: 'Preview', exact: true }).and(page.locator(':focus')).waitFor();
      const examples = page.getByRole('table').filter({ hasText: 'Action' });
      await examples
        .getByRole('row', { name: /grace@ordinary.example/ })
        .getByText('Created')
        .waitFor();
      await examples
        .getByRole('row', { name: /ada@ordinary.example/ })
        .getByText('Updated')
        .waitFor();
      expect(contacts()).toEqual(before);
      expect(await flawsOf(page, 'integrations-dry-run')).toEqual([]);

      await tabAndPress(write);
      // The push is an export: its screen shows the progress and the undo.
      await page.getByRole('region', { name: 'Result' }).getByText('Done', { exact: true }).waitFor();
      expect(contacts()).toHaveLength(4);
      expect(contacts()[0]).toMatchObject({ firstname: 'Augusta', endless: '><script>alert(1)</script>' });
      expect(contacts()[3]).toMatchObject({
        firstname: 'Grace',
        lastname: 'Hopper',
        email: 'grace@ordinary.example',
        mailproof_result: 'ok',
      });
      await tabAndPress(page.getByRole('button', { name: 'Undo 1 new record' }));
      await tabAndPress(page.getByRole('dialog').getByRole('button', { name: 'Undo push' }));
      await page.getByText('Undo complete').waitFor();
      expect(contacts()).toHaveLength(3);

      await openMenu(page);
      await tabAndPress(page.getByRole('link', { name: 'Integrations' }));
      await tabAndPress(page.getByRole('link', { name: `${image}.ordinary.example` }));
      await tabAndPress(page.getByRole('link', { name: 'Properties' }));
      await page.getByRole('row', { name: /Email status \(Mailproof\)/ }).waitFor();
      expect(await flawsOf(page, 'integrations-properties')).toEqual([]);
      await tabAndPress(page.getByRole('button', { name: 'Disconnect' }));
      await page.getByText('are kept').waitFor();
      expect(await flawsOf(page, 'integrations-disconnect')).toEqual([]);
      await tabAndPress(page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }));
      await page.getByRole('button', { name: 'Connect HubSpot' }).waitFor();
      expect(complaints).toEqual([]);
    },
    timeoutMs,
  );

  it(
    'sends the failed rows of a push again, by keyboard',
    async () => {
      const one = await connected();
      const { page, context, complaints } = one;
      const connectionId = /crm\/([^/?]+)/.exec(page.url())?.[1];
      const jobId = await validated(one);
      hubspot.refuseRecords('contacts', ({ firstname }) =>
        firstname === 'Grace'
          ? { category: 'VALIDATION_ERROR', message: 'A rule of the account.' }
          : undefined,
      );
      const started = await context.request.post(`${app.url}/v1/exports`, {
        headers: { origin: new URL(app.url).origin },
        data: {
          source: { kind: 'validation_job', job_id: jobId },
          target: 'crm',
          options: {
            connection_id: connectionId,
            object: 'contact',
            fields: [
              { column: 'email', property: 'email', policy: 'never' },
              { column: 'first_name', property: 'firstname', policy: 'overwrite' },
            ],
          },
        },
      });
      const { export_id: exportId } = (await started.json()) as { export_id: string };
      const result = page.getByRole('region', { name: 'Result' });
      await page.goto(`${app.url}/exports/${exportId}`);
      await result.getByText('Done, some rows failed').waitFor();
      const known = contacts().length;
      hubspot.refuseRecords('contacts', () => undefined);

      await page.getByRole('button', { name: 'Resend failed rows' }).press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Resend failed rows' });
      const send = dialog.getByRole('button', { name: 'Send 1 row' });
      await send.waitFor();
      expect(await flawsOf(page, 'exports-resend-crm')).toEqual([]);
      await send.press('Enter');
      await page.waitForURL(url => !url.pathname.endsWith(exportId));
      await result.getByText('Done', { exact: true }).waitFor();
      expect(contacts()).toHaveLength(known + 1);
      expect(contacts().at(-1)).toMatchObject({ firstname: 'Grace', email: 'grace@ordinary.example' });
      await page.getByRole('link', { name: 'an earlier push' }).press('Enter');
      await page.waitForURL(url => url.pathname.endsWith(exportId));

      await page.getByRole('button', { name: 'More actions' }).press('Enter');
      await page.getByRole('menuitem', { name: 'Delete' }).press('Enter');
      const deleting = page.getByRole('dialog', { name: 'Delete this push?' });
      await deleting.getByText('Delivered rows stay where they are').waitFor();
      await deleting.getByRole('button', { name: 'Delete', exact: true }).press('Enter');
      await page.waitForURL(`${app.url}/exports`);
      expect(complaints).toEqual([]);
    },
    timeoutMs,
  );

  it(
    'says when the user refused at the CRM, or the access was revoked',
    async () => {
      hubspot.oauth.answerPeopleWith('deny');
      const { page, complaints } = await signedIn('/integrations');
      await page.getByRole('button', { name: 'Connect HubSpot' }).click();
      await page.getByRole('alert').waitFor();
      expect(page.url()).toBe(`${app.url}/crm/callback`);
      expect(await flawsOf(page, 'integrations-refused')).toEqual([]);
      hubspot.oauth.answerPeopleWith('allow');
      await page.getByRole('link', { name: 'Go to integrations' }).click();
      await page.getByRole('button', { name: 'Connect HubSpot' }).click();
      await page.getByRole('navigation', { name: 'HubSpot sections' }).waitFor();
      hubspot.oauth.revokeAll();
      await page.getByRole('link', { name: 'Properties' }).click();
      await page.getByRole('alert').waitFor();
      await page.reload();
      await page.getByText('This connection is not working').waitFor();
      expect(await flawsOf(page, 'integrations-revoked')).toEqual([]);
      await page.getByRole('button', { name: 'Reconnect' }).click();
      await page.getByRole('navigation', { name: 'HubSpot sections' }).waitFor();
      await page.getByText('This connection is not working').waitFor({ state: 'detached' });
      expect(complaints).toEqual([]);
    },
    timeoutMs,
  );

  it(
    'waits for a user who returns from a CRM without a session',
    async () => {
      const customer = await app.customer();
      const { page, context } = await signedIn('/integrations', customer);
      const origin = new URL(app.url).origin;
      const started = await context.request.post(`${app.url}/v1/crm-connections`, {
        data: { provider: 'hubspot' },
        headers: { origin },
      });
      const { authorization_url: address } = (await started.json()) as { authorization_url: string };
      // The response to a request of the open page could set the cookie again.
      await page.goto('about:blank');
      await context.clearCookies();
      await page.goto(address);
      await page.getByText('You are not signed in to Mailproof in this browser').waitFor();
      expect(page.url()).toBe(`${app.url}/crm/callback`);
      expect(await flawsOf(page, 'integrations-not-signed-in')).toEqual([]);
      const { email, password } = customer;
      await context.request.post(`${app.url}/v1/session`, { data: { email, password }, headers: { origin } });
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('navigation', { name: 'HubSpot sections' }).waitFor();
      await page.goto(`${app.url}/crm/callback?code=half`);
      await page.getByText('This URL is incomplete').waitFor();
      expect(page.url()).toBe(`${app.url}/crm/callback`);
    },
    timeoutMs,
  );
});

/** Creates contacts, a list of them, and properties for results; an attacker chose every name that users can choose. */
async function seed(hubspot: HubSpotSimulator): Promise<void> {
  const { accessToken } = hubspot.oauth.grant();
  for (const [name, label, type, fieldType] of [
    ['email_status', `Email status ${script}`, 'string', 'text'],
    ['email_validated_at', 'Email validated', 'datetime', 'date'],
    ['endless', longWord, 'string', 'text'],
  ]) {
    const made = await fetch(`${hubspot.baseUrl}/crm/v3/properties/contacts`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name, label, type, fieldType, groupName: 'contactinformation' }),
    });
    expect(made.status).toBe(201);
  }
  const ids = hubspot.seed('contacts', 3, index => ({
    email: `${['ada', 'info', 'nobody'][index]}@ordinary.example`,
    firstname: index === 0 ? 'Augusta' : image,
  }));
  hubspot.addList(`Newsletter ${image}`, 'contacts', ids);
}
