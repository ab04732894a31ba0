import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  type House,
  labEnvironment,
  spawnOperatorCommand,
  startTestHouse,
  waitFor,
} from '@mailproof/dev-house';
import { type MailLab, startMailLab } from '@mailproof/mail-lab';
import { createTokenSigner, type PrivateServiceKey } from '@mailproof/service-kit';
import { newId, type Verdict } from '@mailproof/shared-types';
import pg from 'pg';
import { evidenceSources } from '../../../src/domain/catch-all/sources.ts';
import type { AskedAddress, Population, StorePerson } from './population.ts';

export interface JudgedAddress extends AskedAddress {
  readonly verdict: Verdict;
}

/** A house whose engine and people store are real, and whose internet is the mail lab with a population. */
export interface PopulationHouse {
  /** Adds people to the store and waits until the engine can find them. */
  know(people: readonly StorePerson[]): Promise<void>;
  /** Asks the engine about every address. */
  judge(addresses: readonly AskedAddress[]): Promise<JudgedAddress[]>;
  stop(): Promise<void>;
}

const notAsked: ReadonlySet<string> = new Set([
  'address_to_third_party',
  'hash_to_third_party',
  'address_to_unpublished_host',
]);
/** Every source that asks only the domain itself or what is stored. */
const asked = evidenceSources.filter(({ privacy }) => !notAsked.has(privacy)).map(({ id }) => id);

export async function startPopulationHouse(
  populations: readonly Population[],
  settings: Record<string, string> = {},
): Promise<PopulationHouse> {
  const folder = await mkdtemp(join(tmpdir(), 'mailproof-population-'));
  const lab = await startMailLab({ catalog: populations.flatMap(({ catalog }) => catalog) });
  const certificate = join(folder, 'lab-ca.pem');
  await writeFile(certificate, lab.caCertificatePem);
  const house = await startTestHouse({
    only: ['validation-engine', 'enrichment'],
    lab: false,
    env: {
      'validation-engine': {
        ...labEnvironment(lab, certificate),
        VALIDATION_EVIDENCE_SOURCES: asked.join(','),
        VALIDATION_HELO_NAME: 'probe.checker.example',
        VALIDATION_STANDING_CHECK_HOURS: '0',
        // Each question must reach the sources, in any number.
        VALIDATION_MEMORY_DECIDED_SECONDS: '0',
        VALIDATION_MEMORY_UNKNOWN_SECONDS: '0',
        VALIDATION_HARVEST_ADDRESSES_MAX: '0',
        VALIDATION_SESSION_STARTS_PER_HOST_PER_MINUTE_MAX: '6000',
        VALIDATION_DEADLINE_MS: '60000',
        ...settings,
      },
    },
  });
  return {
    know: people => know(house, folder, people),
    judge: addresses => judge(house, lab, addresses),
    async stop() {
      await house.stop();
      await lab.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const elsewhere = 'another-employer.example';
/** A busy machine imports some hundred people a second. */
const importTimeoutMs = 900_000;

/** Imports people as an operator does: first where they work, and then, for those who left, where they went. */
async function know(house: House, folder: string, people: readonly StorePerson[]): Promise<void> {
  const moved = people.filter(({ hasMoved }) => hasMoved);
  const dayMs = 86_400_000;
  for (const [name, rows, daysAgo] of [
    ['people', people, 60],
    ['moved', moved.map(person => ({ ...person, companyDomain: elsewhere })), 30],
  ] as const) {
    if (rows.length === 0) {
      continue;
    }
    const file = join(folder, `${name}.csv`);
    const cell = (value: string) => `"${value.replaceAll('"', '""')}"`;
    const lines = rows.map(({ profileUrl, fullName, country, companyDomain }) =>
      [profileUrl, fullName, country, companyDomain].map(cell).join(','),
    );
    await writeFile(file, ['profile_url,full_name,country,company_domain', ...lines].join('\n'));
    const date = new Date(Date.now() - daysAgo * dayMs).toISOString().slice(0, 10);
    await operate(house, [
      'import',
      'people',
      file,
      '--source',
      `${name} ${rows.length}`,
      '--licence',
      'CC0-1.0',
      '--date',
      date,
    ]);
  }
  await untilFound(house);
}

async function operate(house: House, args: readonly string[]): Promise<void> {
  const child = spawnOperatorCommand(args, house.environments.enrichment, ['ignore', 'ignore', 'pipe']);
  const timer = setTimeout(() => child.kill('SIGKILL'), importTimeoutMs);
  const [complaint, [code]] = await Promise.all([
    child.stderr ? text(child.stderr) : '',
    once(child, 'exit'),
  ]);
  clearTimeout(timer);
  if (code !== 0) {
    throw new Error(`The command failed (${code}): ${complaint}`);
  }
}

/** People are found by keys, which the service writes after the import. */
async function untilFound(house: House): Promise<void> {
  const database = new pg.Client(house.databaseUrls['enrichment']?.databaseUrl);
  await database.connect();
  try {
    await waitFor(
      'The keys of all people are written',
      async () => {
        const { rows } = await database.query(
          'SELECT (SELECT coalesce(max(change_no), 0) FROM person) <= (SELECT coalesce(max(change_no), 0) FROM name_key_rules) AS done',
        );
        return rows[0]?.done === true;
      },
      { deadlineMs: importTimeoutMs, everyMs: 200 },
    );
  } finally {
    await database.end();
  }
}

/** Concurrent questions. */
const atOnce = 24;
const failuresMax = 20;

async function judge(
  house: House,
  lab: MailLab,
  addresses: readonly AskedAddress[],
): Promise<JudgedAddress[]> {
  const signingKey = house.environments.gateway['SERVICE_SIGNING_KEY'] ?? '';
  const sign = await createTokenSigner(JSON.parse(signingKey) as PrivateServiceKey);
  const url = new URL('/internal/v1/validations', house.services['validation-engine']?.internalUrl);
  const accountId = newId('account');
  lab.resetCounts();
  // A stride spreads the questions over all domains, so that no host’s few slots are waited for.
  const stride = 997;
  const order = addresses.map((_, index) => (index * stride) % addresses.length);
  const distinct = new Set(order).size === addresses.length ? order : addresses.map((_, index) => index);
  const judged: JudgedAddress[] = [];
  const failures: string[] = [];
  async function work(): Promise<void> {
    for (let next = distinct.shift(); next !== undefined; next = distinct.shift()) {
      const address = addresses[next] as AskedAddress;
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${await sign('validation-engine')}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ accountId, email: address.email, deadlineMs: 60_000 }),
        signal: AbortSignal.timeout(90_000),
      });
      if (response.status === 200) {
        judged.push({ ...address, verdict: (await response.json()) as Verdict });
      } else if (
        failures.push(`${address.email}: ${response.status} ${await response.text()}`) > failuresMax
      ) {
        throw new Error(failures.join('\n'));
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  const { unscripted } = lab.counts();
  // A question that the lab does not know would mean that the population is faulty.
  if (failures.length + unscripted.length > 0) {
    throw new Error([...failures, ...unscripted.slice(0, 5)].join('\n'));
  }
  return judged;
}
