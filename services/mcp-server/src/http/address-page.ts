import type { Express, Request, Response } from 'express';

/** Shows somebody at a browser what the address is for. */
export type ShowAddress = (response: Response, status: number) => void;

/** Whether a page is what is asked for; programs ask for anything, for JSON, or for events. */
export function asksForPage(request: Request): boolean {
  return (
    (request.method === 'GET' || request.method === 'HEAD') &&
    request.accepts(['application/json', 'text/event-stream', 'text/html']) === 'text/html'
  );
}

/** Answers people who open the server's name alone; for programs there is nothing. */
export function mountAddressPage(app: Express, show: ShowAddress): void {
  app.get('/', (request, response, next) => {
    if (asksForPage(request)) {
      show(response, 200);
    } else {
      next();
    }
  });
}
