import type { Health } from '@mailproof/service-kit';
import type { Express } from 'express';

/** How long what was found out is answered again, in milliseconds: asking often must not load what is looked at. */
const keptMs = 1_000;

/**
 * `GET /health` for everybody: ok when assistants can be served now. Unlike `/readyz`, which tells probes at the internal
 * port about this process, it looks at what a call needs besides, the gateway among it.
 */
export function mountHealth(
  app: Express,
  { reports, now }: { readonly reports: readonly Health[]; readonly now: () => Date },
): void {
  let known: { readonly ok: Promise<boolean>; readonly untilMs: number } | undefined;
  app.get('/health', async (_request, response) => {
    const nowMs = now().getTime();
    if (known === undefined || known.untilMs <= nowMs) {
      known = { ok: canServe(reports), untilMs: nowMs + keptMs };
    }
    const ok = await known.ok;
    response.status(ok ? 200 : 503).json({ ok, service: 'mcp-server' });
  });
}

async function canServe(reports: readonly Health[]): Promise<boolean> {
  const found = await Promise.all(reports.map(health => health.report()));
  return found.every(({ ready }) => ready);
}
