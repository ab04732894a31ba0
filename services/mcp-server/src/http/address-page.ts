import { type CountFailure, Problem } from '@mailproof/service-kit';
import type { Express, Request, Response } from 'express';

/** Shows a person with a browser what the address is for. */
export type ShowAddress = (response: Response, status: number) => void;

/** Whether the request asks for a page; programs accept anything, JSON, or events. */
export function asksForPage(request: Request): boolean {
  return (
    (request.method === 'GET' || request.method === 'HEAD') &&
    request.accepts(['application/json', 'text/event-stream', 'text/html']) === 'text/html'
  );
}

/**
 * Responds at `/`: with a page for people, and for programs with a problem that names the address of the tools. Clients
 * come here when their user left out the path. Their requests count like those for unknown paths.
 */
export function mountAddressPage(
  app: Express,
  { address, show, countFailure }: { address: string; show: ShowAddress; countFailure: CountFailure },
): void {
  app.all('/', async (request, response) => {
    if (asksForPage(request)) {
      show(response, 200);
      return;
    }
    await countFailure(request, response);
    throw new Problem('route_not_found', {
      detail: `The MCP endpoint is ${address}. Enter this URL in your client.`,
    });
  });
}
