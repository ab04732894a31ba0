import { Router } from 'express';
import { z } from 'zod';
import { CallRefused, invalid } from './answers.ts';
import { parseBody } from './batch-routes.ts';
import type { Portal, StoredList } from './portal.ts';
import { objectTypeIds } from './property-catalog.ts';

const membershipsMax = 250;
const listsMax = 500;

const searchBody = z.object({
  offset: z.int().min(0).default(0),
  count: z.int().min(0).default(20),
  query: z.string().default(''),
  listIds: z.array(z.string()).optional(),
  processingTypes: z.array(z.string()).optional(),
  additionalProperties: z.array(z.string()).default([]),
});

/** Routes for lists of records and their members. */
export function listRoutes(portal: Portal): Router {
  const router = Router();

  router.post('/search', (request, response) => {
    const { offset, count, query, listIds, processingTypes, additionalProperties } = parseBody(
      searchBody,
      request,
    );
    const found = [...portal.lists.values()].filter(
      list =>
        list.name.toLowerCase().includes(query.toLowerCase()) &&
        (listIds?.includes(list.listId) ?? true) &&
        (processingTypes?.includes(list.processingType) ?? true),
    );
    const end = offset + Math.min(count, listsMax);
    response.json({
      offset: Math.min(end, found.length),
      hasMore: end < found.length,
      total: found.length,
      lists: found.slice(offset, end).map(list => ({
        ...shownList(list),
        additionalProperties: {
          ...(additionalProperties.includes('hs_list_size') && { hs_list_size: String(list.recordIds.size) }),
        },
      })),
    });
  });

  router.get('/:listId', (request, response) => {
    const list = listOf(request.params.listId);
    response.json({ list: { ...shownList(list), size: list.recordIds.size } });
  });

  router.get('/:listId/memberships', (request, response) => {
    const list = listOf(request.params.listId);
    const limit = Number(request.query['limit'] ?? 100);
    if (!(limit >= 1 && limit <= membershipsMax)) {
      throw invalid(`limit must be between 1 and ${membershipsMax}`);
    }
    const after = Number(Buffer.from(String(request.query['after'] ?? ''), 'base64url').toString());
    const records = portal.records(list.objectType);
    const rest = [...list.recordIds]
      .filter(id => Number(id) > after && records.get(id) !== undefined)
      .sort((left, right) => Number(left) - Number(right));
    const page = rest.slice(0, limit);
    const next = Buffer.from(page.at(-1) ?? '').toString('base64url');
    response.json({
      total: list.recordIds.size,
      results: page.map(recordId => ({ recordId, membershipTimestamp: new Date(0).toISOString() })),
      ...(rest.length > limit && { paging: { next: { after: next, link: `?after=${next}` } } }),
    });
  });

  function listOf(listId: string): StoredList {
    const list = portal.lists.get(listId);
    if (list === undefined) {
      throw new CallRefused(404, {
        category: 'OBJECT_NOT_FOUND',
        subCategory: 'ILS.LIST_NOT_FOUND',
        message: `List does not exist with ID ${listId}.`,
      });
    }
    return list;
  }

  return router;
}

function shownList({ listId, name, objectType, processingType }: StoredList) {
  return {
    listId,
    name,
    listVersion: 1,
    objectTypeId: objectTypeIds[objectType],
    processingStatus: 'COMPLETE',
    processingType,
  };
}
