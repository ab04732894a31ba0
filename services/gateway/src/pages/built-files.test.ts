import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import express from 'express';
import { builtFiles } from './built-files.ts';

it('a file that is gone ends its response, and not the service', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mailproof-built-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'assets', 'gone.js'), 'export {};');
  await writeFile(join(folder, 'page.html'), '<p>Here</p>');
  const server = createServer(express().use(builtFiles(folder, /^\/assets\//))).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await rm(join(folder, 'assets', 'gone.js'));
    await expect(fetch(`${origin}/assets/gone.js`).then(answer => answer.text())).rejects.toThrow();
    const page = await fetch(`${origin}/page.html`);
    expect([page.status, await page.text()]).toEqual([200, '<p>Here</p>']);
  } finally {
    server.closeAllConnections();
    server.close();
    await rm(folder, { recursive: true });
  }
});
