import type { CrmObject } from '@mailproof/shared-types';
import { z } from 'zod';
import { CrmFault, type CrmSegment } from '../../domain/crm/crm.ts';
import { objectNames } from './object-description.ts';
import type { SalesforceSession } from './salesforce-session.ts';

const pageForm = z.object({
  done: z.boolean(),
  nextRecordsUrl: z
    .string()
    .regex(/^\/services\/data\/v\d+\.\d+\/sobjects\/\w+\/listviews\?/)
    .nullish(),
  listviews: z.array(z.object({ id: z.string(), label: z.string(), soqlCompatible: z.boolean() })),
});

const segmentsMax = 1_000;
/** An answer has at least several list views, so this is more than enough for a thousand. */
const answersMax = 200;

/**
 * Reads the list views of a kind of record that are based on a query; the API cannot read others. Salesforce does not
 * return the number of records in a list view.
 */
export async function readListViews(
  session: SalesforceSession,
  object: CrmObject,
  signal: AbortSignal,
): Promise<readonly CrmSegment[]> {
  const segments: CrmSegment[] = [];
  let next: string | null | undefined = `/sobjects/${objectNames[object]}/listviews`;
  for (let answers = 0; next && answers < answersMax && segments.length < segmentsMax; answers += 1) {
    const path: string = next;
    const page = await session.call(signal, async connection =>
      pageForm.parse(await connection.requestGet(path)),
    );
    for (const { id, label, soqlCompatible } of page.listviews) {
      if (soqlCompatible) {
        segments.push({ segmentId: id, name: label, records: null });
      }
    }
    next = page.done ? null : page.nextRecordsUrl;
  }
  return segments.slice(0, segmentsMax);
}

/** The conditions that restrict a query to the records of a list view. */
export interface ListViewConditions {
  /** Such as `mine`. */
  readonly scope: string | null;
  readonly where: string | null;
}

const listViewIdForm = /^00B[0-9A-Za-z]{12}(?:[0-9A-Za-z]{3})?$/;
/** If a queue or a campaign restricts a list view, it is a separate field and not part of the query. */
const describedForm = z.object({
  query: z.string(),
  scopeEntityId: z.string().nullish(),
  relatedEntityId: z.string().nullish(),
});

/** A longer query would not fit into a request URL. */
const queryCharactersMax = 12_000;

export async function readListViewConditions(
  session: SalesforceSession,
  object: CrmObject,
  segmentId: string,
  signal: AbortSignal,
): Promise<ListViewConditions> {
  if (!listViewIdForm.test(segmentId)) {
    throw new CrmFault('not_found');
  }
  const { query, scopeEntityId, relatedEntityId } = await session.call(signal, async connection =>
    describedForm.parse(
      await connection.requestGet(`/sobjects/${objectNames[object]}/listviews/${segmentId}/describe`),
    ),
  );
  const isWhole = (scopeEntityId ?? relatedEntityId ?? null) === null;
  const conditions = isWhole ? conditionsOf(query, objectNames[object]) : undefined;
  if (conditions === undefined) {
    throw new CrmFault(
      'refused',
      null,
      'This list view is not available through the API. Create one with plain filters.',
    );
  }
  return conditions;
}

/** Everything that may follow FROM in the query of a list view, in this order. */
const clauses =
  /\bfrom\s+(?<object>\w+)(?:\s+using\s+scope\s+(?<scope>\w+))?(?:\s+where\s+(?<where>.+?))?(?:\s+order\s+by\s.*)?$/dis;
const otherClause = /\b(?:limit|offset|group\s+by|having|with|for)\b/i;

/** Extracts the conditions from the query of a list view. Undefined for a query that does not have the usual form. */
export function conditionsOf(query: string, object: string): ListViewConditions | undefined {
  const text = query.trim();
  const found = text.length > queryCharactersMax ? null : clauses.exec(outlineOf(text) ?? '');
  if (found?.groups?.['object']?.toLowerCase() !== object.toLowerCase()) {
    return undefined;
  }
  const scope = found.groups['scope'] ?? null;
  // The outline is as long as the query, so a clause has the same position in both.
  const range = found.indices?.groups?.['where'];
  if (range === undefined) {
    return { scope, where: null };
  }
  return otherClause.test(found.groups['where'] ?? '') ? undefined : { scope, where: text.slice(...range) };
}

/** Masks everything inside quotes and parentheses in a query, so that only top-level clauses remain visible. */
function outlineOf(query: string): string | undefined {
  let outline = '';
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < query.length; at += 1) {
    const character = query[at] ?? '';
    if (isQuoted && character === '\\') {
      outline += '~~';
      at += 1;
      continue;
    }
    const wasInside = isQuoted || depth > 0;
    if (character === "'") {
      isQuoted = !isQuoted;
    } else if (!isQuoted && character === '(') {
      depth += 1;
    } else if (!isQuoted && character === ')') {
      depth -= 1;
    }
    if (depth < 0) {
      return undefined;
    }
    outline += wasInside || isQuoted || depth > 0 ? '~' : character;
  }
  return isQuoted || depth > 0 || outline.length !== query.length ? undefined : outline;
}
