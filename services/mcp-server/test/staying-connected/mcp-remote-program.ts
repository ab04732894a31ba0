import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../loopback-proxy.ts';
import { openKept, startMcpRemote } from '../mcp-remote.ts';
import type { ClientProgram } from './client-program.ts';

const callTimeoutMs = 30_000;

/** A separate process, which reads the moved clock and therefore refreshes like after ten real minutes. */
export const mcpRemote: ClientProgram = {
  name: 'mcp-remote',
  sharesRefreshes: true,
  async connect({ stage, customer, documentUrl }) {
    const home = await mkdtemp(join(stage.folder, 'home-'));
    const { client, signInsAsked, signInAgain } = await startMcpRemote({
      house: stage.house,
      customer,
      home,
      args: [
        ...[String(await freePort()), '--host', '127.0.0.1'],
        ...(documentUrl ? ['--client-metadata-url', documentUrl] : []),
      ],
      env: stage.clockEnvironment,
    });
    return {
      async callTool() {
        const call = { name: 'svc_get_account_status', arguments: {} };
        // The program lets a call wait until its user has signed in.
        return (await client.callTool(call, { timeout: callTimeoutMs })).structuredContent;
      },
      signInsAsked,
      signInAgain,
      async kept() {
        const { content: tokens } = await openKept(home, 'tokens');
        const clientId = documentUrl ?? String((await openKept(home, 'client_info')).content['client_id']);
        return { clientId, refreshToken: String(tokens['refresh_token']) };
      },
      close: () => client.close(),
    };
  },
};
