import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@mailproof/dev-house';
import { lastPage } from '@mailproof/dev-house/sign-in-browser';
import pg from 'pg';
import { openApplication, resetPassword } from './application.ts';
import { type Customer, openSharedToolHouse, type ToolHouse } from './house.ts';
import {
  authorizationUrl,
  type Connection,
  callTool,
  connect,
  newProof,
  redeem,
  refresh,
  register,
  structuredContent,
} from './oauth-client.ts';

const newPassword = 'another password for tests alone';
const deadline = { deadlineMs: 60_000 };

let house: ToolHouse;
let gatewayDatabase: pg.Pool;

beforeAll(async () => {
  house = await openSharedToolHouse();
  gatewayDatabase = new pg.Pool({
    connectionString: house.house.databaseUrls['gateway']?.databaseUrl ?? '',
    options: '-c search_path=gateway',
    max: 2,
  });
});

afterAll(async () => {
  await gatewayDatabase?.end();
  await house?.stop();
});

async function works({ accessToken }: Connection): Promise<boolean> {
  const answer = await callTool(house.url, accessToken);
  return answer.status === 200 && structuredContent(answer)['ok'] === true;
}

async function untilRefused(connection: Connection): Promise<void> {
  const refused = async () => (await callTool(house.url, connection.accessToken)).status === 401;
  await waitFor('The assistant is refused', refused, deadline);
  expect(await refresh(house.url, connection, connection.refreshToken)).toMatchObject({
    status: 400,
    body: { error: 'invalid_grant' },
  });
}

async function changePassword(customer: Customer): Promise<Customer> {
  const application = await openApplication(house, customer);
  const passwords = { current_password: customer.password, new_password: newPassword };
  expect((await application('PUT', '/password', passwords)).status).toBe(200);
  return { ...customer, password: newPassword };
}

/** Makes the gateway send a retry now that is due in some minutes, and waits until it is done. */
async function askAgain({ accountId }: Customer): Promise<void> {
  const job = "job_type = 'gateway.disconnect-user-assistants' AND payload ->> 'accountId' = $1";
  await gatewayDatabase.query(`UPDATE outbox SET due_at = now() WHERE ${job}`, [accountId]);
  const done = async () => {
    const { rows } = await gatewayDatabase.query<{ done: number }>(
      `SELECT count(done_at)::int AS done FROM outbox WHERE ${job}`,
      [accountId],
    );
    return rows[0]?.done === 2;
  };
  await waitFor('The tool server was asked again', done, deadline);
}

describe('a new password', () => {
  it('ends what was connected before, and never what is connected afterward', async () => {
    const customer = await house.customer();
    const before = await connect(house, customer);
    expect(await works(before)).toBe(true);
    const changed = await changePassword(customer);
    await untilRefused(before);
    const afterward = await connect(house, changed, { client: before });
    await askAgain(customer);
    expect(await works(afterward)).toBe(true);
  });

  it('makes a sign-in of before void although its page still asks for consent', async () => {
    const customer = await house.customer();
    const client = await register(house.url);
    const proof = newProof();
    const browser = house.browser();
    const signInPage = lastPage(await browser.open(await authorizationUrl(house.url, client, proof)));
    const fieldOf = (selector: string) =>
      signInPage.document.querySelector(selector)?.attributes['name'] ?? selector;
    const typed = {
      [fieldOf('input[autocomplete=username]')]: customer.email,
      [fieldOf('input[type=password]')]: customer.password,
    };
    const consentPage = lastPage(await browser.submit(signInPage, typed, /sign in/i));
    const changed = await changePassword(customer);
    const again = lastPage(await browser.submit(consentPage, {}, /^allow/i));
    expect(again.document.querySelector('input[type=password]')).not.toBeNull();
    // The same sign-in continues with the new password.
    const retyped = { ...typed, [fieldOf('input[type=password]')]: changed.password };
    const consentAgain = lastPage(await browser.submit(again, retyped, /sign in/i));
    const { sentTo } = await browser.submit(consentAgain, {}, /^allow/i);
    const code = String(sentTo?.searchParams.get('code'));
    expect((await redeem(house.url, client, code, proof.verifier)).status).toBe(200);
  });
});

describe('signing out everywhere', () => {
  it('ends the assistants too', async () => {
    const customer = await house.customer();
    const connection = await connect(house, customer);
    const application = await openApplication(house, customer);
    expect((await application('DELETE', '/sessions')).status).toBe(200);
    await untilRefused(connection);
  });
});

describe('one client on two machines', () => {
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0';
  const safari = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/26.0 Safari/605.1.15';

  it('is listed, disconnected and exported as two, one for each browser', async () => {
    const customer = await house.customer();
    const client = await register(house.url);
    const [desktop, laptop] = [house.browser(firefox), house.browser(safari)];
    const one = await connect(house, customer, { client, browser: desktop });
    const other = await connect(house, customer, { client, browser: laptop });
    const again = await connect(house, customer, { client, browser: desktop });
    const application = await openApplication(house, customer);
    const listed = async () => {
      const { body } = await application('GET', '/assistants');
      return body['assistants'] as { assistant_id: string; user_agent: string }[];
    };
    const shown = await listed();
    expect(shown.map(({ user_agent }) => user_agent)).toEqual([firefox, safari]);
    expect((await application('DELETE', `/assistants/${shown[0]?.assistant_id}`)).status).toBe(200);
    expect(await Promise.all([works(one), works(again), works(other)])).toEqual([false, false, true]);
    expect((await listed()).map(({ user_agent }) => user_agent)).toEqual([safari]);
  });
});

describe('strangers who fill the count of wrong passwords', () => {
  const failures = 10;

  /** Types as many wrong passwords as lock the address for unknown browsers. */
  async function lockOut(customer: Customer): Promise<void> {
    for (let n = 0; n < failures; n += 1) {
      await tryAs({ ...customer, password: `a wrong password, number ${n}` });
    }
    expect((await tryAs(customer)).text).toContain('Too many wrong passwords for this address');
  }

  /** Returns the page after a sign-in attempt, by default in a browser without cookies. */
  async function tryAs(customer: Customer, browser = house.browser()) {
    const address = await authorizationUrl(house.url, await register(house.url), newProof());
    const page = lastPage(await browser.open(address));
    const typed = { email: customer.email, password: customer.password };
    return lastPage(await browser.submit(page, typed, /sign in/i));
  }

  it('do not lock out a browser in which the user has signed in here before', async () => {
    const customer = await house.customer();
    const browser = house.browser();
    await connect(house, customer, { browser });
    await lockOut(customer);
    expect(await works(await connect(house, customer, { browser }))).toBe(true);
  });

  it('do not lock out the user who resets the password, as the page says', async () => {
    const customer = await house.customer();
    await lockOut(customer);
    const { text } = await tryAs(customer);
    expect(text).toContain('reset your password in the Mailproof application');
    const changed = await resetPassword(house, customer, newPassword);
    expect(await works(await connect(house, changed))).toBe(true);
  });
});

describe('deleting the account', () => {
  it('leaves an assistant nothing to work with, at once, and nothing of it behind', async () => {
    const customer = await house.customer();
    const connection = await connect(house, customer);
    const application = await openApplication(house, customer);
    const sure = { password: customer.password, account_name: 'Ordinary Ltd' };
    expect((await application('DELETE', '/account', sure)).status).toBe(200);
    // The gateway refuses until the tool server has been notified; after that, the assistant no longer exists.
    expect(await works(connection)).toBe(false);
    await untilRefused(connection);
  });
});

describe('the security log', () => {
  it('tells of the sign-in, the connection and its end', async () => {
    const customer = await house.customer();
    await connect(house, customer);
    const application = await openApplication(house, customer);
    const { body } = await application('GET', '/assistants');
    const [{ assistant_id: assistantId } = {}] = body['assistants'] as Record<string, unknown>[];
    expect((await application('DELETE', `/assistants/${String(assistantId)}`)).status).toBe(200);
    const events = (await application('GET', '/security-events')).body['events'] as object[];
    expect(events.slice(0, 4)).toMatchObject([
      { kind: 'assistant_disconnected', details: { assistant_id: assistantId } },
      { kind: 'sign_in' },
      { kind: 'assistant_connected', details: { assistant_id: assistantId } },
      { kind: 'assistant_sign_in', user_agent: 'Mozilla/5.0 (tests)' },
    ]);
  });
});
