import type { Express } from 'express';

/**
 * Mounts the address that CRMs send browsers back to. The screen of the application takes what they bring out of the
 * history, and sends it on from our own origin (ADR 0038); this address alone is known at the CRMs, and so stays.
 */
export function mountCrmCallback(app: Express): void {
  app.get('/crm/callback', (request, response) => {
    // As it came: it was neither read nor written anew, whatever a CRM puts there.
    const at = request.originalUrl.indexOf('?');
    const query = at < 0 ? '' : request.originalUrl.slice(at);
    response
      .set({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' })
      .redirect(302, `/app/crm/callback${query}`);
  });
}
