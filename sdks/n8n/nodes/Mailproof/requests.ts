import { createHash, randomUUID } from 'node:crypto';
import {
  type IDataObject,
  type IExecuteFunctions,
  type IHttpRequestMethods,
  type IHttpRequestOptions,
  type JsonObject,
  NodeApiError,
  NodeOperationError,
  sleep,
} from 'n8n-workflow';

/** A request to the API: its path after `/api/v1`. */
export interface ApiRequest {
  readonly method: IHttpRequestMethods;
  readonly path: string;
  readonly qs?: IDataObject;
  /** An object is sent as JSON, and text as NDJSON. */
  readonly body?: IDataObject | string;
  /** True if a repeated request must not charge again. */
  readonly charges?: boolean;
}

interface FullAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: IDataObject;
}

const attemptsMax = 5;
const pauseMsMax = 60_000;
const requestMsMax = 120_000;
const finalStates = new Set(['succeeded', 'failed', 'cancelled']);
const pollMs = 2_000;

/**
 * Sends a request and returns its answer. After a 429 or a 503, and while the same request is in progress, it waits as
 * long as `Retry-After` says, and tries again.
 *
 * @throws NodeApiError with what the API says is wrong, and what to do
 */
export async function send(
  context: IExecuteFunctions,
  item: number,
  { method, path, qs, body, charges }: ApiRequest,
): Promise<IDataObject> {
  const { baseUrl } = await context.getCredentials<{ baseUrl: string }>('mailproofApi', item);
  const options: IHttpRequestOptions = {
    method,
    url: `${baseUrl.replace(/\/+$/, '')}/api/v1${path}`,
    headers: {
      ...(typeof body === 'string' && { 'content-type': 'application/x-ndjson' }),
      ...(charges && {
        'idempotency-key': keyOf(context, item, `${method} ${path} ${JSON.stringify([qs ?? null, body])}`),
      }),
    },
    ...(qs && { qs }),
    ...(body !== undefined && { body }),
    json: typeof body !== 'string',
    timeout: requestMsMax,
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
  };
  for (let attempt = 1; ; attempt += 1) {
    const answer = (await context.helpers.httpRequestWithAuthentication.call(
      context,
      'mailproofApi',
      options,
    )) as FullAnswer;
    const answered = typeof answer.body === 'string' ? parsed(answer.body) : answer.body;
    if (answer.statusCode < 400) return answered;
    const isTemporary =
      answer.statusCode === 429 || answer.statusCode === 503 || answered.code === 'idempotency_key_in_use';
    if (!isTemporary || attempt === attemptsMax) {
      throw new NodeApiError(context.getNode(), answered as JsonObject, {
        httpCode: String(answer.statusCode),
        message: String(answered.detail ?? answered.title ?? 'Mailproof did not answer.'),
        description: `${answered.code ?? ''} (request ${answered.requestId ?? 'without an id'})`,
        itemIndex: item,
      });
    }
    await sleep(Math.min(Number(answer.headers['retry-after'] ?? 1) * 1_000, pauseMsMax));
  }
}

function parsed(text: string): IDataObject {
  try {
    return JSON.parse(text) as IDataObject;
  } catch {
    return {};
  }
}

/** The same for a repeated execution of the same item, so that "Retry On Fail" never charges twice. */
function keyOf(context: IExecuteFunctions, item: number, request: string): string {
  const execution = context.getExecutionId() || randomUUID();
  const parts = [execution, context.getNode().id, String(item), request];
  return createHash('sha256').update(parts.join('\n')).digest('hex');
}

/**
 * Asks about a job or a run until it has ended.
 *
 * @throws NodeOperationError if that takes longer than the given minutes; the work itself continues
 */
export async function wait(context: IExecuteFunctions, item: number, path: string): Promise<IDataObject> {
  const minutes = context.getNodeParameter('timeoutMinutes', item, 30) as number;
  const endsAt = Date.now() + minutes * 60_000;
  for (;;) {
    const work = await send(context, item, { method: 'GET', path });
    if (finalStates.has(String(work.state))) return work;
    if (Date.now() > endsAt) {
      const text = `It has not ended after ${minutes} minutes. It continues: read it again later.`;
      throw new NodeOperationError(context.getNode(), text, { itemIndex: item });
    }
    await sleep(pollMs);
  }
}

/** Reads the pages of a list until its end, or until there are enough rows. */
export async function readRows(
  context: IExecuteFunctions,
  item: number,
  request: { readonly path: string; readonly qs?: IDataObject; readonly member: string },
): Promise<IDataObject[]> {
  const returnAll = context.getNodeParameter('returnAll', item, false) as boolean;
  const rowsMax = returnAll
    ? Number.POSITIVE_INFINITY
    : (context.getNodeParameter('limit', item, 50) as number);
  const rows: IDataObject[] = [];
  let cursor: string | undefined;
  do {
    const qs = { ...request.qs, limit: Math.min(200, rowsMax - rows.length), ...(cursor && { cursor }) };
    const page = await send(context, item, { method: 'GET', path: request.path, qs });
    rows.push(...((page[request.member] ?? []) as IDataObject[]));
    cursor = page.next_cursor as string | undefined;
  } while (cursor !== undefined && rows.length < rowsMax);
  return rows;
}
