import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type HubSpotSimulator, openHubSpot } from '@mailproof/crm-lab';
import { waitFor } from '@mailproof/dev-house';
import type { OpenPage } from '@mailproof/dev-house/chromium';
import { type AppHouse, type Customer, flawsOf, openAppHouse } from './app-house.ts';

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
    await one.page.getByRole('button', { name: 'Connect HubSpot' }).click();
    await one.page.getByRole('navigation', { name: 'Parts of HubSpot' }).waitFor();
    return one;
  }

  /** A list of two that was validated, one of whom HubSpot knows; its third column is called by an attacker. */
  async function validated({ context }: OpenPage): Promise<string> {
    const headers = { origin: new URL(app.url).origin };
    const made = await context.request.post(`${app.url}/v1/validation-jobs?name=Customers`, {
      headers: { ...headers, 'content-type': 'text/csv' },
      data: `first_name,email,"${image}"\nAda,ada@ordinary.example,${script.replaceAll('"', '')}\nGrace,grace@ordinary.example,${longWord}\n`,
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
    'connects HubSpot, validates a list of it, and writes the results back',
    async () => {
      const { page, complaints } = await signedIn('/integrations');
      await page.getByText('SALESFORCE_CLIENT_ID').waitFor();
      await page.getByText('No assistant is connected').waitFor();
      expect(await flawsOf(page, 'integrations-empty')).toEqual([]);
      await page.getByRole('button', { name: 'Connect HubSpot' }).click();
      await page.getByRole('heading', { name: `${image}.ordinary.example` }).waitFor();
      await page.getByText('Nothing was imported from HubSpot yet').waitFor();
      expect(await flawsOf(page, 'integrations-connection-empty')).toEqual([]);
      // Nothing of what the CRM gave is in the history: behind is where it was begun.
      await page.goBack();
      await page.getByRole('link', { name: `${image}.ordinary.example` }).waitFor();
      expect(page.url()).toBe(`${app.url}/integrations`);
      await page.getByRole('link', { name: `${image}.ordinary.example` }).click();

      await page.getByRole('link', { name: 'Import records' }).first().click();
      await page.getByRole('radio', { name: 'A list of HubSpot' }).check();
      const list = page.getByLabel('A list', { exact: true });
      expect(await list.locator('option').allTextContents()).toEqual([`Newsletter ${image} (3 records)`]);
      await page.getByRole('checkbox', { name: 'Write the results back' }).check();
      const status = page.getByRole('group', { name: 'Result, such as ok' }).getByLabel('Goes to');
      expect(await status.inputValue()).toBe('email_status');
      await page.getByRole('button', { name: 'Add a filter' }).click();
      await page.getByRole('button', { name: 'Import contacts' }).click();
      await page.getByText('A filter is not complete').waitFor();
      expect(await flawsOf(page, 'integrations-import-form')).toEqual([]);
      await page.getByRole('button', { name: 'Remove this filter' }).click();
      await page.getByRole('button', { name: 'Import 3 records' }).click();

      await page.getByText('3 different addresses in 3 rows').waitFor({ timeout: 60_000 });
      await page.getByText('At most 3 credits').waitFor();
      expect(await flawsOf(page, 'integrations-import-ready')).toEqual([]);
      await page.reload();
      await page.getByRole('button', { name: 'Start the validation' }).click();
      await page.getByText('Results stand in 3 records of the CRM.').waitFor({ timeout: 60_000 });
      expect(await flawsOf(page, 'integrations-import-done')).toEqual([]);
      expect(contacts().map(values => values['email_status'])).toEqual(['ok', 'ok', 'invalid']);

      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('Nothing was imported from HubSpot yet').waitFor();
      expect(complaints).toEqual([]);
    },
    timeoutMs,
  );

  it(
    'shows what a push would do, pushes, undoes it, and disconnects',
    async () => {
      const one = await connected();
      const { page, complaints } = one;
      const jobId = await validated(one);
      await page.getByRole('link', { name: 'Push rows', exact: true }).click();
      await page.getByLabel('Rows', { exact: true }).selectOption(jobId);
      const table = page.getByRole('table', { name: 'Mapping' });
      await table.getByText('ada@ordinary.example').waitFor();
      expect(await page.getByLabel('Property for email', { exact: true }).inputValue()).toBe('email');
      const endless = page.getByLabel(`Property for ${image}`, { exact: true });
      await endless.selectOption('email');
      await page.getByText('A property is filled by one field alone.').waitFor();
      await endless.selectOption('endless');
      await page
        .getByLabel('What happens to what stands there, for first_name')
        .selectOption({ label: 'Fill in where blank' });
      expect(await flawsOf(page, 'integrations-mapping')).toEqual([]);

      const before = contacts();
      await page.getByRole('button', { name: 'See what would happen' }).click();
      await page.getByRole('button', { name: 'Write 2 records to HubSpot' }).waitFor();
      const examples = page.getByRole('table').filter({ hasText: 'Would be' });
      await examples
        .getByRole('row', { name: /grace@ordinary.example/ })
        .getByText('Created')
        .waitFor();
      await examples
        .getByRole('row', { name: /ada@ordinary.example/ })
        .getByText('Changed')
        .waitFor();
      expect(contacts()).toEqual(before);
      expect(await flawsOf(page, 'integrations-dry-run')).toEqual([]);

      await page.getByRole('button', { name: 'Write 2 records to HubSpot' }).click();
      // It goes on, and is undone, on the screen of the export that it is.
      await page.getByRole('region', { name: 'Outcome' }).getByText('Done', { exact: true }).waitFor();
      expect(contacts()).toHaveLength(4);
      expect(contacts()[0]).toMatchObject({ firstname: 'Augusta', endless: '><script>alert(1)</script>' });
      expect(contacts()[3]).toMatchObject({ firstname: 'Grace', email: 'grace@ordinary.example' });
      await page.getByRole('button', { name: 'Undo 1 new record' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Everything was taken away').waitFor();
      expect(contacts()).toHaveLength(3);

      await page.getByRole('link', { name: 'Integrations' }).click();
      await page.getByRole('link', { name: `${image}.ordinary.example` }).click();
      await page.getByRole('link', { name: 'Properties' }).click();
      await page.getByRole('row', { name: /Email status/ }).waitFor();
      expect(await flawsOf(page, 'integrations-properties')).toEqual([]);
      await page.getByRole('button', { name: 'Disconnect' }).click();
      await page.getByText('Records stay where they are').waitFor();
      expect(await flawsOf(page, 'integrations-disconnect')).toEqual([]);
      await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
      await page.getByRole('button', { name: 'Connect HubSpot' }).waitFor();
      expect(complaints).toEqual([]);
    },
    timeoutMs,
  );

  it(
    'says when somebody has said no at the CRM, or the access was taken away',
    async () => {
      hubspot.oauth.answerPeopleWith('deny');
      const { page, complaints } = await signedIn('/integrations');
      await page.getByRole('button', { name: 'Connect HubSpot' }).click();
      await page.getByRole('alert').waitFor();
      expect(page.url()).toBe(`${app.url}/crm/callback`);
      expect(await flawsOf(page, 'integrations-refused')).toEqual([]);
      hubspot.oauth.answerPeopleWith('allow');
      await page.getByRole('link', { name: 'Go to the integrations' }).click();
      await page.getByRole('button', { name: 'Connect HubSpot' }).click();
      await page.getByRole('navigation', { name: 'Parts of HubSpot' }).waitFor();
      hubspot.oauth.revokeAll();
      await page.getByRole('link', { name: 'Properties' }).click();
      await page.getByRole('alert').waitFor();
      await page.reload();
      await page.getByText('This connection does nothing at present').waitFor();
      expect(await flawsOf(page, 'integrations-revoked')).toEqual([]);
      await page.getByRole('button', { name: 'Connect again' }).click();
      await page.getByRole('navigation', { name: 'Parts of HubSpot' }).waitFor();
      await page.getByText('This connection does nothing at present').waitFor({ state: 'detached' });
      expect(complaints).toEqual([]);
    },
    timeoutMs,
  );

  it(
    'waits for whoever comes back from a CRM and is not signed in',
    async () => {
      const customer = await app.customer();
      const { page, context } = await signedIn('/integrations', customer);
      const origin = new URL(app.url).origin;
      const begun = await context.request.post(`${app.url}/v1/crm-connections`, {
        data: { provider: 'hubspot' },
        headers: { origin },
      });
      const { authorization_url: address } = (await begun.json()) as { authorization_url: string };
      await context.clearCookies();
      await page.goto(address);
      await page.getByText('You are not signed in to Mailproof in this browser').waitFor();
      expect(page.url()).toBe(`${app.url}/crm/callback`);
      expect(await flawsOf(page, 'integrations-not-signed-in')).toEqual([]);
      const { email, password } = customer;
      await context.request.post(`${app.url}/v1/session`, { data: { email, password }, headers: { origin } });
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('navigation', { name: 'Parts of HubSpot' }).waitFor();
      await page.goto(`${app.url}/crm/callback?code=half`);
      await page.getByText('This address is not complete').waitFor();
      expect(page.url()).toBe(`${app.url}/crm/callback`);
    },
    timeoutMs,
  );
});

/** Contacts, a list of them and properties for results, called by an attacker wherever people may call things. */
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
  const ids = hubspot.seed('contacts', 3, place => ({
    email: `${['ada', 'info', 'nobody'][place]}@ordinary.example`,
    firstname: place === 0 ? 'Augusta' : image,
  }));
  hubspot.addList(`Newsletter ${image}`, 'contacts', ids);
}
