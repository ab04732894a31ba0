import type { IncomingMessage, ServerResponse } from 'node:http';

const timers = new WeakMap<IncomingMessage, () => void>();

/**
 * Gives a request so much time to come in, in milliseconds. Node knows one time for all requests of a server, and a file
 * needs more of it than what could hold a connection for nothing.
 */
export function watchRequest(
  request: IncomingMessage,
  response: ServerResponse,
  msMax: number,
  onTimeout: (response: ServerResponse) => void,
): void {
  // What has no body is there already.
  if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined) {
    return;
  }
  watch(request, msMax, () => onTimeout(response));
}

/** Puts another time, counted from now, in place of the one that a request had. */
export function giveRequestTime(request: IncomingMessage, msMax: number): void {
  timers.get(request)?.();
  watch(request, msMax, () => request.socket.destroy());
}

function watch(request: IncomingMessage, msMax: number, onTimeout: () => void): void {
  const timer = setTimeout(() => {
    if (!request.complete) {
      onTimeout();
    }
  }, msMax).unref();
  const stop = () => {
    clearTimeout(timer);
    timers.delete(request);
  };
  timers.set(request, stop);
  request.once('close', stop);
}
