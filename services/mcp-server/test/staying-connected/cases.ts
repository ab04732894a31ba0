import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@mailproof/dev-house';
import type { Customer } from '../house.ts';
import { type Answer, refresh, revoke } from '../oauth-client.ts';
import type { ClientProgram, ConnectedClient, Kept } from './client-program.ts';
import { laterRefreshesLate, loseRefresh, refusedTogether } from './network.ts';
import { openStage, type Stage } from './stage.ts';

/** Longer than the lifetime of an access token. */
const expiryMinutes = 11;
/** Longer than the overlap of a refresh token with its successor. */
const overlapMinutes = 2;

/** Tests that client programs stay connected when access tokens expire. */
export function describeStayingConnected(programs: readonly ClientProgram[]): void {
  let stage: Stage;
  const open: ConnectedClient[] = [];

  beforeAll(async () => {
    stage = await openStage();
  });
  afterEach(async () => {
    stage.network.become();
    await stage.forgetPassedTime();
    await Promise.all(open.splice(0).map(client => client.close()));
  });
  afterAll(() => stage?.stop());

  describe.each(programs)('$name', program => {
    let customer: Customer;

    beforeAll(async () => {
      customer = await stage.house.customer();
    });

    async function connect(documentUrl?: string): Promise<ConnectedClient> {
      const client = await program.connect({ stage, customer, ...(documentUrl && { documentUrl }) });
      open.push(client);
      await expectToWork(client);
      return client;
    }

    async function expire(): Promise<void> {
      await stage.pass(expiryMinutes);
    }

    async function expectToStayConnected(...clients: readonly ConnectedClient[]): Promise<void> {
      for (const client of clients) await expectToWork(client);
      await expire();
      for (const client of clients) await expectToWork(client);
    }

    /** Sends a refresh token as a thief or a second copy of the program would. */
    function present({ clientId, refreshToken }: Kept): Promise<Answer> {
      return refresh(stage.house.url, { clientId, redirectUri: '' }, refreshToken);
    }

    describe.each([2, 10])('with %i parallel calls after expiry', count => {
      const refreshes = program.sharesRefreshes ? 1 : count;

      it('stays connected', async () => {
        const client = await connect();
        await expire();
        stage.network.become(refusedTogether(count));
        await expectAllToWork(client, count);
        expect([stage.network.refreshes(), client.signInsAsked()]).toEqual([refreshes, 1]);
        await expectToStayConnected(client);
      });

      it('stays connected when its other refreshes arrive after the first new token was used', async () => {
        const client = await connect();
        await expire();
        stage.network.become(refusedTogether(count), laterRefreshesLate());
        await expectAllToWork(client, count);
        expect([stage.network.refreshes(), client.signInsAsked()]).toEqual([refreshes, 1]);
        await expectToStayConnected(client);
      });

      it('stays connected when the answer to one of its refreshes is lost', async () => {
        const client = await connect();
        await expire();
        const weather = loseRefresh();
        stage.network.become(refusedTogether(count), weather);
        await Promise.allSettled(Array.from({ length: count }, () => client.callTool()));
        expect(weather.lost).toEqual([200]);
        await expectToStayConnected(client);
      });
    });

    it('stays connected when the answer to a refresh is lost', async () => {
      const client = await connect();
      await expire();
      const weather = loseRefresh();
      stage.network.become(weather);
      // Some programs retry automatically. Others report the call as failed and open the sign-in page, which their user
      // may ignore: the next call refreshes again.
      await client.callTool().catch(() => undefined);
      expect(weather.lost).toEqual([200]);
      await expectToStayConnected(client);
    });

    it('stays connected on two machines that share a metadata document', async () => {
      const desktop = await connect(stage.documentUrl);
      const laptop = await connect(stage.documentUrl);
      await expire();
      await expectToStayConnected(desktop, laptop);
      expect([desktop.signInsAsked(), laptop.signInsAsked()]).toEqual([1, 1]);
    });

    it('stays connected when it signs out on another machine', async () => {
      const desktop = await connect(stage.documentUrl);
      const laptop = await connect(stage.documentUrl);
      const { clientId, refreshToken } = await laptop.kept();
      expect(clientId).toBe(stage.documentUrl);
      expect(await revoke(stage.house.url, { clientId, redirectUri: '' }, refreshToken)).toBe(200);
      expectRefused(await present(await laptop.kept()));
      await expire();
      await expectToStayConnected(desktop);
      expect(desktop.signInsAsked()).toBe(1);
    });

    it('stays connected when a replay ends its connection on another machine', async () => {
      const desktop = await connect(stage.documentUrl);
      const laptop = await connect(stage.documentUrl);
      const stolen = await laptop.kept();
      await expire();
      await expectToWork(laptop);
      await stage.pass(overlapMinutes);
      expectRefused(await present(stolen));
      expectRefused(await present(await laptop.kept()));
      await expectToStayConnected(desktop);
      expect(desktop.signInsAsked()).toBe(1);
    });

    it('has to sign in again after a replay', async () => {
      const client = await connect();
      const stolen = await client.kept();
      await expire();
      await expectToWork(client);
      expect((await client.kept()).refreshToken).not.toBe(stolen.refreshToken);
      await stage.pass(overlapMinutes);
      expectRefused(await present(stolen));
      // The replay has ended the whole family: the program's own token is refused, too.
      expectRefused(await present(await client.kept()));
      // Some programs report the call as failed, and some let it wait until their user has signed in.
      let answered = false;
      const call = client.callTool().then(
        () => {
          answered = true;
        },
        () => undefined,
      );
      await waitFor('The program asks its user to sign in', () => client.signInsAsked() === 2, {
        deadlineMs: 30_000,
      });
      expect(answered).toBe(false);
      await client.signInAgain();
      await call;
      await expectToWork(client);
    });
  });
}

async function expectToWork(client: ConnectedClient): Promise<void> {
  expect(await client.callTool()).toMatchObject({ ok: true, data: { credits: expect.any(Number) } });
}

async function expectAllToWork(client: ConnectedClient, count: number): Promise<void> {
  const calls = await Promise.allSettled(Array.from({ length: count }, () => client.callTool()));
  expect(calls).toEqual(
    Array.from({ length: count }, () => ({
      status: 'fulfilled',
      value: expect.objectContaining({ ok: true }),
    })),
  );
}

function expectRefused({ status, body }: Answer): void {
  expect({ status, error: body['error'] }).toEqual({ status: 400, error: 'invalid_grant' });
}
