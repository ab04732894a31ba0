import type { Express } from 'express';

/**
 * Mounts the callback address for browsers that return from a CRM. The application's screen removes the parameters from
 * the history and sends them on from our own origin (ADR 0038). The CRMs know only this address, so it must not change.
 */
export function mountCrmCallback(app: Express): void {
  app.get('/crm/callback', (request, response) => {
    // Passed on as received, neither parsed nor re-encoded, since a CRM may put anything there.
    const at = request.originalUrl.indexOf('?');
    const query = at < 0 ? '' : request.originalUrl.slice(at);
    response
      .set({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' })
      .redirect(302, `/app/crm/callback${query}`);
  });
}
