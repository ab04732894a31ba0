import { createServer } from 'node:http';

/** A service that can start, answer and stop, and tells what it was started with. */
export function runStandIn({ failsToStart = false } = {}): void {
  if (failsToStart) {
    console.error('The stand-in has no wish to start.');
    process.exit(3);
  }
  const server = createServer((request, response) => {
    if (request.url === '/crash') process.exit(1);
    response.end(request.url === '/environment' ? JSON.stringify(process.env) : 'ready');
  });
  server.listen(Number(process.env['PORT']), process.env['HOST']);
  function stop(): void {
    server.close();
    server.closeAllConnections();
    if (process.connected) process.disconnect();
  }
  process.once('SIGTERM', stop);
  process.once('disconnect', stop);
}
