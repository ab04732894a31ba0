import { type HubSpotSimulator, openHubSpot } from './hubspot/open-hubspot.ts';
import { openSalesforce, type SalesforceSimulator } from './salesforce/open-salesforce.ts';

/** Runs both CRMs as a separate process, with some sample records. */

const usage = `Usage: pnpm crm-lab [--records <number>] [--public-base-url <url>]

Runs a HubSpot and a Salesforce on loopback until it is stopped, and prints the settings with which
Mailproof connects them. What is written there is lost when it stops.

  --records <number>       contacts that are there at first, in each of them (250)
  --public-base-url <url>  where the gateway is reached (http://127.0.0.1:8080)
  --help                   print this
`;

/** Fixed, so that the settings stay the same from one day to the next. */
const hubSpotPort = 4_310;
const salesforcePort = 4_311;
const recordsMax = 100_000;
/** How many contacts each company has. */
const contactsPerCompany = 5;

const wishes = new Map<string, string>();
const given = process.argv.slice(2);
for (let index = 0; index < given.length; index += 2) {
  wishes.set(given[index] ?? '', given[index + 1] ?? '');
}
const unknown = [...wishes.keys()].find(name => !['--records', '--public-base-url'].includes(name));
const records = Number(wishes.get('--records') ?? 250);
const publicBaseUrl = wishes.get('--public-base-url') ?? 'http://127.0.0.1:8080';

if (wishes.has('--help')) {
  process.stdout.write(usage);
} else if (unknown !== undefined || !Number.isInteger(records) || records < 0 || records > recordsMax) {
  process.stderr.write(`${unknown === undefined ? `--records: 0 to ${recordsMax}` : unknown}\n\n${usage}`);
  process.exitCode = 2;
} else {
  await run();
}

async function run(): Promise<void> {
  const redirectUris = [`${publicBaseUrl.replace(/\/+$/, '')}/crm/callback`];
  const hubSpot = await openHubSpot({ port: hubSpotPort, redirectUris });
  const clientId = 'lab-salesforce-app';
  const clientSecret = 'lab-salesforce-secret';
  const salesforce = await openSalesforce({
    port: salesforcePort,
    oauth: { clientId, clientSecret, redirectUris },
  });
  seedHubSpot(hubSpot);
  seedSalesforce(salesforce);
  process.stdout.write(
    `${[
      'The simulated HubSpot and Salesforce are running. Start Mailproof with these settings, then connect them:',
      '',
      `HUBSPOT_CLIENT_ID=${hubSpot.clientId}`,
      `HUBSPOT_CLIENT_SECRET=${hubSpot.clientSecret}`,
      `HUBSPOT_API_BASE_URL=${hubSpot.baseUrl}`,
      `HUBSPOT_APP_BASE_URL=${hubSpot.baseUrl}`,
      `SALESFORCE_CLIENT_ID=${clientId}`,
      `SALESFORCE_CLIENT_SECRET=${clientSecret}`,
      `SALESFORCE_LOGIN_URL=${salesforce.baseUrl}`,
      '',
      `A token for trying HubSpot’s interface by hand: ${hubSpot.oauth.grant().accessToken}`,
      'Ctrl-C stops both.',
    ].join('\n')}\n`,
  );
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void Promise.all([hubSpot.close(), salesforce.close()]));
  }
}

function seedHubSpot(hubSpot: HubSpotSimulator): void {
  const ids = hubSpot.seed('contacts', records, index => ({
    firstname: 'Ada',
    lastname: `Example ${index}`,
    email: `ada.${index}@people.example`,
    ...(index % 3 === 0 && { city: 'Paris' }),
  }));
  hubSpot.seed('companies', Math.ceil(records / contactsPerCompany), index => ({
    name: `Company ${index}`,
    domain: `company-${index}.example`,
  }));
  hubSpot.addList(
    'Newsletter',
    'contacts',
    ids.filter((_, index) => index % 2 === 0),
  );
}

function seedSalesforce(salesforce: SalesforceSimulator): void {
  const indexes = Array.from({ length: records }, (_, index) => index);
  const person = (index: number) => ({
    FirstName: 'Ada',
    LastName: `Example ${index}`,
    Email: `ada.${index}@people.example`,
  });
  salesforce.seed('Contact', indexes.map(person));
  salesforce.seed(
    'Lead',
    indexes.map(index => ({ ...person(index), Company: `Company ${index}`, LeadSource: 'Web' })),
  );
  salesforce.seed(
    'Account',
    indexes
      .slice(0, Math.ceil(records / contactsPerCompany))
      .map(index => ({ Name: `Company ${index}`, Website: `https://www.company-${index}.example/` })),
  );
  salesforce.addListView('Contact', 'All contacts', 'SELECT Name, Email, Id FROM Contact ORDER BY Name');
  salesforce.addListView(
    'Lead',
    'Leads from the web',
    "SELECT Name, Company, Id FROM Lead WHERE IsConverted = false AND LeadSource = 'Web' ORDER BY Name",
  );
}
