import { setTimeout } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { IndexedCompany } from '../../domain/people-search/columns/company-columns.ts';
import type { IndexedPerson } from '../../domain/people-search/columns/people-columns.ts';
import { documentOf } from '../../domain/people-search/search-document.ts';
import type { StoreCopy } from '../people-index/follow-store.ts';
import { sql } from '../people-index/people-index.sql.ts';
import { Superseded } from './feed-claim.ts';
import { EngineFailure, type SearchEngine } from './open-engine.ts';
import { feedAlias } from './people-mapping.ts';

/** Documents of one request, about half a megabyte; preparing them takes this process some ten milliseconds. */
const documentsPerRequest = 500;
/** People of changed companies are read in pages, of so many companies at once. */
const companiesAtOnce = 100;
const peopleAtOnce = 2_000;
/** Pauses before documents are sent again that the engine had no room for. */
const pausesMs = [100, 300, 1_000, 3_000, 10_000];

interface BulkItem {
  readonly status: number;
  readonly error?: { readonly type?: string };
}

interface BulkAnswer {
  readonly errors: boolean;
  readonly items: readonly Readonly<Record<string, BulkItem>>[];
}

interface Found {
  readonly hits: { readonly hits: readonly { readonly sort: readonly [number] }[] };
}

/** One write: its action, and the document unless it is a deletion. */
type Write = readonly [action: object, document?: object];

/** An index of the engine as a copy of the store. Everything is written with the version of the current round. */
export class EngineCopy implements StoreCopy {
  readonly isFull = false;
  /** Whether anything was written that is not visible to searches yet. */
  isDirty = false;
  private readonly engine: SearchEngine;
  private readonly pool: Pool;
  private readonly index: string;
  private readonly round: () => number;

  constructor(engine: SearchEngine, pool: Pool, index: string, round: () => number) {
    this.engine = engine;
    this.pool = pool;
    this.index = index;
    this.round = round;
  }

  async putPeople(people: readonly IndexedPerson[]): Promise<void> {
    const companyNos = new Set(people.flatMap(({ companyNo }) => companyNo ?? []));
    const { rows } =
      companyNos.size > 0 ? await sql.companies(this.pool, { company_nos: [...companyNos] }) : { rows: [] };
    const companies = new Map<number | null, IndexedCompany>(rows.map(row => [row.companyNo, row]));
    // People of the sandbox are below zero, and never searched (ADR 0085).
    const ours = people.filter(({ personNo }) => personNo > 0);
    for (let from = 0; from < ours.length; from += documentsPerRequest) {
      await this.write(
        ours
          .slice(from, from + documentsPerRequest)
          .map(person => [
            { index: this.target(person.personNo) },
            documentOf(person, companies.get(person.companyNo)),
          ]),
      );
    }
  }

  /** Rewrites everyone who works there, because documents contain their company. */
  async putCompanies(companies: readonly IndexedCompany[]): Promise<void> {
    for (let from = 0; from < companies.length; from += companiesAtOnce) {
      const company_nos = companies.slice(from, from + companiesAtOnce).map(({ companyNo }) => companyNo);
      let last = { company_no: 0, person_no: 0 };
      for (let more = true; more; ) {
        const page = { company_nos, ...last, rows_max: peopleAtOnce };
        const { rows } = await sql.people_of_companies(this.pool, page);
        await this.putPeople(rows);
        const end = rows.at(-1);
        last = { company_no: end?.companyNo ?? 0, person_no: end?.personNo ?? 0 };
        more = rows.length === peopleAtOnce;
      }
    }
  }

  async removePeople(personNos: readonly number[]): Promise<void> {
    await this.write(personNos.map(personNo => [{ delete: this.target(personNo) }]));
  }

  /** Their people are found in the index: the store no longer knows where they worked. */
  async removeCompanies(companyNos: readonly number[]): Promise<readonly number[]> {
    if (companyNos.length === 0) {
      return [];
    }
    await this.refresh();
    const personNos: number[] = [];
    for (let more = true; more; ) {
      const last = personNos.at(-1);
      const { hits } = await this.engine.send<Found>('POST', `/${this.index}/_search`, {
        // People who are in a missing shard would keep the company.
        query: { allow_partial_search_results: false },
        body: {
          size: peopleAtOnce,
          _source: false,
          query: { bool: { filter: [{ terms: { company_no: companyNos } }] } },
          sort: [{ person_no: 'asc' }],
          ...(last !== undefined && { search_after: [last] }),
        },
      });
      personNos.push(...hits.hits.map(({ sort }) => sort[0]));
      more = hits.hits.length === peopleAtOnce;
    }
    return personNos;
  }

  /** Makes everything written visible to searches. */
  async refresh(): Promise<void> {
    if (this.isDirty) {
      await this.engine.send('POST', `/${this.index}/_refresh`);
      this.isDirty = false;
    }
  }

  async count(): Promise<number> {
    return (await this.engine.send<{ count: number }>('GET', `/${this.index}/_count`)).count;
  }

  private target(personNo: number): object {
    return { _id: String(personNo), version: this.round(), version_type: 'external_gte' };
  }

  /** Sends writes; those that the engine has no room for (429) again, after growing pauses. */
  private async write(writes: readonly Write[]): Promise<void> {
    let left = writes;
    for (let attempt = 0; left.length > 0; attempt += 1) {
      this.isDirty = true;
      const answer = await this.send(left);
      const busy = left.filter((_, at) => isBusy(answer?.items[at]));
      for (const item of answer?.errors ? answer.items : []) {
        assertWritten(item);
      }
      left = answer ? busy : left;
      const pauseMs = pausesMs[attempt];
      if (left.length > 0 && pauseMs === undefined) {
        throw new EngineFailure('The search engine has had no room for changes for too long.', {
          status: 429,
        });
      }
      if (left.length > 0) {
        await setTimeout(pauseMs);
      }
    }
  }

  /** Returns undefined if the engine had no room for the request. */
  private async send(writes: readonly Write[]): Promise<BulkAnswer | undefined> {
    try {
      return await this.engine.send<BulkAnswer>('POST', `/${feedAlias(this.index)}/_bulk`, {
        // Without it, a write to a deleted index would create one without our mapping.
        query: { require_alias: true },
        lines: writes.flat(),
      });
    } catch (error) {
      if (error instanceof EngineFailure && error.status === 429) {
        return undefined;
      }
      throw error;
    }
  }
}

function isBusy(item: Readonly<Record<string, BulkItem>> | undefined): boolean {
  return Object.values(item ?? {}).some(({ status }) => status === 429);
}

function assertWritten(item: Readonly<Record<string, BulkItem>>): void {
  for (const { status, error } of Object.values(item)) {
    if (status === 409) {
      throw new Superseded('Another feed has written a later round.');
    }
    if (error && status !== 429) {
      throw new EngineFailure(`The search engine refused a change (${error.type}).`, { status });
    }
  }
}
