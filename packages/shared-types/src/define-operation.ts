import { z } from 'zod';
import { limits } from './limits.ts';
import type { Access, Operation } from './operation.ts';
import type { ServiceName } from './service-name.ts';

const noParams = z.strictObject({});
const noQuery = z.strictObject({});
const noBody = z.undefined();

/** What `defineOperation` assumes for an operation that does not say it. */
type Assumed = 'params' | 'query' | 'body' | 'bodyBytesMax';

/**
 * Declares an operation with the precise types of its schemas. Without `params`, `query` or `body` it has none;
 * `bodyBytesMax` is `limits.jsonBodyBytesMax` if it has a body.
 */
export function defineOperation<
  Success extends z.core.$ZodType,
  AnsweredBy extends ServiceName,
  const Granted extends Access,
  Params extends z.core.$ZodType = typeof noParams,
  Query extends z.core.$ZodType = typeof noQuery,
  Body extends z.core.$ZodType = typeof noBody,
>(
  operation: Omit<Operation<Params, Query, Body, Success, AnsweredBy, Granted>, Assumed> &
    Partial<Pick<Operation<Params, Query, Body, Success, AnsweredBy, Granted>, Assumed>>,
): Operation<Params, Query, Body, Success, AnsweredBy, Granted> {
  return {
    params: noParams as z.core.$ZodType as Params,
    query: noQuery as z.core.$ZodType as Query,
    body: noBody as z.core.$ZodType as Body,
    bodyBytesMax: operation.body === undefined ? 0 : limits.jsonBodyBytesMax,
    ...operation,
  };
}
