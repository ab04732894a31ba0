import { createHealth, type HealthCheck } from '@mailproof/service-kit';
import type { Express } from 'express';
import { type Page, sendPage } from './layout.ts';

/** What customers use, in their words, and whether the service that does it is ready. */
export interface Parts {
  readonly accounts: HealthCheck;
  readonly credits: HealthCheck;
  readonly validation: HealthCheck;
  readonly search: HealthCheck;
  readonly delivery: HealthCheck;
  readonly assistants: HealthCheck;
}

const names: Readonly<Record<keyof Parts, string>> = {
  accounts: 'Accounts, sign-in and API keys',
  credits: 'Credits and receipts',
  validation: 'Validation of addresses and lists',
  search: 'People, companies and profiles',
  delivery: 'Exports, webhooks and CRMs',
  assistants: 'AI assistants',
};

/**
 * Mounts the page that says what works now, for people and, as JSON, for monitors. It names no machine, store or cause.
 * The checks run at most once a second, for any number of visitors, and end after two seconds.
 */
export function mountStatusPage(app: Express, parts: Parts): void {
  const health = createHealth({ ...parts });
  app.get('/status', async (request, response) => {
    const { checks } = await health.report();
    const works = Object.fromEntries(
      (Object.keys(names) as (keyof Parts)[]).map(part => [part, checks[part] === 'ok']),
    ) as Record<keyof Parts, boolean>;
    if (request.accepts(['html', 'json']) === 'json') {
      response.json({ works: Object.values(works).every(Boolean), parts: works });
      return;
    }
    sendPage(response, statusPage(works));
  });
}

function statusPage(works: Readonly<Record<keyof Parts, boolean>>): Page {
  const all = Object.keys(names) as (keyof Parts)[];
  const broken = all.filter(part => !works[part]).length;
  const rows = all.map(
    part =>
      `<tr><th scope="row">${names[part]}</th><td>${works[part] ? 'works' : '<strong>does not work now</strong>'}</td></tr>`,
  );
  return {
    title: 'Status',
    description: 'What works in this installation of Mailproof now.',
    main: `<h1>${broken === 0 ? 'Everything works' : 'Some parts do not work now'}</h1>
<table><tbody>${rows.join('\n')}</tbody></table>
${broken === 0 ? '' : waitAdvice}<p>Checked now, by this installation. Load the page again to check again.</p>`,
  };
}

const waitAdvice =
  '<p>Requests to a part that does not work cost nothing, and get the error <a href="/docs/errors/service_unavailable"><code>service_unavailable</code></a>. Send them again after the seconds in <code>Retry-After</code>.</p>\n';
