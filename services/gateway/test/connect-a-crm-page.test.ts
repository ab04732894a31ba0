import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { hubSpotScopes } from '@mailproof/crm-lab';
import { crmFieldPolicies, crmFieldsMax, limits } from '@mailproof/shared-types';
import type pg from 'pg';
import { type CrmHouse, openCrmHouse } from './crm-house.ts';
import { endedJob, poolOf, untilExportEnded } from './exported-records.ts';
import type { Answer, Person } from './house.ts';
import { ownerWith } from './people-store.ts';
import { until } from './until.ts';

const page = await readFile(new URL('../../../docs/connect-a-crm.md', import.meta.url), 'utf8');
const section = (title: string) => page.split(/^## /m).find(part => part.startsWith(title)) ?? '';

let crms: CrmHouse;
let engine: pg.Pool;
let owner: Person;
/** The values of the page’s variables; the page shows ids in the right format. */
const variables = new Map<string, string>();
const ran = new Set<string>();

beforeAll(async () => {
  crms = await openCrmHouse();
  engine = poolOf(crms.test, 'validation');
  owner = await ownerWith(crms.test, 100);
}, 120_000);

afterAll(async () => {
  await engine?.end();
  await crms?.stop();
});

/** The commands of the page under a heading, in order. */
const commandsOf = (title: string) =>
  [...section(title).matchAll(/^```sh\n(.*?)^```/gms)]
    .flatMap(([, block = '']) => block.trim().split('\n'))
    .filter(line => !line.startsWith('export '));

/** Sends the request of a command on the page, with the variables that a reader would have set. */
async function run(command: string): Promise<Answer> {
  ran.add(command);
  const filled = command
    .replace(/'\$([A-Z]+)'/g, (_, name: string) => variable(name))
    .replace(/\$([A-Z]+)(?=[/?"\s]|$)/g, (_, name: string) => (name === 'APP' ? '' : variable(name)));
  const [, given] = / -d '([^']*)'/.exec(filled) ?? [];
  const path = filled.split(' ').at(-1)?.replaceAll('"', '') ?? '';
  const method = /-X (\w+)/.exec(filled)?.[1] ?? (given === undefined ? 'GET' : 'POST');
  const answer = await owner.send(path, {
    method,
    ...(given !== undefined && { headers: { 'content-type': 'application/json' }, body: given }),
  });
  if (answer.status >= 300) {
    throw new Error(`${command} was answered with ${answer.status} ${JSON.stringify(answer.body)}.`);
  }
  return answer;
}

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
    const [begin = '', list = ''] = commandsOf('Connect');
    const started = await run(begin);
    const shown = await fetch(String(started.body['authorization_url']), { redirect: 'manual' });
    const back = new URL(shown.headers.get('location') ?? '');
    expect(back.pathname).toBe('/crm/callback');
    expect((await crms.complete(owner, Object.fromEntries(back.searchParams))).status).toBe(201);
    const { body } = await run(list);
    const [connection] = body['connections'] as { connection_id: string }[];
    variables.set('CONNECTION', String(connection?.connection_id));

    crms.hubspot.seed('contacts', 1, () => ({ email: 'ada@ordinary.example', firstname: 'Augusta' }));
    const ids = crms.hubspot.records('contacts').map(({ id }) => id);
    variables.set('SEGMENT', crms.hubspot.addList('Everybody', 'contacts', ids));
    const [properties, segments] = await Promise.all(commandsOf('What the CRM has').map(run));
    expect(JSON.stringify(properties?.body)).toContain('"firstname"');
    expect(JSON.stringify(segments?.body)).toContain('"Everybody"');
  });

  it('pushes rows by what the mapping suggests, and undoes it', async () => {
    variables.set('JOB', await endedJob(crms.test, engine, owner, file));
    const [suggest = '', dryRun = '', look = '', rows = '', push = '', lookAgain = '', undo = ''] =
      commandsOf('Push rows');
    const fields = (await run(suggest)).body['fields'] as { field: { column: string; property: string } }[];
    expect(fields.map(({ field }) => [field.column, field.property])).toEqual(
      expect.arrayContaining([
        ['email', 'email'],
        ['first_name', 'firstname'],
      ]),
    );
    variables.set('EXPORT', String((await run(dryRun)).body['export_id']));
    await untilExportEnded(owner, variable('EXPORT'));
    const told = { status: 'succeeded', actions: { created: 1, updated: 0, skipped: 1 } };
    expect((await run(look)).body).toMatchObject(told);
    expect((await run(rows)).body['rows']).toMatchObject([{ row: 2, action: 'created' }]);
    expect(emails()).toEqual(['ada@ordinary.example']);

    variables.set('PUSH', String((await run(push)).body['export_id']));
    await untilExportEnded(owner, variable('PUSH'));
    expect((await run(lookAgain)).body).toMatchObject(told);
    expect(emails()).toEqual(['ada@ordinary.example', 'grace@ordinary.example']);
    await run(undo);
    await until(
      'the undo is done',
      async () => (await run(lookAgain)).body['undo'] as { status: string } | null,
      state => state?.status === 'succeeded',
    );
    expect(emails()).toEqual(['ada@ordinary.example']);
  }, 60_000);

  it('imports a segment, validates it and writes back', async () => {
    const [begin = '', look = ''] = commandsOf('Import a segment');
    variables.set('IMPORT', String((await run(begin)).body['import_id']));
    await until(
      'the records are in',
      async () => (await run(look)).body,
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
    const [round = '', lookAgain = ''] = commandsOf('Validate and write back');
    variables.set('ROUND', String((await run(round)).body['import_id']));
    const ended = await until(
      'the results are written back',
      async () => (await run(lookAgain)).body,
      ({ ended_at }) => ended_at !== null,
      60_000,
    );
    expect(ended).toMatchObject({ state: 'succeeded', written_back: { total: 1, done: 1 } });
    const [ada] = crms.hubspot.records('contacts');
    expect(ada?.values).toMatchObject({
      firstname: 'Augusta',
      email_status: 'ok',
      email_validated_at: expect.stringMatching(/\d/),
    });
  }, 90_000);

  it('disconnects it, and has no command that was not run', async () => {
    const [disconnect = ''] = commandsOf('What we keep');
    expect((await run(disconnect)).body).toEqual({ is_revoked: true });
    expect((await owner.get('/crm-connections')).body['connections']).toEqual([]);
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
