import { type ChildProcess, execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import type { LabMessage } from './counts.ts';

const main = fileURLToPath(new URL('main.ts', import.meta.url));
const deadline = () => ({ signal: AbortSignal.timeout(60_000) });

type Ready = Extract<LabMessage, { type: 'ready' }>;

async function startedLab(): Promise<{ child: ChildProcess; ready: Ready }> {
  const child = fork(main, [], { execArgv: [], silent: true, env: { PATH: process.env['PATH'] } });
  const [ready] = (await once(child, 'message', deadline())) as [Ready];
  return { child, ready };
}

/** Opens a connection that never sends anything to the name server. */
async function silentConnection(ready: Ready): Promise<Socket> {
  const [host = '', port = ''] = ready.dnsServer.split(':');
  const socket = connect(Number(port), host);
  socket.on('error', () => undefined);
  await once(socket, 'connect', deadline());
  return socket;
}

describe('the lab as a process', () => {
  it('sends its addresses to its parent and returns its counts on request', async () => {
    const { child, ready } = await startedLab();
    expect(ready).toMatchObject({
      type: 'ready',
      dnsServer: expect.stringMatching(/^127\.\d+\.0\.1:\d+$/),
      smtpPort: expect.any(Number),
      httpsPort: expect.any(Number),
      caCertificatePem: expect.stringContaining('BEGIN CERTIFICATE'),
      allowedRanges: [expect.stringMatching(/^127\.\d+\.0\.0\/16$/)],
    });
    child.send({ type: 'counts' });
    const [answer] = (await once(child, 'message', deadline())) as [LabMessage];
    expect(answer).toMatchObject({ type: 'counts', counts: { unscripted: [] } });
    child.kill('SIGTERM');
    await once(child, 'exit', deadline());
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('stops on %s with a connection still open', async signal => {
    const { child, ready } = await startedLab();
    const socket = await silentConnection(ready);
    child.kill(signal);
    expect(await once(child, 'exit', deadline())).toEqual([0, null]);
    socket.destroy();
  });

  it('stops when its parent exits', async () => {
    const { child, ready } = await startedLab();
    const socket = await silentConnection(ready);
    child.disconnect();
    expect(await once(child, 'exit', deadline())).toEqual([0, null]);
    socket.destroy();
  });

  it('prints its catalog and its usage', async () => {
    const run = promisify(execFile);
    expect((await run(process.execPath, [main, '--list'])).stdout).toMatch(
      /nobody@ordinary\.example +invalid +mailbox_missing/,
    );
    expect((await run(process.execPath, [main, '--help'])).stdout).toContain('MAIL_LAB_SMTP_PORT');
    await expect(run(process.execPath, [main, '--what'])).rejects.toMatchObject({ code: 2 });
  });
});
