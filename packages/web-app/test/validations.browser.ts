import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@mailproof/dev-house';
import { workbookOf } from '@mailproof/dev-house/workbooks';
import { limits, problemKinds, sandboxDomain } from '@mailproof/shared-types';
import pg from 'pg';
import type { Page } from 'playwright-core';
import {
  type AppHouse,
  flawsOf,
  losesOneAnswer,
  openMenu,
  openSharedAppHouse,
  tabAndPress,
  tabAndType,
} from './app-house.ts';

const script = '<img src=x onerror=alert(1)>';
const breakout = '"><script>alert(1)</script>';
const longWord = 'W'.repeat(500);
const deadlineMs = 30_000;

let app: AppHouse;

beforeAll(async () => {
  app = await openSharedAppHouse();
});

afterAll(() => app?.stop());

/** Drops files like a user, with the browser's events, on the element with this text. */
async function drop(
  page: Page,
  files: Readonly<Record<string, Uint8Array>>,
  place = 'Drop CSV or Excel files here',
): Promise<void> {
  const texts = Object.entries(files).map(([name, octets]) => [name, Buffer.from(octets).toString('base64')]);
  const transfer = await page.evaluateHandle(
    `(() => {
      const transfer = new DataTransfer();
      for (const [name, text] of ${JSON.stringify(texts)}) {
        const octets = Uint8Array.from(atob(text), character => character.charCodeAt(0));
        transfer.items.add(new File([octets], name, { type: 'text/csv' }));
      }
      return transfer;
    })()`,
  );
  await page.getByText(place).dispatchEvent('drop', { dataTransfer: transfer });
}

async function paste(page: Page, text: string): Promise<void> {
  await page.goto(`${app.url}/validations/new`);
  await tabAndPress(page.getByRole('tab', { name: 'File' }), 'ArrowRight');
  await tabAndType(page.getByLabel('Addresses', { exact: true }), text);
  await tabAndPress(page.getByRole('button', { name: 'Continue' }));
  await page.getByRole('heading', { name: 'Ready to start' }).waitFor();
}

async function start(page: Page): Promise<void> {
  await tabAndPress(page.getByRole('button', { name: 'Start validation' }));
}

const untilDone = (page: Page) => page.getByText('Done', { exact: true }).waitFor({ timeout: deadlineMs });

/** Returns the indexes of the rendered rows, as screen readers report them. */
async function rowIndexes(page: Page): Promise<number[]> {
  return page.evaluate<number[]>(
    `[...document.querySelectorAll('[aria-label="Rows of the list"] [role=row]')].map(row => Number(row.getAttribute('aria-rowindex')))`,
  );
}

describe('a list of addresses', () => {
  it('is dropped as a file, previewed, started and read', async () => {
    const csv = [
      '\ufeffName;E-mail;City;Note',
      'Ada;ada@ordinary.example;London;"two\nlines"',
      'Nobody;nobody@ordinary.example;;',
      'Ada again;ADA@ordinary.example;Turin;',
      'Typo;grace.ordinary.example;;',
      'Empty;;;',
      'Grace;ada@google-workspace.example;;"a ""quote"""',
    ].join('\r\n');
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/validations');
    await page.getByRole('heading', { name: 'Upload a file to start' }).waitFor();
    expect(await flawsOf(page, 'validations-empty')).toEqual([]);
    await tabAndPress(page.getByRole('link', { name: 'Validate a list' }));
    await page.getByRole('heading', { name: 'Validate a list' }).waitFor();
    expect(await flawsOf(page, 'validations-new')).toEqual([]);

    await drop(page, { 'people.csv': Buffer.from(csv) });
    await page.getByRole('heading', { name: 'people.csv' }).waitFor();
    await page.getByText('At most 3 credits').waitFor();
    await page.getByText('delimited by semicolons').waitFor();
    for (const [name, count] of [
      ['Duplicates', 1],
      ['Malformed', 1],
      ['Blank', 1],
    ] as const) {
      await page.getByRole('button', { name: `${name} ${count}` }).waitFor();
    }
    expect(await page.getByRole('radio', { name: 'E-mail' }).isChecked()).toBe(true);
    expect(await flawsOf(page, 'validations-ready')).toEqual([]);
    await tabAndPress(page.getByRole('radio', { name: 'E-mail' }), 'ArrowDown');
    await page.getByRole('alert').getByText('No email addresses found').waitFor();
    await tabAndPress(page.getByRole('checkbox', { name: 'The first line contains column names' }), 'Space');
    await page.getByText('column_2').first().waitFor();
    await tabAndPress(
      page.getByRole('checkbox', { name: 'The first line contains column names', checked: false }),
      'Space',
    );
    await page.getByRole('radio', { name: 'E-mail' }).waitFor();

    await start(page);
    await untilDone(page);
    await page.getByRole('status').getByText('Status: Done').waitFor();
    await page.getByText('Reserved').waitFor();
    await page.getByRole('heading', { name: 'Results by mail provider' }).waitFor();
    for (const [name, value] of [
      ['Results by mail provider', 'Google Workspace'],
      ['Results by domain', 'ordinary.example'],
    ] as const) {
      const chart = page.getByRole('region', { name, exact: true });
      await chart.locator('.recharts-bar-rectangle').first().waitFor();
      await chart.getByText('Show as table').press('Enter');
      await chart.getByRole('table').getByText(value, { exact: true }).waitFor();
      await chart.getByText('Show as table').press('Enter');
    }
    await page
      .getByRole('region', { name: 'Reasons' })
      .getByText('Its mail server knows this mailbox', { exact: false })
      .waitFor();
    expect(await flawsOf(page, 'validations-done')).toEqual([]);

    // The rows follow the results, so that the effect of a filter is in sight.
    const headings = await page.getByRole('heading', { level: 2 }).allTextContents();
    expect(headings.indexOf('Rows')).toBeLessThan(headings.indexOf('Results by mail provider'));
    await tabAndPress(page.getByRole('button', { name: 'Invalid 2', exact: true }));
    await page.getByRole('table').getByText('nobody@ordinary.example').waitFor();
    expect(new URL(page.url()).searchParams.get('show')).toBe('invalid');
    await page.reload();
    await tabAndPress(page.getByRole('button', { name: 'grace.ordinary.example: details of row 4' }));
    const drawer = page.getByRole('dialog', { name: 'Row 4' });
    await drawer.getByText('The @ is missing.').waitFor();
    await page.keyboard.press('Escape');
    await tabAndPress(page.getByRole('button', { name: /^All 6/ }));
    await tabAndPress(
      page.getByRole('button', { name: 'ada@ordinary.example: details of row 1', exact: true }),
    );
    await page
      .getByRole('dialog', { name: 'Row 1' })
      .getByText(/two\s+lines/)
      .waitFor();
    expect(await flawsOf(page, 'validations-row')).toEqual([]);
    await page.keyboard.press('Escape');

    await tabAndPress(page.getByRole('button', { name: 'More actions' }));
    await page.getByRole('menuitem', { name: 'Rename' }).press('Enter');
    await tabAndType(page.getByLabel('Name', { exact: true }), breakout);
    await tabAndPress(page.getByRole('button', { name: 'Save' }));
    await page.getByRole('heading', { name: breakout }).waitFor();
    await openMenu(page);
    await tabAndPress(page.getByRole('link', { name: 'Validate lists' }));
    await page.getByRole('link', { name: breakout }).waitFor();
    expect(await flawsOf(page, 'validations-list')).toEqual([]);
    await page.getByLabel('Status').selectOption('running');
    await page.getByRole('heading', { name: 'No list has the status “In progress”' }).waitFor();
    await page.getByLabel('Status').selectOption('succeeded');
    await tabAndPress(page.getByRole('button', { name: `Delete ${breakout}` }));
    await tabAndPress(page.getByRole('dialog').getByRole('button', { name: 'Delete' }));
    await page.getByRole('heading', { name: 'No list has the status “Done”' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('shows its progress, even after a reload, waits for greylisting servers, pauses and is canceled', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/validations');
    await paste(page, 'ada@ordinary.example\nada@greylisting-slow.example\nnobody@ordinary.example\n');
    await start(page);
    await page.getByText(/^1 row waits for greylisting until /).waitFor({ timeout: deadlineMs });
    await page.reload();
    await page.getByRole('progressbar', { name: 'Finished rows' }).waitFor();
    await page.getByText('2 of 3 rows are finished').waitFor({ timeout: deadlineMs });
    await page.getByText(/Next attempt: .*Addresses by mail server: \S+ \(1\)\.$/).waitFor();
    // The table shows known results before the job ends.
    await page.getByRole('table').getByText('Pending').waitFor();
    await page.getByRole('table').getByText('Mailbox does not exist').waitFor();
    expect(await flawsOf(page, 'validations-waiting')).toEqual([]);
    await tabAndPress(page.getByRole('button', { name: 'Pause' }));
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    expect(await flawsOf(page, 'validations-paused')).toEqual([]);
    await tabAndPress(page.getByRole('button', { name: 'Resume' }));
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await tabAndPress(page.getByRole('button', { name: 'Cancel', exact: true }));
    await tabAndPress(page.getByRole('dialog').getByRole('button', { name: 'Cancel validation' }));
    await page.getByText('The validation was canceled').waitFor();
    await page.getByRole('link', { name: '998 credits available' }).waitFor();
    await tabAndPress(page.getByRole('button', { name: /^No result 1/ }));
    await page.getByRole('table').getByText('ada@greylisting-slow.example').waitFor();
    expect(await flawsOf(page, 'validations-cancelled')).toEqual([]);
    await page.getByText('1 row has no clear result, and was free.').waitFor();
    await tabAndPress(page.getByRole('button', { name: 'Validate remaining rows' }));
    await page.getByRole('heading', { name: 'Ready to start' }).waitFor();
    await page.getByText('At most 1 credit').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('is downloaded so far, finished before its end, and its remaining row is validated, by keyboard', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/validations');
    await paste(page, 'ada@ordinary.example\nada@greylisting-slow.example\nnobody@ordinary.example\n');
    await start(page);
    await page.getByText('2 of 3 rows are finished').waitFor({ timeout: deadlineMs });

    await tabAndPress(page.getByRole('button', { name: 'Download results so far' }));
    const drawer = page.getByRole('dialog', { name: 'Export' });
    await drawer.getByText('1 row has no result yet and is not included').waitFor();
    await tabAndPress(drawer.getByRole('radio', { name: 'Usable only' }), 'ArrowDown');
    await drawer.getByText('2 rows', { exact: true }).waitFor();
    expect(await flawsOf(page, 'validations-so-far')).toEqual([]);
    const downloading = page.waitForEvent('download');
    await tabAndPress(drawer.getByRole('button', { name: 'Download file' }));
    const download = await downloading;
    expect(download.suggestedFilename()).toMatch(/ partial \d{4}-\d{2}-\d{2}\.csv$/);
    await drawer.getByText('Partial: 1 row had no result yet').waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });

    const finish = page.getByRole('button', { name: 'Finish now' });
    await tabAndPress(finish);
    const dialog = page.getByRole('dialog', { name: 'Finish this validation now?' });
    await dialog
      .getByText(
        '1 row without a result becomes “Unknown”, free of charge. 2 of 3 reserved credits will be charged, and 1 returned.',
      )
      .waitFor();
    expect(await flawsOf(page, 'validations-finish')).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(await page.locator(':focus').textContent()).toBe('Finish now');
    await tabAndPress(finish);
    await tabAndPress(dialog.getByRole('button', { name: 'Finish now' }));
    await untilDone(page);
    await page.getByText('1 row has no clear result, and was free.').waitFor();
    await page.getByRole('table').getByText('Finished before a result').first().waitFor();
    expect(await flawsOf(page, 'validations-finished')).toEqual([]);

    await tabAndPress(page.getByRole('button', { name: 'Validate remaining rows' }));
    await page.getByRole('heading', { name: 'Ready to start' }).waitFor();
    await page.getByRole('heading', { name: /, remaining rows$/ }).waitFor();
    await page.getByText('At most 1 credit').waitFor();
    expect(await flawsOf(page, 'validations-again')).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('is compared with an earlier validation, address by address, by keyboard', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/validations');
    await paste(page, 'ada@ordinary.example\ngrace@ordinary.example\nnobody@ordinary.example\n');
    await start(page);
    await untilDone(page);
    const earlier = page.url();
    const choice = page.getByLabel('Compare with an earlier validation');
    expect(await choice.count()).toBe(0);
    // The mailbox of the earlier list was missing, and exists by now.
    const engine = new pg.Client({
      connectionString: app.house.databaseUrls['validation']?.migrationDatabaseUrl ?? '',
      options: '-c search_path=validation',
    });
    await engine.connect();
    const { rowCount } = await engine.query(
      `UPDATE validation_job_address SET result = 'invalid', reason = 'mailbox_missing'
       WHERE email = 'ada@ordinary.example' AND job_no = (SELECT job_no FROM validation_job WHERE job_id = $1)`,
      [earlier.split('/').at(-1)],
    );
    await engine.end();
    expect(rowCount).toBe(1);

    await paste(page, 'ADA@ordinary.example\nnobody@ordinary.example\nalan@ordinary.example\n');
    await start(page);
    await untilDone(page);
    await tabAndPress(choice, 'ArrowDown');
    await page
      .getByText(
        '1 address has another result; 1 unchanged, 1 only in this list, 1 only in the earlier list.',
      )
      .waitFor();
    const changes = page.getByRole('list', { name: 'Changes by result' }).getByRole('listitem');
    expect(await changes.allTextContents()).toEqual(['1InvalidOK']);
    await page.reload();
    await page.getByRole('region', { name: 'Changed addresses' }).getByText('ADA@ordinary.example').waitFor();
    expect(await flawsOf(page, 'validations-compared')).toEqual([]);
    const downloading = page.waitForEvent('download');
    await tabAndPress(page.getByRole('link', { name: 'Download changed addresses' }));
    const file = await downloading;
    expect(file.suggestedFilename()).toBe('changed-addresses.csv');
    const lines = (await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(/^ADA@ordinary\.example,invalid,mailbox_missing,.+,ok,/);
    // From the earlier list, “Before” and “Now” would be the wrong way round.
    const offered = page.waitForResponse(response => response.url().endsWith('/validation-jobs?limit=100'));
    const later = new URL(page.url()).pathname.split('/').at(-1);
    await page.goto(earlier);
    await offered;
    await page.getByRole('heading', { name: 'Results by domain' }).waitFor();
    expect(await choice.count()).toBe(0);
    // A URL can name a job that is not offered.
    await page.goto(`${earlier}?earlier=${later}`);
    await choice.locator('option:checked', { hasText: /^Pasted .*[AP]M$/ }).waitFor({ state: 'attached' });
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('is one of several files that are dropped on the page of lists, priced and started together', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/validations');
    await page.getByRole('heading', { name: 'Upload a file to start' }).waitFor();
    const rows = [
      ['Name', 'E-mail'],
      ['Ada', 'ada@ordinary.example'],
      ['Nobody', 'nobody@ordinary.example'],
    ];
    const files = {
      'people.xlsx': await workbookOf({ sheets: { People: rows, Other: [] } }),
      'more.csv': Buffer.from('Address;Age\nada@google-workspace.example;36\n'),
      'broken.xlsx': Buffer.from([0x50, 0x4b, 3, 4, 0, 0]),
    };
    await drop(page, files, 'Drop files anywhere on this page.');
    await page.getByRole('status').getByText('2 ready to start, 1 not uploaded.').waitFor();
    const table = page.getByRole('region', { name: 'Files', exact: true }).getByRole('table');
    await table.getByRole('row', { name: 'people.xlsx Ready to start E-mail 2 2 credits' }).waitFor();
    await table.getByRole('row', { name: 'more.csv Ready to start Address 1 1 credit' }).waitFor();
    await table.getByRole('row', { name: 'broken.xlsx Not uploaded' }).waitFor();
    await page.getByText('At most 3 credits').waitFor();
    await page
      .getByRole('list', { name: 'Files with errors' })
      .getByText(/damaged or cut off/)
      .waitFor();
    expect(await flawsOf(page, 'validations-files')).toEqual([]);

    await page.getByRole('button', { name: 'Start 2 lists' }).press('Enter');
    await page.getByRole('status').getByText('1 not uploaded, 2 started.').waitFor();
    await table.getByRole('link', { name: 'people.xlsx' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'people.xlsx' }).waitFor();
    await untilDone(page);
    // The results come back in the format of the file.
    await page.getByRole('button', { name: 'Export', exact: true }).press('Enter');
    const drawer = page.getByRole('dialog', { name: 'Export' });
    await drawer.getByText(/^1 row with/).waitFor();
    expect(await flawsOf(page, 'validations-export-workbook')).toEqual([]);
    const downloading = page.waitForEvent('download');
    await drawer.getByRole('button', { name: 'Download file' }).press('Enter');
    const workbook = await downloading;
    expect(workbook.suggestedFilename()).toMatch(/^people \d{4}-\d\d-\d\d\.xlsx$/);
    expect((await readFile(await workbook.path())).subarray(0, 2).toString()).toBe('PK');
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
    await page.goBack();
    await page.getByRole('link', { name: 'more.csv' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('is a file that is dropped on any screen, or next to the place for files', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/usage');
    const file = Buffer.from('email\nada@ordinary.example\n');
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    await drop(page, { 'dropped.csv': file }, 'Credits spent, by operation and day.');
    await page.getByRole('heading', { level: 1, name: 'dropped.csv' }).waitFor();
    await page.goto(`${app.url}/validations/new`);
    await page.getByRole('tab', { name: 'Paste' }).click();
    // Text is dropped into a field, and cells of a spreadsheet are pasted there, although they come with a picture.
    await page.getByLabel('Addresses', { exact: true }).waitFor();
    const areLeft = await page.evaluate<boolean[]>(`(() => {
      const field = document.querySelector('textarea');
      const transfer = files => {
        const held = new DataTransfer();
        held.setData('text/plain', 'ada@ordinary.example');
        for (const file of files) held.items.add(file);
        return held;
      };
      const picture = new File(['x'], 'cells.png', { type: 'image/png' });
      const given = { bubbles: true, cancelable: true };
      return [
        new DragEvent('dragover', { ...given, dataTransfer: transfer([]) }),
        new DragEvent('drop', { ...given, dataTransfer: transfer([]) }),
        new ClipboardEvent('paste', { ...given, clipboardData: transfer([picture]) }),
      ].map(event => field.dispatchEvent(event));
    })()`);
    expect(areLeft).toEqual([true, true, true]);
    await drop(page, { 'next.csv': file }, 'Upload a file or paste addresses.');
    await page.getByRole('heading', { level: 1, name: 'next.csv' }).waitFor();
    await openMenu(page);
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await drop(page, { 'one.csv': file, 'two.csv': file }, 'First steps');
    await page.getByRole('status').getByText('2 ready to start.').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('waits for the screen of lists alone when it is dropped elsewhere', async () => {
    const { context, page } = await app.signedIn(await app.customer(), '/usage');
    const uploads: string[] = [];
    page.on('request', request => {
      if (request.method() === 'POST') uploads.push(new URL(request.url()).pathname);
    });
    // The screen of lists never arrives, and the user goes elsewhere.
    await page.route(/\/new-job-screen[^/]*\.js$/, () => undefined);
    await drop(
      page,
      { 'lost.csv': Buffer.from('email\nada@ordinary.example\n') },
      'Credits spent, by operation and day.',
    );
    await openMenu(page);
    await page.getByRole('link', { name: 'Saved', exact: true }).click();
    const listed = page.waitForResponse(answer => answer.url().includes('/people-imports'));
    await page.getByRole('link', { name: 'Import people' }).click();
    await page.getByText('Drop a CSV or Excel file here').waitFor();
    await listed;
    expect(uploads).toEqual([]);
    await context.close();
  });

  it('is uploaded again when its connection broke or it was canceled, alone and among several, by keyboard', async () => {
    const { context, page } = await app.signedIn(await app.customer(), '/validations/new');
    const uploads = '**/app/v1/validation-jobs?*';
    const file = (name: string) => ({
      name,
      mimeType: 'text/csv',
      buffer: Buffer.from('email\nada@ordinary.example\n'),
    });
    const input = page.getByLabel('File with addresses');
    const breakOnce = () => page.route(uploads, route => route.abort('connectionreset'), { times: 1 });
    await breakOnce();
    await input.setInputFiles(file('alone.csv'));
    await page.getByRole('alert').getByText('The upload failed').waitFor();
    expect(await flawsOf(page, 'validations-upload-failed')).toEqual([]);
    await tabAndPress(page.getByRole('button', { name: 'Try again' }));
    await page.getByRole('heading', { level: 1, name: 'alone.csv' }).waitFor();

    await page.goto(`${app.url}/validations/new`);
    await breakOnce();
    await input.setInputFiles(['one.csv', 'two.csv'].map(file));
    const status = page.getByRole('status');
    await status.getByText('1 ready to start, 1 not uploaded.').waitFor();
    await tabAndPress(page.getByRole('button', { name: 'Upload 1 file again' }));
    await status.getByText('2 ready to start.').waitFor();

    await page.goto(`${app.url}/validations/new`);
    // Without `times`, by which Playwright would continue the request.
    await page.route(uploads, () => undefined);
    await input.setInputFiles(['three.csv', 'four.csv'].map(file));
    await status.getByText('1 waiting, 1 uploading.').waitFor();
    await tabAndPress(page.getByRole('button', { name: 'Cancel upload' }));
    await status.getByText('2 not uploaded.').waitFor();
    expect(await flawsOf(page, 'validations-files-canceled')).toEqual([]);
    await page.unroute(uploads);
    await tabAndPress(page.getByRole('button', { name: 'Upload 2 files again' }));
    await status.getByText('2 ready to start.').waitFor();
    // Nothing is being uploaded, so leaving needs no confirmation.
    await openMenu(page);
    await tabAndPress(page.getByRole('link', { name: 'Home', exact: true }));
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await context.close();
  });

  it('becomes one list if only its answer is lost, alone, among several and pasted, by keyboard', async () => {
    const { context, page } = await app.signedIn(await app.customer(), '/validations/new');
    const file = (name: string) => ({
      name,
      mimeType: 'text/csv',
      buffer: Buffer.from('email\nada@ordinary.example\n'),
    });
    const input = page.getByLabel('File with addresses');
    async function loseAnswer() {
      await page.goto(`${app.url}/validations/new`);
      await page.evaluate(losesOneAnswer);
      const arrived = page.waitForResponse(
        answer => answer.request().method() === 'POST' && /\/validation-jobs(\/pasted)?\?/.test(answer.url()),
      );
      return async () => expect((await arrived).status()).toBe(201);
    }
    const alone = await loseAnswer();
    await input.setInputFiles(file('alone.csv'));
    await alone();
    await page.getByRole('alert').getByText('The upload failed').waitFor();
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'alone.csv' }).waitFor();

    const several = await loseAnswer();
    await input.setInputFiles(['one.csv', 'two.csv'].map(file));
    await several();
    const status = page.getByRole('status');
    await status.getByText('1 ready to start, 1 not uploaded.').waitFor();
    await page.getByRole('button', { name: 'Upload 1 file again' }).press('Enter');
    await status.getByText('2 ready to start.').waitFor();

    const pasted = await loseAnswer();
    await page.getByRole('tab', { name: 'Paste' }).click();
    await page.getByRole('textbox', { name: 'Addresses' }).fill('ada@ordinary.example');
    await page.getByRole('button', { name: 'Continue' }).press('Enter');
    await pasted();
    await page.getByRole('alert').getByText('The upload failed').waitFor();
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: /^Pasted/ }).waitFor();

    const { jobs } = await (await context.request.get(`${app.url}/v1/validation-jobs`)).json();
    const names = jobs.map(({ name }: { name: string }) => name.replace(/^Pasted.*/, 'Pasted'));
    expect(names.toSorted()).toEqual(['Pasted', 'alone.csv', 'one.csv', 'two.csv']);
    await context.close();
  }, 120_000);

  it('says that the first upload is still being read, and can be repeated', async () => {
    const { context, page } = await app.signedIn(await app.customer(), '/validations/new');
    const { title, remedy, status } = problemKinds.idempotency_key_in_use;
    const problem = { type: '', title, remedy, status, code: 'idempotency_key_in_use' };
    const contentType = 'application/problem+json';
    const uploads = '**/app/v1/validation-jobs?*';
    await page.route(uploads, route => route.fulfill({ status, json: problem, contentType }), { times: 1 });
    const buffer = Buffer.from('email\nada@ordinary.example\n');
    await page
      .getByLabel('File with addresses')
      .setInputFiles({ name: 'read.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('alert').getByText('Your first upload of this list is still being read.').waitFor();
    expect(await flawsOf(page, 'validations-key-in-use')).toEqual([]);
    await page.getByRole('button', { name: 'Upload again' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'read.csv' }).waitFor();
    await context.close();
  });

  it('is another sheet of the workbook, or text in another encoding, without choosing the file again, by keyboard', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/validations/new');
    const input = page.getByLabel('File with addresses');
    const [lost, others] = ['ada', 'grace'].map(name => [['E-mail'], [`${name}@ordinary.example`]]);
    const buffer = await workbookOf({
      sheets: { Cover: [['Read this first']], People: lost ?? [], Others: others ?? [] },
    });
    await input.setInputFiles({ name: 'sheets.xlsx', mimeType: 'text/csv', buffer });
    await page
      .getByRole('alert')
      .getByText('The sheet “Cover” has 1 column and no email address. The other sheets: “People”, “Others”.')
      .waitFor();
    expect(await flawsOf(page, 'validations-other-sheet')).toEqual([]);
    await page.getByRole('button', { name: 'Read “People”' }).press('Enter');
    await page.getByText('the sheet “People” of an Excel workbook').waitFor();

    await page.getByLabel('Sheet', { exact: true }).selectOption('Others');
    await page.getByRole('button', { name: 'Read the file again' }).press('Enter');
    await page.getByText('the sheet “Others” of an Excel workbook').waitFor();
    await page.getByRole('table').getByText('grace@ordinary.example').first().waitFor();
    expect(await flawsOf(page, 'validations-sheets')).toEqual([]);

    await page.goto(`${app.url}/validations/new`);
    const cyrillic = Buffer.from('name;email\n\xc6\xe0\xed\xed\xe0;ada@ordinary.example\n', 'latin1');
    await input.setInputFiles({ name: 'names.csv', mimeType: 'text/csv', buffer: cyrillic });
    await page.getByText('choose the encoding below').waitFor();
    await page.getByLabel('Encoding').selectOption('windows-1251');
    await page.getByRole('button', { name: 'Read the file again' }).press('Enter');
    await page.getByRole('table').getByText('Жанна').first().waitFor();

    // A user who goes elsewhere meanwhile stays there.
    const answering = Promise.withResolvers<void>();
    await page.route('**/validation-jobs?*', async route => {
      if (route.request().method() === 'POST') await answering.promise;
      await route.continue();
    });
    await page.getByLabel('Delimiter').selectOption(';');
    await page.getByRole('button', { name: 'Read the file again' }).press('Enter');
    await openMenu(page);
    await page.getByRole('link', { name: 'Usage', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    answering.resolve();
    await page.getByText('The file was read again.').waitFor();
    expect(new URL(page.url()).pathname).toMatch(/\/usage$/);
    await page.unrouteAll();
    // The lists that were read wrongly are gone.
    await openMenu(page);
    await page.getByRole('link', { name: 'Validate lists' }).click();
    const lists = page.getByRole('link', { name: /sheets\.xlsx|names\.csv/ });
    await waitFor('Two lists are left', async () => (await lists.count()) === 2, { deadlineMs: 30_000 });
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('is refused in words that say what to do', async () => {
    const { context, page, complaints } = await app.signedIn(
      await app.customer({ credits: 0 }),
      '/validations/new',
    );
    const input = page.getByLabel('File with addresses');
    const refusals = [
      ['book.xlsx', Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0, 0]), /damaged or cut off/],
      ['names.csv', Buffer.from('name\nAda\n'), /one column contains email addresses/],
      ['empty.csv', Buffer.from('\n'), /save it as CSV|empty/],
    ] as const;
    for (const [name, buffer, words] of refusals) {
      await input.setInputFiles({ name, mimeType: 'text/csv', buffer });
      await page.getByRole('alert').getByText(words).first().waitFor();
      if (name === 'book.xlsx') expect(await flawsOf(page, 'validations-refused')).toEqual([]);
    }
    const folder = await mkdtemp(join(tmpdir(), 'mailproof-upload-'));
    const tooLarge = join(folder, 'large.csv');
    await writeFile(tooLarge, '');
    await truncate(tooLarge, limits.jobUploadBytesMax + 100_000);
    await input.setInputFiles(tooLarge);
    await page.getByText('The file has 100.1 MB; the limit is 100 MB.').waitFor();
    await rm(folder, { recursive: true });
    await page.getByRole('tab', { name: 'Paste' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Paste some addresses first.').waitFor();
    await page.getByLabel('Addresses', { exact: true }).fill('nobody here has one');
    await page.getByRole('button', { name: 'Continue' }).press('Enter');
    await page
      .getByRole('alert')
      .getByText(/one column contains email addresses/)
      .waitFor();
    // The user does not need to paste or find anything again.
    expect(await page.getByLabel('Addresses', { exact: true }).inputValue()).toBe('nobody here has one');
    expect(await page.locator(':focus').textContent()).toBe('Continue');
    await page.getByRole('button', { name: 'Insert example' }).click();
    expect(await flawsOf(page, 'validations-paste')).toEqual([]);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('11 credits short: you have 0.').waitFor();
    await start(page);
    await page.getByRole('alert').getByText('Not enough credits').waitFor();
    await page.goto(`${app.url}/validations/vjob_1`);
    await page.getByRole('heading', { name: 'List not found' }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('shows how much of it has been sent, stops at a press, and asks before the user leaves', async () => {
    const { context, page } = await app.signedIn(await app.customer(), '/validations/new');
    let isHeld = true;
    let release = () => {};
    const held = new Promise<void>(resolve => {
      release = resolve;
    });
    await page.route('**/app/v1/validation-jobs?*', async route => {
      if (isHeld && route.request().method() === 'POST') await held;
      // The stopped upload is no longer there.
      await route.continue().catch(() => undefined);
    });
    const file = {
      name: 'slow.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('email\nada@ordinary.example\n'),
    };
    const input = page.getByLabel('File with addresses');
    await input.setInputFiles(file);
    await page.getByRole('progressbar', { name: 'Uploading slow.csv' }).waitFor();
    expect(await flawsOf(page, 'validations-sending')).toEqual([]);
    await page.getByRole('button', { name: 'Cancel upload' }).click();
    await page.getByText('Drop CSV or Excel files here').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);

    await input.setInputFiles(file);
    await openMenu(page);
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel the upload?' });
    await dialog.getByRole('button', { name: 'Keep uploading' }).click();
    await page.getByRole('progressbar', { name: 'Uploading slow.csv' }).waitFor();
    await openMenu(page);
    await page.getByRole('link', { name: 'Home', exact: true }).click();
    await dialog.getByRole('button', { name: 'Cancel upload' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    release();
    isHeld = false;
    await openMenu(page);
    await page.getByRole('link', { name: 'Validate lists' }).click();
    await page.getByRole('heading', { name: 'Upload a file to start' }).waitFor();

    // A user whose session has expired returns to the same screen after signing in.
    await page.getByRole('link', { name: 'Validate a list' }).click();
    await page.getByText('Drop CSV or Excel files here').waitFor();
    await context.clearCookies();
    await input.setInputFiles(file);
    await page.getByText('Your session has ended.').waitFor();
    expect(new URL(page.url()).searchParams.get('next')).toBe('/validations/new');
    await context.close();
  });

  it('focuses its heading after a navigation, and starts with the price of the latest choice', async () => {
    const { context, page } = await app.signedIn(await app.customer(), '/validations/new');
    await page.getByLabel('File with addresses').setInputFiles({
      name: 'two.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(
        'work,home\nada@ordinary.example,ada@ordinary.example\ngrace@ordinary.example,ada@ordinary.example\n',
      ),
    });
    await page.getByText('At most 2 credits').waitFor();
    await openMenu(page);
    await page.getByRole('link', { name: 'Validate lists' }).click();
    await page.getByRole('link', { name: 'two.csv' }).press('Enter');
    await page.getByText('At most 2 credits').waitFor();
    await waitFor(
      'the focus to be at the heading',
      async () => (await page.locator('h1:focus').textContent({ timeout: 1_000 })) === 'two.csv',
      { deadlineMs },
    );
    let answer = () => {};
    const held = new Promise<void>(resolve => {
      answer = resolve;
    });
    await page.route('**/app/v1/validation-jobs/vjob_*', async route => {
      if (route.request().method() === 'PUT') await held;
      await route.continue();
    });
    await page.getByRole('radio', { name: 'home' }).click();
    await page.locator('button[aria-busy="true"]', { hasText: 'Start' }).waitFor();
    answer();
    await page.getByText('At most 1 credit').waitFor();
    await start(page);
    await untilDone(page);
    await context.close();
  });

  it('is one of many, of which the next page is there once however often it is asked for', async () => {
    const { context, page } = await app.signedIn(await app.customer(), '/validations/new');
    await paste(page, 'ada@ordinary.example\n');
    let answer = () => {};
    const held = new Promise<void>(resolve => {
      answer = resolve;
    });
    await page.route('**/app/v1/validation-jobs?limit=25*', async route => {
      const isFirst = !route.request().url().includes('cursor=');
      if (!isFirst) await held;
      const { jobs } = (await (await route.fetch({ url: `${app.url}/v1/validation-jobs` })).json()) as {
        jobs: object[];
      };
      await route.fulfill({ json: isFirst ? { jobs, next_cursor: 'second' } : { jobs: [] } });
    });
    await openMenu(page);
    await page.getByRole('link', { name: 'Validate lists' }).click();
    const next = page.getByRole('button', { name: 'Next' });
    await next.press('Enter');
    await next.press('Enter');
    answer();
    await page.getByRole('heading', { name: 'No more lists' }).waitFor();
    await page.getByText('Page 2').waitFor();
    await page.getByRole('button', { name: 'Previous' }).click();
    await page.getByText('Page 1').waitFor();
    await context.close();
  });

  it('of a test key is marked, and apart from the others', async () => {
    const { context, page } = await app.signedIn(await app.customer(), '/validations/new');
    await paste(page, 'ada@ordinary.example\n');
    const key = { name: 'CI', mode: 'test', scopes: ['validation'] };
    const { api_key } = (await page.evaluate(
      `fetch('/app/v1/api-keys', { method: 'POST', headers: { 'content-type': 'application/json' },
        body: '${JSON.stringify(key)}' }).then(answer => answer.json())`,
    )) as { api_key: string };
    const headers = { 'x-api-key': api_key, 'content-type': 'application/json' };
    const jobs = new URL('/api/v1/validation-jobs', app.url);
    const body = JSON.stringify(['ok', 'invalid'].map(name => `${name}@${sandboxDomain}`));
    const made = await fetch(`${jobs}?name=Nightly+build`, { method: 'POST', headers, body });
    const { job_id } = (await made.json()) as { job_id: string };
    await fetch(`${jobs}/${job_id}/start`, { method: 'POST', headers });
    await openMenu(page);
    await page.getByRole('link', { name: 'Validate lists' }).click();
    await page.getByRole('link', { name: /^Pasted / }).waitFor();
    expect(await page.getByText('Nightly build').count()).toBe(0);
    await page.getByLabel('Created with').selectOption('Test keys');
    const row = page.getByRole('row', { name: /Nightly build/ });
    await row.getByText('Test', { exact: true }).waitFor();
    await row.getByText('Done', { exact: true }).waitFor({ timeout: deadlineMs });
    expect(await page.getByRole('link', { name: /^Pasted / }).count()).toBe(0);
    expect(await flawsOf(page, 'lists-of-test-keys')).toEqual([]);
    await context.close();
  });

  it('shows any input as text, even markup', async () => {
    const cell = `"${script.replaceAll('"', '""')}"`;
    const name = `${script}${'W'.repeat(60)}.csv`;
    const header = [cell, 'email', `"${breakout.replaceAll('"', '""')}"`, longWord];
    const csv = [header.join(','), [cell, 'ada@ordinary.example', cell, longWord].join(',')].join('\n');
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/validations/new');
    await page.getByLabel('File with addresses').setInputFiles({
      name,
      mimeType: 'text/csv',
      buffer: Buffer.from(`${csv}\n`),
    });
    await page.getByRole('heading', { name }).waitFor();
    await page.getByText(script, { exact: true }).first().waitFor();
    expect(await flawsOf(page, 'validations-hostile')).toEqual([]);
    await start(page);
    await untilDone(page);
    await page.getByRole('button', { name: /ada@ordinary.example: details of row 1$/ }).click();
    await page.getByRole('dialog').getByText(longWord).first().waitFor();
    expect(await flawsOf(page, 'validations-hostile-row')).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Columns/ }).click();
    await page.getByRole('dialog').getByLabel(/^W+$/).uncheck();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Columns (2 of 3)' }).waitFor();
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    await page.getByRole('dialog', { name: 'Export' }).getByText(name).waitFor();
    expect(await flawsOf(page, 'validations-hostile-export')).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('columnheader', { name: /^W+$/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('is scrolled to its end by keyboard, under a filter too', async () => {
    const addresses = ['ada@ordinary.example', 'nobody@ordinary.example', 'grace@ordinary.example'];
    const lines = Array.from({ length: 1_500 }, (_, at) => `${addresses[at % 3]},${at + 1}`);
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/validations/new');
    await page.getByLabel('File with addresses').setInputFiles({
      name: 'many.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`email,number\n${lines.join('\n')}\n`),
    });
    await start(page);
    await untilDone(page);
    const rows = page.getByRole('region', { name: 'Rows of the list' });
    await rows.getByRole('button', { name: / row 1$/ }).waitFor();
    expect(await page.getByRole('table', { name: '' }).last().getAttribute('aria-rowcount')).toBe('1501');
    await rows.focus();
    await page.keyboard.press('End');
    await rows.getByRole('button', { name: / row 1500$/ }).waitFor();
    expect((await rowIndexes(page)).at(-1)).toBe(1_501);
    // Rows out of view are not rendered.
    expect((await rowIndexes(page)).length).toBeLessThan(60);
    await page
      .getByRole('button', { name: /^Invalid 500/ })
      .last()
      .click();
    await rows.getByRole('button', { name: / row 2$/ }).waitFor();
    await rows.focus();
    await page.keyboard.press('End');
    await rows.getByRole('button', { name: / row 1499$/ }).waitFor();
    await waitFor('the last position of the filter', async () => (await rowIndexes(page)).at(-1) === 501, {
      deadlineMs,
    });
    expect(complaints).toEqual([]);
    await context.close();
  });
});
