import { type Request, type Response, Router } from 'express';
import { z } from 'zod';
import { CallRefused, type HubSpotFault, invalid } from './answers.ts';
import type { Portal } from './portal.ts';
import type { Records, StoredRecord } from './records.ts';

const inputsMax = 100;

const id = z.union([z.string(), z.int()]).transform(String);
const values = z.record(z.string(), z.string());
const traceId = z.string().optional();

const readBody = z.object({
  inputs: z.array(z.object({ id })),
  properties: z.array(z.string()).default([]),
  propertiesWithHistory: z.array(z.string()).optional(),
  idProperty: z.string().optional(),
});
const createBody = z.object({
  inputs: z.array(z.object({ properties: values, objectWriteTraceId: traceId })),
});
const updateBody = z.object({
  inputs: z.array(
    z.object({ id, idProperty: z.string().optional(), properties: values, objectWriteTraceId: traceId }),
  ),
});
const upsertBody = z.object({
  inputs: z.array(z.object({ id, idProperty: z.string(), properties: values, objectWriteTraceId: traceId })),
});
const archiveBody = z.object({ inputs: z.array(z.object({ id })) });

/** The plan for an input: an existing record gets the values, or a new one is created with them. */
interface Plan {
  readonly record: StoredRecord | undefined;
  readonly values: Readonly<Record<string, string>>;
}

/** Routes for many records in one call. */
export function batchRoutes(portal: Portal, records: Records): Router {
  const router = Router();

  router.post('/read', (request, response) => {
    const { inputs, properties, idProperty } = parseBody(readBody, request);
    const ids = inputs.map(input => input.id);
    assertBatch(ids);
    assertUniqueProperty(records, idProperty);
    const found = ids.map(each => (idProperty ? records.findUnique(idProperty, each) : records.get(each)));
    const missing = ids.filter((_, index) => found[index] === undefined);
    // If two values match one record, such as a contact's two addresses, it is returned once.
    const results = [...new Set(found)].filter(record => record !== undefined);
    sendBatch(
      response,
      results.map(record => shown(record, properties)),
      missing.length === 0 ? [] : [notThere(records, missing)],
    );
  });

  router.post('/create', (request, response) => {
    const { inputs } = parseBody(createBody, request);
    assertBatch(inputs.map((_, index) => String(index)));
    runBatch(response, 201, inputs, input => ({ record: undefined, values: input.properties }));
  });

  router.post('/update', (request, response) => {
    const { inputs } = parseBody(updateBody, request);
    assertBatch(inputs.map(input => input.id));
    runBatch(response, 200, inputs, input => {
      assertUniqueProperty(records, input.idProperty);
      const record = input.idProperty
        ? records.findUnique(input.idProperty, input.id)
        : records.get(input.id);
      if (record === undefined) {
        throw new CallRefused(404, notThere(records, [input.id]));
      }
      return { record, values: input.properties };
    });
  });

  router.post('/upsert', (request, response) => {
    const { inputs } = parseBody(upsertBody, request);
    assertBatch(inputs.map(input => input.id));
    for (const { idProperty } of inputs) {
      assertUniqueProperty(records, idProperty);
    }
    runBatch(
      response,
      200,
      inputs,
      input => ({
        record: records.findUnique(input.idProperty, input.id),
        values: { ...input.properties, [input.idProperty]: input.id },
      }),
      true,
    );
  });

  router.post('/archive', (request, response) => {
    const { inputs } = parseBody(archiveBody, request);
    assertBatch(inputs.map(input => input.id));
    for (const input of inputs) {
      records.archive(input.id);
    }
    response.status(204).end();
  });

  /** If each input has a trace id, the valid ones are processed; otherwise the first fault refuses all of them. */
  function runBatch<Input extends { readonly objectWriteTraceId?: string | undefined }>(
    response: Response,
    status: number,
    inputs: readonly Input[],
    planOf: (input: Input) => Plan,
    saysNew = false,
  ): void {
    const isPartly =
      portal.carriesOutPartly && inputs.every(({ objectWriteTraceId }) => objectWriteTraceId !== undefined);
    if (!isPartly) {
      for (const input of inputs) {
        const { record, values } = planOf(input);
        records.check(values, record);
      }
    }
    const results: object[] = [];
    const faults: HubSpotFault[] = [];
    for (const input of inputs) {
      const trace = input.objectWriteTraceId;
      try {
        const plan = planOf(input);
        const record = plan.record ? records.update(plan.record, plan.values) : records.create(plan.values);
        results.push({
          ...shown(record, Object.keys(record.values)),
          ...(saysNew && { new: plan.record === undefined }),
          ...(trace !== undefined && { objectWriteTraceId: trace }),
        });
      } catch (error) {
        if (!(error instanceof CallRefused) || !isPartly || trace === undefined) {
          throw error;
        }
        const { fault } = error;
        faults.push({ ...fault, context: { ...fault.context, objectWriteTraceId: [trace] } });
      }
    }
    sendBatch(response, results, faults, status);
  }

  return router;
}

export function parseBody<Body>(schema: z.ZodType<Body>, request: Request): Body {
  const body = schema.safeParse(request.body);
  if (!body.success) {
    const [issue] = body.error.issues;
    throw invalid(`Invalid input JSON: ${issue?.path.join('.')} ${issue?.message}`);
  }
  return body.data;
}

/** A record in the response: the requested properties, null if empty, and those that HubSpot always adds. */
export function shown(record: StoredRecord, properties: readonly string[] = Object.keys(record.values)) {
  const always = ['createdate', 'hs_lastmodifieddate', 'hs_object_id'];
  const names = [...new Set([...always, ...properties.filter(name => name !== '')])];
  return {
    id: record.id,
    properties: Object.fromEntries(names.map(name => [name, record.values[name] || null])),
    createdAt: new Date(record.createdAtMs).toISOString(),
    updatedAt: new Date(record.updatedAtMs).toISOString(),
    archived: false,
  };
}

function sendBatch(
  response: Response,
  results: readonly object[],
  faults: readonly HubSpotFault[],
  status = 200,
): void {
  const at = new Date().toISOString();
  response.status(faults.length === 0 ? status : 207).json({
    status: 'COMPLETE',
    results,
    ...(faults.length > 0 && {
      numErrors: faults.length,
      errors: faults.map(fault => ({ status: 'error', ...fault })),
    }),
    startedAt: at,
    completedAt: at,
  });
}

function notThere(records: Records, ids: readonly string[]): HubSpotFault {
  const name = records.objectType === 'contacts' ? 'CONTACT' : 'COMPANY';
  return {
    category: 'OBJECT_NOT_FOUND',
    message: `Could not get some ${name} objects, they may be deleted or not exist. Check that ids are valid.`,
    context: { ids },
  };
}

function assertBatch(ids: readonly string[]): void {
  if (ids.length > inputsMax) {
    throw invalid(`Batch sizes are limited to ${inputsMax}`);
  }
  const twice = ids.filter((each, index) => ids.indexOf(each) !== index);
  if (twice.length > 0) {
    throw invalid(`Duplicate IDs found in batch input: [${twice.join(', ')}]. IDs must be unique`, {
      ids: twice,
    });
  }
}

function assertUniqueProperty(records: Records, idProperty: string | undefined): void {
  if (idProperty !== undefined && !records.isUnique(idProperty)) {
    throw invalid(
      records.properties.has(idProperty)
        ? `Unable to perform update/upsert by non-unique ${idProperty} property`
        : `Property "${idProperty}" does not exist`,
    );
  }
}
