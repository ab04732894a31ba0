import { type Request, Router } from 'express';
import { z } from 'zod';
import { ApiError, invalidField, notFound } from './api-error.ts';
import { isRecordId, type Organization, shortId } from './organization.ts';
import {
  createRecord,
  failed,
  type InputRecord,
  type RefuseRecord,
  readValues,
  type SaveResult,
  updateRecord,
} from './save-records.ts';
import type { ObjectDescription } from './standard-objects.ts';

const recordsMax = 200;

const collection = z.object({
  allOrNone: z.literal(false, 'only partial success is simulated').default(false),
  records: z.array(z.looseObject({ attributes: z.object({ type: z.string() }), id: z.string().optional() })),
});

/** sObject Collections: one call creates, updates, or deletes up to 200 records, each independently. */
export function collectionRoutes(organization: Organization, refuse: RefuseRecord): Router {
  const router = Router();
  router.post('/composite/sobjects', (request, response) => {
    const read = readCollection(organization, request);
    response.json(read.map(({ object, values }) => createRecord(organization, object, values, refuse)));
  });
  router.patch('/composite/sobjects', (request, response) => {
    response.json(update(organization, readCollection(organization, request), refuse));
  });
  router.patch('/composite/sobjects/:object/:field', (request, response) => {
    const object = organization.object(request.params.object);
    response.json(
      upsert(organization, object, request.params.field, readCollection(organization, request), refuse),
    );
  });
  router.delete('/composite/sobjects', (request, response) => {
    const ids = String(request.query.ids ?? '').split(',');
    assertCount(ids.length);
    response.json(ids.map(id => remove(organization, id, refuse)));
  });
  return router;
}

interface ReadRecord {
  readonly object: ObjectDescription;
  readonly id: string | undefined;
  readonly values: Record<string, unknown>;
}

function readCollection(organization: Organization, request: Request): readonly ReadRecord[] {
  const body = collection.safeParse(request.body);
  if (!body.success) {
    throw new ApiError(400, 'JSON_PARSER_ERROR', 'The request body is not a collection of records');
  }
  assertCount(body.data.records.length);
  return body.data.records.map(record => {
    const object = organization.object(record.attributes.type);
    return { object, id: record.id, values: readValues(organization, object, record as InputRecord) };
  });
}

function assertCount(records: number): void {
  if (records > recordsMax) {
    throw new ApiError(
      400,
      'EXCEEDED_ID_LIMIT',
      `record limit reached. cannot submit more than ${recordsMax} records in this call`,
    );
  }
}

function update(
  organization: Organization,
  records: readonly ReadRecord[],
  refuse: RefuseRecord,
): readonly SaveResult[] {
  const ids = records.map(({ id }) => shortId(id ?? ''));
  return records.map(({ object, id, values }) => {
    if (id === undefined || !isRecordId(id) || organization.objectOfId(id) !== object) {
      return failed({
        statusCode: 'MALFORMED_ID',
        message: `${object.label} ID: id value of incorrect type: ${id}`,
        fields: ['Id'],
      });
    }
    if (ids.filter(each => each === shortId(id)).length > 1) {
      return failed({ statusCode: 'DUPLICATE_VALUE', message: `Duplicate id specified: ${id}`, fields: [] });
    }
    return updateRecord(organization, object, id, values, refuse);
  });
}

/** A key that appears twice in a call is neither created nor updated ("Upserting Records"). */
function upsert(
  organization: Organization,
  object: ObjectDescription,
  fieldName: string,
  records: readonly ReadRecord[],
  refuse: RefuseRecord,
): readonly SaveResult[] {
  const field = organization.fieldsOf(object.name).find(({ name }) => name === fieldName);
  if (field === undefined) {
    throw notFound();
  }
  if (!field.externalId) {
    throw invalidField(`Field name provided, ${fieldName} is not an External ID or indexed field`);
  }
  const keys = records.map(({ values }) => String(values[field.name] ?? '').toLowerCase());
  return records.map(({ object: itsObject, id, values }, index) => {
    const key = values[field.name];
    if (itsObject !== object || id !== undefined || key === null || key === undefined) {
      return failed({
        statusCode: 'MISSING_ARGUMENT',
        message: `${fieldName} not specified`,
        fields: [],
      });
    }
    if (keys.filter(each => each === keys[index]).length > 1) {
      return failed({
        statusCode: 'DUPLICATE_VALUE',
        message: `Duplicate external id specified: ${String(key)}`,
        fields: [fieldName],
      });
    }
    const found = organization.recordByUnique(object.name, field.name, key);
    return found === undefined
      ? createRecord(organization, object, values, refuse)
      : { ...updateRecord(organization, object, found.Id, values, refuse), created: false };
  });
}

function remove(organization: Organization, id: string, refuse: RefuseRecord): SaveResult {
  const object = organization.objectOfId(id);
  if (!isRecordId(id) || object === undefined) {
    return failed({ statusCode: 'MALFORMED_ID', message: `bad id ${id}`, fields: [] });
  }
  const record = organization.record(object.name, id);
  if (record === undefined) {
    return failed({
      statusCode: 'INVALID_CROSS_REFERENCE_KEY',
      message: 'invalid cross reference id',
      fields: [],
    });
  }
  if (record.IsDeleted === true) {
    return failed({ statusCode: 'ENTITY_IS_DELETED', message: 'entity is deleted', fields: [] });
  }
  const error = refuse(object.name, record);
  if (error) {
    return failed(error);
  }
  organization.remove(object.name, record);
  return { id: record.Id, success: true, errors: [] };
}
