import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { workbookOf } from '@mailproof/dev-house/workbooks';
import {
  createValidationJob,
  emailTypes,
  exportedVerdictFields,
  limits,
  prices,
  problemKinds,
  startValidationJob,
  validationJobWaits,
  validationResults,
} from '@mailproof/shared-types';
import { untilExportEnded } from './exported-records.ts';
import { openSharedHouse, type TestHouse } from './house.ts';
import { untilJob, untilJobEnded } from './job-house.ts';
import { blocksOf, commandsOf, runPageCommand } from './page-commands.ts';

const page = await readFile(new URL('../../../docs/validate-a-list.md', import.meta.url), 'utf8');
const section = (title: string) => page.split(/^## /m).find(part => part.startsWith(title)) ?? '';
/** The names in the first column of the table in the section with the given title. */
const namesIn = (title: string, heading: string) => {
  const [, table = ''] = section(title).split(new RegExp(`^\\| ${heading} .*\\n.*\\n`, 'm'));
  const [rows = ''] = table.split('\n\n');
  return [...rows.matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name);
};

/** The value with each time replaced, since times differ. */
const withoutTimes = (value: unknown) =>
  JSON.parse(JSON.stringify(value).replace(/"\d{4}-\d\d-\d\dT[^"]+"/g, '"a time"')) as object;

let test: TestHouse;

beforeAll(async () => {
  test = await openSharedHouse();
});

afterAll(() => test?.stop());

describe('the page about lists', () => {
  it('shows requests that work one after the other, with the answers that they really get', async () => {
    const customer = await test.open({ credits: 10, requestsPerSecond: 1_000 });
    const environment = { url: test.house.gatewayUrls[0] ?? '', apiKey: customer.apiKey };
    const [file = '', validated = ''] = blocksOf(page, 'csv');
    const [answer = '', lines = ''] = blocksOf(page, 'json');
    const rows = [['E-mail'], ['ada@ordinary.example'], ['nobody@ordinary.example']];
    const workbook = await workbookOf({ sheets: { Customers: rows } });
    const ids = { vjob: '', exp: '' };
    const fill = (text: string) =>
      text.replace(/\$JOB|vjob_\w+/g, ids.vjob).replace(/\$EXPORT|exp_\w+/g, ids.exp);
    const commands = commandsOf(page);
    expect(commands).toHaveLength(20);
    for (const command of commands) {
      if (command.path === '/exports') {
        await untilJobEnded(customer, ids.vjob);
      }
      const { status, text } = await runPageCommand(environment, command, fill, {
        'customers.csv': file,
        'customers.ndjson': lines,
        'customers.xlsx': workbook,
      });
      // A job this small may have ended before it is paused.
      const isSteering = /\/(pause|resumption)$/.test(command.path);
      // The file has no remaining rows; the next test validates such rows.
      const isWithoutUnknown = command.path.endsWith('/revalidation') && text.includes('"no_unknown_rows"');
      const isTaken = status < 300 || (isSteering && status === 409) || isWithoutUnknown;
      expect([command.line, isTaken ? '' : text]).toEqual([command.line, '']);
      if (/JSON|ndjson$/.test(command.path)) {
        expect(JSON.parse(text)).toMatchObject({ state: 'ready', addresses: 2, file: null });
      } else if (command.file === 'customers.xlsx') {
        expect(JSON.parse(text)).toMatchObject({
          state: 'ready',
          addresses: 2,
          file: { sheet: 'Customers' },
        });
      } else if (command.file) {
        const job = JSON.parse(text) as Record<string, unknown>;
        expect(job).toMatchObject({ ...(JSON.parse(answer) as object), created_by: customer.apiKeyId });
        ids.vjob = String(job['job_id']);
      } else if (command.path === '/exports') {
        ids.exp = String((JSON.parse(text) as Record<string, unknown>)['export_id']);
        await untilExportEnded(customer, ids.exp);
      } else if (command.path.endsWith('/lines')) {
        const [first = ''] = text.split('\n');
        expect(JSON.parse(first)).toMatchObject({ City: 'London', result_status: 'ok', valid: true });
      } else if (command.path.endsWith('/file')) {
        expect(text.replaceAll('\r\n', '\n')).toBe(validated);
      }
    }
  }, 120_000);

  it('shows how a job waits, and how it is downloaded so far, finished and validated again', async () => {
    const customer = await test.open({ credits: 10, requestsPerSecond: 1_000 });
    const environment = { url: test.house.gatewayUrls[0] ?? '', apiKey: customer.apiKey };
    const waiting = blocksOf(page, 'json').find(block => block.includes('waiting_for')) ?? '';
    const uploaded = await customer.send('/validation-jobs/pasted', {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: 'ada@ordinary.example, nobody@ordinary.example, ada@greylisting-slow.example',
    });
    const jobId = String(uploaded.body['job_id']);
    await customer.send(`/validation-jobs/${jobId}/start`, { method: 'POST' });
    const job = await untilJob(
      'the wait',
      customer,
      jobId,
      ({ done, waiting: waits }) => done === 2 && waits === 1,
    );
    expect(withoutTimes(job)).toMatchObject(withoutTimes(JSON.parse(waiting)));

    const body = { target: 'csv', source: { kind: 'validation_job', job_id: jobId } };
    const made = await customer.post('/exports', JSON.stringify(body));
    const exported = await untilExportEnded(customer, String(made.body['export_id']));
    expect(exported['rows']).toMatchObject({ total: 2, open: 1 });

    const commands = commandsOf(section('Finish without the last rows'));
    expect(commands.map(({ path }) => path.split('/').at(-1))).toEqual(['finish', 'revalidation']);
    const answers = [];
    for (const command of commands) {
      const answer = await runPageCommand(environment, command, text => text.replaceAll('$JOB', jobId));
      answers.push({ status: answer.status, body: JSON.parse(answer.text) });
    }
    expect(answers).toMatchObject([
      { status: 200, body: { state: 'succeeded', rows_open: 0, spent: 2, returned: 1 } },
      { status: 201, body: { state: 'ready', rows: { total: 1 }, cost_max: 1 } },
    ]);
  }, 120_000);

  it('names columns, results, problems and limits as the contract has them', () => {
    expect(namesIn('Download the results', 'column')).toEqual(exportedVerdictFields);
    expect(namesIn('Download the results', 'result')).toEqual(validationResults);
    expect(namesIn('Start the job and follow it', '`reason`')).toEqual(validationJobWaits);
    for (const type of emailTypes) {
      expect(section('Download the results')).toContain(`\`${type}\``);
    }
    expect(prices.validation).toBe(1);
    const codes = namesIn('Errors', 'code');
    expect(codes.filter(code => !Object.hasOwn(problemKinds, code))).toEqual([]);
    expect(codes).toEqual(
      expect.arrayContaining([...createValidationJob.problems, ...startValidationJob.problems]),
    );
    const refused = section('Errors');
    for (const words of [
      `${limits.jobRowsMax.toLocaleString('en')} rows`,
      `${limits.jobUploadBytesMax / 1_000_000} MB`,
      `${limits.jobColumnsMax} columns`,
      `${limits.cellCharactersMax.toLocaleString('en')} characters`,
      `${limits.uploadSilentMsMax / 1_000} seconds`,
      `${limits.uploadMsMax / 60_000} minutes`,
      `${limits.unstartedJobsMax} jobs`,
      `${limits.jobKeptDaysDefault} days`,
    ]) {
      expect(refused).toContain(words);
    }
    expect([limits.uploadsAtOnceMax, limits.activeJobsMax]).toEqual([3, 5]);
    expect(page).toContain(`paused for ${limits.jobPausedDaysMax} days`);
  });
});
