import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hubSpotScopes } from '@mailproof/crm-lab';
import { crmFieldPolicies, crmFieldsMax, limits } from '@mailproof/shared-types';
import type pg from 'pg';
import { type CrmHouse, openCrmHouse } from './crm-house.ts';
import { endedJob, poolOf, untilExportEnded } from './exported-records.ts';
import type { Customer } from './house.ts';
import { commandsOf, type PageCommand, runPageCommand } from './page-commands.ts';
import { until } from './until.ts';

const page = await readFile(new URL('../../../docs/connect-a-crm.md', import.meta.url), 'utf8');
const section = (title: string) => page.split(/^## /m).find(part => part.startsWith(title)) ?? '';

let crms: CrmHouse;
let engine: pg.Pool;
let customer: Customer;
/** The values of the page’s variables; the page shows ids in the right format. */
const variables = new Map<string, string>();
const ran = new Set<string>();

beforeAll(async () => {
  crms = await openCrmHouse();
  engine = poolOf(crms.test, 'validation');
  customer = await crms.test.open({ credits: 100, requestsPerSecond: 1_000 });
}, 120_000);

afterAll(async () => {
  await engine?.end();
  await crms?.stop();
});

/** Runs a command of the page with the variables that a reader would have set, and returns the answer's body. */
async function run(command: PageCommand | undefined): Promise<Record<string, unknown>> {
  if (!command) {
    throw new Error('The page has no such command.');
  }
  ran.add(command.line);
  const { status, text } = await runPageCommand(
    { url: crms.test.house.gatewayUrls[0] ?? '', apiKey: customer.apiKey },
    command,
    given => given.replace(/\$([A-Z]+)/g, (_, name: string) => variable(name)),
  );
  if (status >= 300) {
    throw new Error(`${command.line} was answered with ${status} ${text}.`);
  }
  return JSON.parse(text) as Record<string, unknown>;
}

/** The commands of the page under a heading, in order. */
const commandsUnder = (title: string) => commandsOf(section(title));

function variable(name: string): string {
  const value = variables.get(name);
  if (value === undefined) {
    throw new Error(`No step sets ${name}.`);
  }
  return value;
}

const file = 'first_name,email\nAda,ada@ordinary.example\nGrace,grace@ordinary.example\n';
const emails = () => crms.hubspot.records('contacts').map(({ values }) => values['email']);

describe('the page about CRMs', () => {
  it('connects one, and shows what it has', async () => {
    const owner = await (await crms.test.owner({ accountId: customer.accountId })).signIn();
    const started = await owner.post('/crm-connections', { provider: 'hubspot' });
    const shown = await fetch(String(started.body['authorization_url']), { redirect: 'manual' });
    const back = new URL(shown.headers.get('location') ?? '');
    expect(back.pathname).toBe('/crm/callback');
    expect((await crms.complete(owner, Object.fromEntries(back.searchParams))).status).toBe(201);
    const [list] = commandsUnder('Connect');
    const [connection] = (await run(list))['connections'] as { connection_id: string }[];
    variables.set('CONNECTION', String(connection?.connection_id));

    crms.hubspot.seed('contacts', 1, () => ({ email: 'ada@ordinary.example', firstname: 'Augusta' }));
    const ids = crms.hubspot.records('contacts').map(({ id }) => id);
    variables.set('SEGMENT', crms.hubspot.addList('Everybody', 'contacts', ids));
    const [properties, segments] = await Promise.all(commandsUnder('List properties and segments').map(run));
    expect(JSON.stringify(properties)).toContain('"firstname"');
    expect(JSON.stringify(segments)).toContain('"Everybody"');
  });

  it('pushes rows by what the mapping suggests, and undoes it', async () => {
    const owner = await (await crms.test.owner({ accountId: customer.accountId })).signIn();
    variables.set('JOB', await endedJob(crms.test, engine, owner, file));
    const [suggest, dryRun, look, rows, push, lookAgain, undo] = commandsUnder('Push rows');
    const fields = (await run(suggest))['fields'] as { field: { column: string; property: string } }[];
    expect(fields.map(({ field }) => [field.column, field.property])).toEqual(
      expect.arrayContaining([
        ['email', 'email'],
        ['first_name', 'firstname'],
      ]),
    );
    variables.set('EXPORT', String((await run(dryRun))['export_id']));
    await untilExportEnded(customer, variable('EXPORT'));
    const told = { status: 'succeeded', actions: { created: 1, updated: 0, skipped: 1 } };
    expect(await run(look)).toMatchObject(told);
    expect((await run(rows))['rows']).toMatchObject([{ row: 2, action: 'created' }]);
    expect(emails()).toEqual(['ada@ordinary.example']);

    const pushed = await run(push);
    expect(pushed['created_by']).toBe(customer.apiKeyId);
    variables.set('PUSH', String(pushed['export_id']));
    await untilExportEnded(customer, variable('PUSH'));
    expect(await run(lookAgain)).toMatchObject(told);
    expect(emails()).toEqual(['ada@ordinary.example', 'grace@ordinary.example']);
    await run(undo);
    await until(
      'the undo is done',
      async () => (await run(lookAgain))['undo'] as { status: string } | null,
      state => state?.status === 'succeeded',
    );
    expect(emails()).toEqual(['ada@ordinary.example']);
  }, 60_000);

  it('imports a segment, validates it and writes back', async () => {
    const [begin, look] = commandsUnder('Import a segment');
    variables.set('IMPORT', String((await run(begin))['import_id']));
    await until(
      'the records are in',
      () => run(look),
      ({ state }) => state === 'succeeded',
    );
    const { accessToken } = crms.hubspot.oauth.grant();
    for (const [name, type, fieldType] of [
      ['email_status', 'string', 'text'],
      ['email_validated_at', 'datetime', 'date'],
    ]) {
      const made = await fetch(`${crms.hubspot.baseUrl}/crm/v3/properties/contacts`, {
        method: 'POST',
        headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name, label: name, type, fieldType, groupName: 'contactinformation' }),
      });
      expect(made.status).toBe(201);
    }
    const [properties, round, lookAgain] = commandsUnder('Validate and write back');
    expect(JSON.stringify(await run(properties))).toContain('"name":"mailproof_validated_at"');
    variables.set('ROUND', String((await run(round))['import_id']));
    const ended = await until(
      'the results are written back',
      () => run(lookAgain),
      ({ ended_at }) => ended_at !== null,
      60_000,
    );
    expect(ended).toMatchObject({ state: 'succeeded', written_back: { total: 1, done: 1 } });
    const [ada] = crms.hubspot.records('contacts');
    expect(ada?.values).toMatchObject({
      firstname: 'Augusta',
      mailproof_result: 'ok',
      mailproof_validated_at: expect.stringMatching(/\d/),
    });
  }, 90_000);

  it('adds the companies of a segment to a list, by which a search filters', async () => {
    const ofCompany = crms.hubspot.seed('contacts', 2, index => ({
      email: `p${index}@${['mail.ordinary.example', 'gmail.com'][index]}`,
    }));
    variables.set('SEGMENT', crms.hubspot.addList('Customers', 'contacts', ofCompany));
    const [make, begin, look, count] = commandsUnder('Add the companies');
    variables.set('LIST', String((await run(make))['list_id']));
    variables.set('COMPANIES', String((await run(begin))['import_id']));
    const ended = await until(
      'the companies are on the list',
      () => run(look),
      ({ ended_at }) => ended_at !== null,
    );
    expect(ended).toMatchObject({
      state: 'succeeded',
      records: { read: 2, without_domain: 1 },
      domains: { added: 1, present: 0 },
    });
    expect((await customer.get(`/saved-lists/${variable('LIST')}/domains`)).body['domains']).toEqual([
      'ordinary.example',
    ]);
    expect(await run(count)).toHaveProperty('total');
  }, 60_000);

  it('disconnects it, and has no command that was not run', async () => {
    const [disconnect] = commandsUnder('What Mailproof stores');
    expect(await run(disconnect)).toEqual({ is_revoked: true });
    expect((await customer.get('/crm-connections')).body['connections']).toEqual([]);
    expect([...ran].sort()).toEqual(page.match(/^curl .+$/gm)?.sort());
  });

  it('says scopes, policies and limits as they are', () => {
    const [, scopes = ''] = /^```\n(.*?)^```/ms.exec(section('For the operator')) ?? [];
    expect(scopes.trim().split('\n')).toEqual([...hubSpotScopes]);
    for (const [policy, sentence] of Object.entries(crmFieldPolicies)) {
      expect(section('Push rows')).toMatch(new RegExp(`\`${policy}\` +\\| ${sentence}`));
    }
    const figures = [...section('Limits').matchAll(/\| ([\d,]+) +\|$/gm)].map(([, figure]) => figure);
    expect(figures).toEqual(
      [
        limits.crmConnectionsMax,
        limits.exportRowsMax,
        limits.crmImportRecordsMax,
        limits.crmValidationRecordsMax,
        crmFieldsMax,
      ].map(figure => figure.toLocaleString('en')),
    );
  });
});
