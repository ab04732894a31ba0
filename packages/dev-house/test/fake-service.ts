import { once } from 'node:events';
import { createServer } from 'node:http';

/** A service that can start, answer and stop, and reports its settings. */
export function runStandIn({ failsToStart = false } = {}): void {
  if (failsToStart) {
    console.error('The stand-in has no wish to start.');
    process.exit(3);
  }
  const { HOST, PORT, INTERNAL_PORT } = process.env;
  const servers = [PORT, INTERNAL_PORT]
    .filter(port => port !== undefined)
    .map(port =>
      createServer((request, response) => {
        if (request.url === '/crash') process.exit(1);
        // If there is an internal port, only that one answers probes.
        if (request.url === '/readyz' && port !== (INTERNAL_PORT ?? PORT)) response.statusCode = 404;
        response.end(request.url === '/environment' ? JSON.stringify(process.env) : 'ready');
      }).listen(Number(port), HOST),
    );
  Promise.all(servers.map(server => once(server, 'listening'))).then(() =>
    process.send?.({ type: 'listening' }),
  );
  function stop(): void {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
    if (process.connected) process.disconnect();
  }
  process.once('SIGTERM', stop);
  process.once('disconnect', stop);
}
