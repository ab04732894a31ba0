import { type Request, Router } from 'express';
import { z } from 'zod';
import { CallRefused, invalid, notFound } from './answers.ts';
import { batchRoutes, parseBody, shown } from './batch-routes.ts';
import type { Portal } from './portal.ts';
import { search, searchBody } from './search.ts';

const recordBody = z.object({ properties: z.record(z.string(), z.string()) });

/** The most characters in the body of a search. */
const searchCharactersMax = 3_000;

/** Routes for single records, pages, and searches. */
export function objectRoutes(portal: Portal): Router {
  const router = Router();
  const records = (request: Request) => portal.records(String(request.params['objectType']));
  router.use('/:objectType/batch', (request, response, next) => {
    batchRoutes(portal, records(request))(request, response, next);
  });

  router.post('/:objectType/search', (request, response) => {
    const store = records(request);
    if (JSON.stringify(request.body).length > searchCharactersMax) {
      throw invalid(`The body of a search is limited to ${searchCharactersMax} characters.`);
    }
    const body = parseBody(searchBody, request);
    const { total, page, after } = search(store, body, id => portal.isIndexed(store.objectType, id));
    response.json({
      total,
      results: page.map(record => shown(record, body.properties)),
      ...(after !== undefined && { paging: { next: { after, link: `?after=${after}` } } }),
    });
  });

  router.get('/:objectType', (request, response) => {
    const limit = Number(request.query['limit'] ?? 10);
    if (!(limit >= 1 && limit <= 100)) {
      throw invalid('limit must be between 1 and 100');
    }
    const after = Number(request.query['after'] ?? 0);
    const rest = records(request).behind(after);
    const page = rest.slice(0, limit);
    const properties = String(request.query['properties'] ?? '').split(',');
    const last = page.at(-1)?.id;
    response.json({
      results: page.map(record => shown(record, properties)),
      ...(rest.length > limit && { paging: { next: { after: last, link: `?after=${last}` } } }),
    });
  });

  router.post('/:objectType', (request, response) => {
    const { properties } = parseBody(recordBody, request);
    response.status(201).json(shown(records(request).create(properties)));
  });

  router.get('/:objectType/:id', (request, response) => {
    response.json(shown(recordOf(request), String(request.query['properties'] ?? '').split(',')));
  });

  router.patch('/:objectType/:id', (request, response) => {
    const { properties } = parseBody(recordBody, request);
    response.json(shown(records(request).update(recordOf(request), properties)));
  });

  router.delete('/:objectType/:id', (request, response) => {
    records(request).archive(String(request.params['id']));
    response.status(204).end();
  });

  function recordOf(request: Request) {
    const store = records(request);
    const id = String(request.params['id']);
    const by = request.query['idProperty'];
    if (by !== undefined && !store.isUnique(String(by))) {
      throw new CallRefused(400, {
        category: 'VALIDATION_ERROR',
        message: `${String(by)} is not a unique property`,
      });
    }
    const record = by === undefined ? store.get(id) : store.findUnique(String(by), id);
    if (record === undefined) {
      throw notFound('resource not found');
    }
    return record;
  }

  return router;
}
