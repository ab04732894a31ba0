import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AppHouse,
  flawsOf,
  losesOneAnswer,
  openAppHouse,
  openMenu,
  tabAndPress,
  tabAndType,
} from './app-house.ts';

let app: AppHouse;

beforeAll(async () => {
  app = await openAppHouse({ only: ['gateway', 'credit-ledger', 'enrichment'] });
}, 240_000);

afterAll(() => app?.stop());

const url = (slug: string) => `https://www.linkedin.com/in/${slug}`;
const csv = [
  'Who,Link,Position,Employer,Mail,<b>Note</b>',
  ...Array.from({ length: 700 }, (_, at) => `Person ${at},${url(`p${at}`)},Engineer,Acme,p${at}@acme.test,x`),
  'No profile,,,,,',
].join('\n');
const fileOf = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

describe('importing people', () => {
  it('goes from the file over its columns and a preview to the saved people', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/saved');
    await tabAndPress(page.getByRole('link', { name: 'Import people' }));
    await page.getByRole('heading', { name: 'Import people' }).waitFor();
    expect(await flawsOf(page, 'people-imports')).toEqual([]);

    const input = page.getByLabel('File of people');
    await input.setInputFiles(fileOf('book.xlsx', 'PK\u0003\u0004'));
    await page.getByRole('alert').getByText('The file cannot be read').waitFor();

    await input.setInputFiles(fileOf('people.csv', csv));
    await page.getByRole('heading', { name: 'people.csv', exact: true }).waitFor();
    await page.getByText('Email addresses are not stored').waitFor();
    await page.getByText('Choose the column with the names.').waitFor();
    const preview = page.getByRole('button', { name: 'Preview' });
    expect(await preview.isDisabled()).toBe(true);
    await page.getByLabel('Import Who as').selectOption('Full name');
    await page.getByLabel('Import Employer as').selectOption('Full name');
    await page.getByText('Another column has this field too.').first().waitFor();
    await page.getByLabel('Import Employer as').selectOption('Company name');
    expect(await flawsOf(page, 'people-import-columns')).toEqual([]);
    await tabAndPress(preview);
    const focused = page.locator(':focus');
    await page.getByRole('region', { name: 'Preview' }).and(focused).waitFor();
    await page.getByRole('heading', { name: 'What would change', exact: true }).waitFor();
    await page.getByText('It has no profile URL.').waitFor();
    expect(await flawsOf(page, 'people-import-preview')).toEqual([]);

    await page.getByLabel('Put everyone into a list (optional)').selectOption('New list “people.csv”');
    await tabAndPress(page.getByRole('button', { name: 'Import 700 people' }));
    await page.getByRole('region', { name: 'Result' }).and(focused).waitFor();
    expect(await flawsOf(page, 'people-import-result')).toEqual([]);
    const downloading = page.waitForEvent('download');
    await tabAndPress(page.getByRole('link', { name: 'Download refused rows' }));
    expect((await downloading).suggestedFilename()).toBe('refused-rows.csv');

    await tabAndPress(page.getByRole('link', { name: 'Show the list' }));
    await page.getByRole('heading', { name: 'people.csv' }).waitFor();
    await tabAndType(page.getByLabel('Name, title or company'), 'Person 42');
    await page.getByRole('button', { name: 'Person 1', exact: true }).waitFor({ state: 'detached' });
    await tabAndPress(page.getByRole('button', { name: 'Person 42', exact: true }));
    await page.getByText('Your import: people.csv').first().waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  }, 240_000);

  it('asks before the user leaves the upload, and is uploaded again when its connection broke', async () => {
    const { context, page } = await app.signedIn(await app.customer(), '/saved/imports');
    const input = page.getByLabel('File of people');
    const uploads = '**/app/v1/people-imports?*';
    // Without `times`, by which Playwright would continue the request.
    await page.route(uploads, () => undefined);
    await input.setInputFiles(fileOf('people.csv', csv));
    await page.getByRole('heading', { name: 'Uploading people.csv' }).waitFor();
    await openMenu(page);
    await page.getByRole('link', { name: 'Home', exact: true }).press('Enter');
    const leaving = page.getByRole('dialog', { name: 'Cancel the upload?' });
    await leaving.getByRole('button', { name: 'Keep uploading' }).press('Enter');
    // It has a button of the same name.
    await leaving.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Cancel upload' }).press('Enter');
    await page.getByRole('button', { name: 'Choose file' }).waitFor();
    await page.unroute(uploads);
    await page.route(uploads, route => route.abort('connectionreset'), { times: 1 });
    await input.setInputFiles(fileOf('people.csv', csv));
    await page.getByRole('alert').getByText('The upload failed').waitFor();
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await page.getByRole('heading', { name: 'people.csv', exact: true }).waitFor();

    // The file arrives, but the answer is lost.
    await page.goto(`${app.url}/saved/imports`);
    await page.evaluate(losesOneAnswer);
    const arrived = page.waitForResponse(
      answer => answer.request().method() === 'POST' && answer.url().includes('/people-imports?'),
    );
    await input.setInputFiles(fileOf('again.csv', csv));
    expect((await arrived).status()).toBe(201);
    await page.getByRole('alert').getByText('The upload failed').waitFor();
    await page.getByRole('button', { name: 'Try again' }).press('Enter');
    await page.getByRole('heading', { name: 'again.csv', exact: true }).waitFor();
    await page.goto(`${app.url}/saved/imports`);
    await page.getByRole('link', { name: 'people.csv' }).waitFor();
    expect(await page.getByRole('link', { name: 'again.csv' }).count()).toBe(1);
    await context.close();
  }, 240_000);

  it('is left out, deleted, and not found by another account', async () => {
    const { context, page } = await app.signedIn(await app.customer(), '/saved/imports');
    await page
      .getByLabel('File of people')
      .setInputFiles(fileOf('few.csv', `Name,LinkedIn\nAda,${url('ada')}\n`));
    await page.getByRole('heading', { name: 'few.csv', exact: true }).waitFor();
    const address = page.url();
    const other = await app.signedIn(await app.customer(), new URL(address).pathname.replace('/app', ''));
    await other.page.getByText('Import not found').waitFor();
    await other.context.close();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Import deleted.').waitFor();
    await page.goto(address);
    await page.getByText('Import not found').waitFor();
    await context.close();
  }, 240_000);
});
