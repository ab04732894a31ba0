import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { freePort, portNear } from './service-instances.ts';

describe('the choice of a port', () => {
  const servers: net.Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });
  async function listen(port: number): Promise<number> {
    const server = net.createServer();
    servers.push(server);
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  }

  test('answers a port that can be listened on', async () => {
    const port = await freePort();
    await expect(listen(port)).resolves.toBe(port);
  });

  /** Not `freePort`, which returns a port only once per process. */
  async function unusedPort(): Promise<number> {
    const port = await listen(0);
    await new Promise(closed => servers.pop()?.close(closed));
    return port;
  }

  test('takes the preferred port while it is free', async () => {
    const port = await unusedPort();
    await expect(portNear(port)).resolves.toBe(port);
  });

  test('steps around a port that is taken', async () => {
    const taken = await listen(await freePort());
    const port = await portNear(taken);
    expect(port).not.toBe(taken);
    expect(port).toBeGreaterThan(taken);
    expect(port).toBeLessThan(taken + 10);
  });
});
