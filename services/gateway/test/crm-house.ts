import {
  type HubSpotSimulator,
  openHubSpot,
  openSalesforce,
  type SalesforceSimulator,
} from '@mailproof/crm-lab';
import type { HouseOptions } from '@mailproof/dev-house';
import { type CrmConnectionRecord, type CrmProvider, crmConnection } from '@mailproof/shared-types';
import { type Answer, openTestHouse, type Person, type TestHouse, validating } from './house.ts';

/** The whole system and both CRMs, each on loopback. */
export interface CrmHouse {
  readonly test: TestHouse;
  readonly hubspot: HubSpotSimulator;
  readonly salesforce: SalesforceSimulator;
  /** Starts a connection and follows the browser's redirect; returns the callback's parameters. */
  visit(owner: Person, provider: CrmProvider): Promise<{ readonly state: string } & Record<string, string>>;
  complete(owner: Person, given: object): Promise<Answer>;
  /** Connects a CRM as an owner does in a browser. */
  connect(owner: Person, provider: CrmProvider): Promise<CrmConnectionRecord>;
  stop(): Promise<void>;
}

export async function openCrmHouse(options: Partial<HouseOptions> = {}): Promise<CrmHouse> {
  const redirectUris: string[] = [];
  const [hubspot, salesforce] = await Promise.all([
    openHubSpot({ redirectUris, hubDomain: 'ordinary.example' }),
    openSalesforce({ oauth: { redirectUris, organizationName: 'Ordinary Limited' } }),
  ]);
  const test = await openTestHouse({
    only: [...validating, 'enrichment', 'webhook-dispatcher'],
    ...options,
    env: {
      ...options.env,
      gateway: {
        AUTH_FAILURES_PER_MINUTE_MAX: '10000',
        SESSION_REQUESTS_PER_SECOND_MAX: '1000',
        ...options.env?.gateway,
      },
      'webhook-dispatcher': {
        OUTBOUND_ALLOWED_PRIVATE_RANGES: '127.0.0.1/32',
        HUBSPOT_CLIENT_ID: hubspot.clientId,
        HUBSPOT_CLIENT_SECRET: hubspot.clientSecret,
        HUBSPOT_APP_BASE_URL: hubspot.baseUrl,
        HUBSPOT_API_BASE_URL: hubspot.baseUrl,
        SALESFORCE_CLIENT_ID: 'lab-client',
        SALESFORCE_CLIENT_SECRET: 'lab-secret',
        SALESFORCE_LOGIN_URL: salesforce.baseUrl,
        ...options.env?.['webhook-dispatcher'],
      },
    },
  });
  redirectUris.push(`${test.house.environments['webhook-dispatcher']['PUBLIC_BASE_URL']}/crm/callback`);

  async function visit(owner: Person, provider: CrmProvider) {
    const started = await owner.post('/crm-connections', { provider });
    if (started.status !== 201) {
      throw new Error(`Connecting was answered with ${started.status} ${JSON.stringify(started.body)}.`);
    }
    const shown = await fetch(String(started.body['authorization_url']), { redirect: 'manual' });
    const location = shown.headers.get('location');
    if (location === null) {
      throw new Error(`The browser is shown ${shown.status} ${await shown.text()}`);
    }
    const given = Object.fromEntries(new URL(location).searchParams);
    return { ...given, state: given['state'] ?? '' };
  }

  const complete = (owner: Person, given: object) => owner.post('/crm-connections/completion', given);
  return {
    test,
    hubspot,
    salesforce,
    visit,
    complete,
    async connect(owner, provider) {
      const { status, body } = await complete(owner, await visit(owner, provider));
      if (status !== 201) {
        throw new Error(`The connection was answered with ${status} ${JSON.stringify(body)}.`);
      }
      return crmConnection.parse(body);
    },
    async stop() {
      await test.stop();
      await Promise.all([hubspot.close(), salesforce.close()]);
    },
  };
}
