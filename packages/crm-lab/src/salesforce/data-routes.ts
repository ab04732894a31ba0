import { type Request, Router } from 'express';
import { ApiError, malformedQuery, notFound } from './api-error.ts';
import type { Organization, StoredRecord } from './organization.ts';
import { comparable, conditionOf } from './soql-condition.ts';
import { parseSoql, type Query } from './soql-parse.ts';
import { standardObjects } from './standard-objects.ts';

/** The most records in one answer to a query; further ones need another request. */
const answeredMax = 2_000;

/** The most records in one answer to a query. The server may lower it. */
export interface Batches {
  recordsMax: number;
}

/** Routes for descriptions, queries, and limits. */
export function dataRoutes(organization: Organization, version: string, batches: Batches): Router {
  const router = Router();
  const root = `/services/data/${version}`;
  router.get('/sobjects', (_request, response) => {
    const sobjects = standardObjects
      .filter(({ isSetup }) => !isSetup)
      .map(({ name, label, labelPlural, keyPrefix }) => ({
        name,
        label,
        labelPlural,
        keyPrefix,
        queryable: true,
      }));
    response.json({ encoding: 'UTF-8', maxBatchSize: 200, sobjects });
  });
  router.get('/sobjects/:object/describe', (request, response) => {
    const { name, label, labelPlural, keyPrefix } = organization.object(request.params.object);
    response.json({
      name,
      label,
      labelPlural,
      keyPrefix,
      createable: true,
      updateable: true,
      deletable: true,
      queryable: true,
      fields: organization.fieldsOf(name),
    });
  });
  router.get('/limits', (_request, response) => {
    response.json({ DailyApiRequests: { Max: 100_000, Remaining: 99_000 } });
  });
  const open = new Map<string, readonly unknown[]>();
  router.get('/query', (request, response) => {
    const soql = request.query.q;
    if (typeof soql !== 'string') {
      throw malformedQuery('no query');
    }
    const query = parseSoql(soql);
    const found = runQuery(organization, query, root);
    if (query.fields === null) {
      response.json({ totalSize: found.length, done: true, records: [] });
    } else {
      response.json(answer(root, open, organization.newId('01g'), found, 0, batchMax(request, batches)));
    }
  });
  router.get('/query/:locator', (request, response) => {
    const [cursor = '', from = ''] = request.params.locator.split('-');
    const found = open.get(cursor);
    if (found === undefined || !/^\d+$/.test(from)) {
      throw new ApiError(400, 'INVALID_QUERY_LOCATOR', 'invalid query locator');
    }
    response.json(answer(root, open, cursor, found, Number(from), batchMax(request, batches)));
  });
  return router;
}

function batchMax(request: Request, { recordsMax }: Batches): number {
  const asked = /batchSize=(\d+)/.exec(request.get('Sforce-Query-Options') ?? '')?.[1];
  return Math.min(recordsMax, answeredMax, Math.max(200, Number(asked ?? answeredMax)));
}

function answer(
  root: string,
  open: Map<string, readonly unknown[]>,
  cursor: string,
  found: readonly unknown[],
  from: number,
  batch: number,
): unknown {
  const done = from + batch >= found.length;
  if (done) {
    open.delete(cursor);
  } else {
    open.set(cursor, found);
  }
  return {
    totalSize: found.length,
    done,
    ...(!done && { nextRecordsUrl: `${root}/query/${cursor}-${from + batch}` }),
    records: found.slice(from, from + batch),
  };
}

function runQuery(organization: Organization, query: Query, root: string): readonly unknown[] {
  const object = queriedObject(organization, query.object);
  const fieldOf = (name: string) => organization.fieldOf(object.name, name);
  const holds = query.where ? conditionOf(query.where, fieldOf, organization.now()) : () => true;
  const inScope = scopeOf(query.scope, organization);
  const records = organization.recordsOf(object.name).filter(record => inScope(record) && holds(record));
  for (const { field: name, descending } of query.orderBy.toReversed()) {
    const field = fieldOf(name);
    const keyOf = (record: StoredRecord) => comparable(record[field.name] ?? null, field) ?? '';
    records.sort((one, other) => {
      const order = keyOf(one) < keyOf(other) ? -1 : Number(keyOf(one) > keyOf(other));
      return descending ? -order : order;
    });
  }
  const fields = query.fields?.map(name => fieldOf(name).name) ?? [];
  return records.slice(0, query.limit ?? undefined).map(record => ({
    attributes: { type: object.name, url: `${root}/sobjects/${object.name}/${record.Id}` },
    ...Object.fromEntries(fields.map(name => [name, record[name] ?? null])),
  }));
}

function queriedObject(organization: Organization, name: string) {
  try {
    return organization.object(name);
  } catch {
    throw new ApiError(400, 'INVALID_TYPE', `sObject type '${name}' is not supported.`);
  }
}

function scopeOf(scope: string | null, { userId }: Organization): (record: StoredRecord) => boolean {
  switch (scope?.toLowerCase()) {
    case undefined:
    case 'everything':
      return () => true;
    case 'mine':
      return record => record.OwnerId === userId;
    default:
      throw malformedQuery(`the scope ${scope} is not simulated`);
  }
}

/** Routes for list views, which users define for a kind of record, with their queries. */
export function listViewRoutes(organization: Organization, version: string, pageMax = 25): Router {
  const router = Router();
  const root = `/services/data/${version}`;
  router.get('/sobjects/:object/listviews', (request, response) => {
    const { name } = organization.object(request.params.object);
    const from = Number(request.query.offset ?? 0);
    const views = organization.listViews.filter(({ object }) => object === name);
    const done = from + pageMax >= views.length;
    response.json({
      done,
      listviews: views.slice(from, from + pageMax).map(({ id, developerName, label, soqlCompatible }) => ({
        id,
        developerName,
        label,
        soqlCompatible,
        describeUrl: `${root}/sobjects/${name}/listviews/${id}/describe`,
        resultsUrl: `${root}/sobjects/${name}/listviews/${id}/results`,
        url: `${root}/sobjects/${name}/listviews/${id}`,
      })),
      nextRecordsUrl: done ? null : `${root}/sobjects/${name}/listviews?offset=${from + pageMax}`,
      size: views.length,
      sobjectType: name,
    });
  });
  router.get('/sobjects/:object/listviews/:id/describe', (request, response) => {
    const { name } = organization.object(request.params.object);
    const view = organization.listViews.find(
      ({ id, object, soqlCompatible }) => id === request.params.id && object === name && soqlCompatible,
    );
    if (view === undefined) {
      throw notFound();
    }
    response.json({
      id: view.id,
      sobjectType: name,
      query: view.query,
      columns: [],
      orderBy: [],
      scope: null,
      scopeEntityId: view.scopeEntityId,
      relatedEntityId: null,
    });
  });
  return router;
}
