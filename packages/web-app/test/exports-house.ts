import { openWebhookReceiver, type WebhookReceiver, waitFor } from '@mailproof/dev-house';
import type { OpenPage } from '@mailproof/dev-house/chromium';
import type { Page } from 'playwright-core';
import { type AppHouse, type Customer, openAppHouse } from './app-house.ts';

/** Texts that would have an effect if a page treated them as markup. */
export const image = '<img src=x onerror=alert(1)>';
export const script = '"><script>alert(1)</script>';
export const longWord = 'x'.repeat(500);
export const jobName = `Customers ${image}`;

/** The number of rows in the customer's job. */
export const people = 30;
const file = [
  `name,valid,note${script.replaceAll('"', '')},mail`,
  `${image},yes,=1+1,ada@ordinary.example`,
  `${longWord},no,+49 30 901820,this is no address`,
  ...Array.from({ length: people - 2 }, (_, at) => `Person ${at + 3},no,,person ${at + 3} has none`),
].join('\r\n');

/** The whole system with a customer whose list is validated, and a webhook receiver. */
export interface ExportsHouse {
  readonly app: AppHouse;
  readonly receiver: WebhookReceiver;
  readonly owner: Customer;
  readonly jobId: string;
  stop(): Promise<void>;
}

type Services = Parameters<typeof openAppHouse>[0] & {};

export async function openExportsHouse({
  also = [],
  dispatcher = {},
  enrichment = {},
}: {
  readonly also?: NonNullable<Services['only']>;
  readonly dispatcher?: Readonly<Record<string, string>>;
  readonly enrichment?: Readonly<Record<string, string>>;
} = {}): Promise<ExportsHouse> {
  const [app, receiver] = await Promise.all([
    openAppHouse({
      only: ['gateway', 'credit-ledger', 'validation-engine', 'webhook-dispatcher', ...also],
      env: {
        gateway: { SESSION_REQUESTS_PER_SECOND_MAX: '1000' },
        enrichment,
        'webhook-dispatcher': { OUTBOUND_ALLOWED_PRIVATE_RANGES: '127.0.0.0/8', ...dispatcher },
      },
    }),
    openWebhookReceiver(),
  ]);
  async function stop() {
    await app.stop();
    await receiver.close();
  }
  try {
    const owner = await app.customer();
    const opened = await app.signedIn(owner, '/');
    const jobId = await endedJob(app, opened);
    await opened.context.close();
    return { app, receiver, owner, jobId, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Answer = Record<string, unknown>;

/** Sends a request to the API as the page does. */
export async function ask(
  { url }: AppHouse,
  { context }: Pick<OpenPage, 'context'>,
  method: string,
  path: string,
  data?: string | object,
): Promise<Answer> {
  const answer = await context.request.fetch(`${url}/v1${path}`, {
    method,
    ...(data !== undefined && { data }),
    headers: {
      origin: new URL(url).origin,
      ...(typeof data === 'string' && { 'content-type': 'text/csv' }),
    },
  });
  if (!answer.ok())
    throw new Error(`${method} ${path} was answered with ${answer.status()} ${await answer.text()}.`);
  return (await answer.json()) as Answer;
}

/** Creates a job from the file and validates it. */
async function endedJob(app: AppHouse, opened: OpenPage): Promise<string> {
  const path = `/validation-jobs?name=${encodeURIComponent(jobName)}`;
  const id = String((await ask(app, opened, 'POST', path, file))['job_id']);
  await ask(app, opened, 'POST', `/validation-jobs/${id}/start`);
  await waitFor(
    'the job has ended',
    async () => (await ask(app, opened, 'GET', `/validation-jobs/${id}`))['ended_at'],
    { deadlineMs: 60_000 },
  );
  return id;
}

/** Opens the drawer for the job from the list of exports. */
export async function openDrawer(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Create export' }).first().click();
  await page.getByRole('button', { name: jobName }).first().click();
  await page.getByRole('dialog', { name: 'Export' }).waitFor();
}

export const outcome = (page: Page) => page.getByRole('region', { name: 'Result' });

/** Locates the number next to a name in the counts. */
export const count = (page: Page, name: string) =>
  page.locator('dl div', { has: page.getByText(name, { exact: true }) }).locator('dd');
