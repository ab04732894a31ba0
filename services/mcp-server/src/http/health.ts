import type { Health } from '@mailproof/service-kit';
import type { Express } from 'express';

/**
 * `GET /health` for clients: ok when assistants can be served now. Unlike `/readyz`, which tells probes at the internal
 * port about this process, it also checks what a call needs, such as the gateway. Reports are cached for a second, so
 * frequent requests do not load the checked services.
 */
export function mountHealth(app: Express, reports: readonly Health[]): void {
  app.get('/health', async (_request, response) => {
    const ok = await canServe(reports);
    response.status(ok ? 200 : 503).json({ ok, service: 'mcp-server' });
  });
}

async function canServe(reports: readonly Health[]): Promise<boolean> {
  const found = await Promise.all(reports.map(health => health.report()));
  return found.every(({ ready }) => ready);
}
