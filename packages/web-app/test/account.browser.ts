import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import type { Page } from 'playwright-core';
import {
  type AppHouse,
  flawsOf,
  openMenu,
  openSharedAppHouse,
  tabAndPress,
  tabAndType,
} from './app-house.ts';
import { mailed } from './mailed.ts';

const attack = '<img src=x onerror=alert(1)>"><script>alert(2)</script>';
const password = 'horses of a quiet blue';
const newAddress = () => `${newId('user').slice(-20)}@ordinary.example`;

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.getByRole('dialog');

describe('the account', () => {
  let app: AppHouse;

  beforeAll(async () => {
    app = await openSharedAppHouse();
  });

  afterAll(() => app?.stop());

  /** Returns the HTTP status of a request with the API key. */
  async function statusWith(apiKey: string, path = '/me'): Promise<number> {
    const answer = await fetch(`${app.house.gatewayUrls[0]}/api/v1${path}`, {
      headers: { 'x-api-key': apiKey },
    });
    return answer.status;
  }

  it('shows the key only on request, and regenerates it', async () => {
    const customer = await app.customer({ plan: 'starter', credits: 0 });
    const { context, page, complaints } = await app.signedIn(customer, '/account/api-key');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const asked: string[] = [];
    page.on('request', request => {
      if (request.url().endsWith('/api-key')) asked.push(request.method());
    });
    await page.getByRole('heading', { name: 'Default key', exact: true }).waitFor();
    expect(await page.getByText(customer.apiKey).count()).toBe(0);
    expect(await flawsOf(page, 'account-key-hidden')).toEqual([]);
    expect(asked).toEqual([]);
    await page.getByRole('button', { name: /^Copy/ }).click();
    await page.getByText('API key copied.').waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(customer.apiKey);
    expect(await page.getByText(customer.apiKey).count()).toBe(0);
    await button(page, 'Show').click();
    await page.getByText(customer.apiKey).waitFor();
    // The key was shown twice but fetched once.
    expect(asked).toEqual(['GET']);
    expect(await flawsOf(page, 'account-key-shown')).toEqual([]);

    await button(page, 'Regenerate…').focus();
    await page.keyboard.press('Enter');
    const regenerate = button(page, 'Regenerate key');
    expect(await regenerate.isDisabled()).toBe(true);
    await dialog(page).getByLabel('The account name').fill('Ordinary Ltd');
    expect(await flawsOf(page, 'account-key-regenerate')).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByText('API key regenerated.').waitFor();
    const shown = (await page.getByText(/^mp_live_\w+$/).textContent()) ?? '';
    expect(shown).not.toBe(customer.apiKey);
    expect([await statusWith(customer.apiKey), await statusWith(shown)]).toEqual([401, 200]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('creates a named key, shows it once, and revokes it', async () => {
    const customer = await app.customer({ plan: 'starter', credits: 0 });
    const { context, page, complaints } = await app.signedIn(customer, '/account/api-key');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await tabAndPress(button(page, 'Create key…'));
    const create = button(page, 'Create key');
    await tabAndType(dialog(page).getByLabel('Name'), `${attack} form`);
    await tabAndPress(dialog(page).getByLabel('validation', { exact: true }), 'Space');
    expect(await create.isDisabled()).toBe(true);
    await tabAndPress(dialog(page).getByLabel('account.read', { exact: true }), 'Space');
    await dialog(page).getByLabel('Expires in').selectOption('30 days');
    expect(await flawsOf(page, 'account-named-key-create')).toEqual([]);
    const creating = Promise.withResolvers<void>();
    await page.route('**/app/v1/api-keys', async route => {
      if (route.request().method() === 'POST') await creating.promise;
      await route.continue();
    });
    await tabAndPress(dialog(page).getByLabel('Name'));
    await create.and(page.locator('[aria-busy="true"]')).waitFor();
    // The key would be created, and never be shown.
    await page.keyboard.press('Escape');
    creating.resolve();
    await dialog(page).getByRole('heading', { name: 'Copy your new key now' }).waitFor();
    const key =
      (await dialog(page)
        .getByText(/^mp_live_\w+$/)
        .textContent()) ?? '';
    expect(await flawsOf(page, 'account-named-key-created')).toEqual([]);
    await tabAndPress(dialog(page).getByRole('button', { name: /^Copy/ }));
    await page.getByText('API key copied.').waitFor();
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(key);
    expect(await statusWith(key)).toBe(200);
    expect(await statusWith(key, '/saved-lists')).toBe(403);
    await tabAndPress(button(page, 'Done'));
    await page.getByText(key).waitFor({ state: 'detached' });

    await page.reload();
    await page.getByText(/^Last used .*; expires /).waitFor();
    expect(await page.getByText(key).count()).toBe(0);
    expect(await flawsOf(page, 'account-named-keys')).toEqual([]);
    await tabAndPress(page.getByRole('button', { name: /^Revoke…/ }));
    expect(await flawsOf(page, 'account-named-key-revoke')).toEqual([]);
    await tabAndPress(button(page, 'Revoke key'));
    await page.getByText(/^API key .* revoked\.$/).waitFor();
    await page.getByRole('button', { name: /^Revoke…/ }).waitFor({ state: 'detached' });
    expect(await statusWith(key)).toBe(401);
    await tabAndPress(button(page, 'Create key…'));
    await tabAndType(dialog(page).getByLabel('Name'), 'CI');
    await tabAndPress(dialog(page).getByLabel('Live', { exact: true }), 'ArrowDown');
    await tabAndPress(create);
    await dialog(page)
      .getByText(/^mp_test_\w+$/)
      .waitFor();
    await tabAndPress(button(page, 'Done'));
    await page.getByText('Test', { exact: true }).waitFor();
    await tabAndPress(
      page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'Security' }),
    );
    await page
      .getByText(/scopes: account.read/)
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('offers no key on a plan that has none, and the plans instead', async () => {
    const customer = await app.customer({ plan: 'free', credits: 0 });
    const { context, page, complaints } = await app.signedIn(customer, '/account/api-key');
    await page.getByText('The Free plan does not include an API key').waitFor();
    expect(await flawsOf(page, 'account-key-none')).toEqual([]);
    await page.getByRole('link', { name: 'See plans' }).press('Enter');
    await page.getByRole('heading', { name: 'Change plan' }).waitFor();
    expect(await flawsOf(page, 'account-plan-free')).toEqual([]);
    await button(page, 'Choose Growth').press('Enter');
    await dialog(page).getByText('It starts when your payment is confirmed').waitFor();
    expect(await flawsOf(page, 'account-plan-upgrade')).toEqual([]);
    await button(page, 'Change to Growth').press('Enter');
    await page.getByText('Growth is waiting for payment').waitFor();
    await page.reload();
    await page.getByText('Growth is waiting for payment').waitFor();
    expect(await flawsOf(page, 'account-plan-pending')).toEqual([]);
    await button(page, 'Cancel plan change').press('Enter');
    await page.getByText('Growth is waiting for payment').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('downgrades at the end of the cycle, and says what stops', async () => {
    const customer = await app.customer({ plan: 'growth', credits: 0 });
    const { context, page, complaints } = await app.signedIn(customer, '/account');
    await button(page, 'Choose Free').press('Enter');
    await dialog(page).getByText('then stop working').waitFor();
    await button(page, 'Change to Free').press('Enter');
    await page.getByText(/^Free from \w+ \d+, \d{4}$/).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('invites a second member, who may less, and takes the member out again', async () => {
    const customer = await app.customer({ plan: 'starter', credits: 0 });
    const { context, page, complaints } = await app.signedIn(customer, '/account/members');
    const email = newAddress();
    const invited = newAddress();
    for (const each of [email, invited]) {
      await page.getByLabel('Email address').fill(each);
      await page.getByLabel('Email address').press('Enter');
      await page.getByRole('button', { name: `Withdraw the invitation to ${each}` }).waitFor();
    }
    await page.getByText('Your plan’s member limit is reached').waitFor();
    expect(await flawsOf(page, 'account-members-full')).toEqual([]);
    await page.getByRole('button', { name: `Withdraw the invitation to ${invited}` }).click();
    await button(page, 'Withdraw invitation').click();
    await page.getByText('2 of 3 members').waitFor();

    const guest = await app.page();
    await guest.page.goto((await mailed(app.house, email)).link);
    await guest.page.getByLabel('New password').fill(password);
    await guest.page.getByRole('button', { name: 'Join' }).click();
    await guest.page.getByRole('heading', { name: 'Home' }).waitFor();
    for (const [path, sentence] of [
      ['/account', 'Only owners can change the plan.'],
      ['/account/api-key', 'Only owners of the account can view its API keys.'],
      ['/account/members', 'Only owners can see and invite members.'],
      ['/account/security', 'Only owners can see the account’s security events.'],
      ['/account/details', 'Only owners can rename, export or delete the account.'],
    ] as const) {
      await guest.page.goto(`${app.url}${path}`);
      await guest.page.getByText(sentence).waitFor();
    }
    expect(await flawsOf(guest.page, 'account-details-member')).toEqual([]);

    await page.reload();
    const menu = page.getByRole('button', { name: `Actions for ${email}` });
    await menu.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Make owner' }).press('Enter');
    await dialog(page).getByRole('button', { name: 'Make owner' }).press('Enter');
    await page.getByText(`${email} is now an owner.`).waitFor();
    await guest.page.goto(`${app.url}/account/members`);
    await guest.page.getByRole('heading', { name: '2 members' }).waitFor();
    await menu.click();
    await page.getByRole('menuitem', { name: 'Remove' }).click();
    await dialog(page).getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('heading', { name: '1 member', exact: true }).waitFor();
    // The last owner cannot leave.
    await page.getByRole('button', { name: `Actions for ${customer.email}` }).click();
    await page.getByRole('menuitem', { name: 'Leave account' }).click();
    await dialog(page).getByRole('button', { name: 'Leave account', exact: true }).click();
    await dialog(page).getByText('The account needs at least one owner').waitFor();
    const remedy = await dialog(page).getByRole('link', { name: 'See what to do' }).getAttribute('href');
    expect(await (await fetch(new URL(String(remedy), app.url))).text()).toContain('Make another member');
    expect(await flawsOf(page, 'account-members-last-owner')).toEqual([]);
    // The next action of a removed member redirects to the sign-in.
    await guest.page.getByRole('link', { name: 'Security' }).click();
    await guest.page.getByText('Your session has ended.').waitFor();
    expect([...complaints, ...guest.complaints]).toEqual([]);
    await guest.context.close();
    await context.close();
  });

  it('ends a session of another browser, whose screen leads to the sign-in and back', async () => {
    const customer = await app.customer({ credits: 0 });
    const here = await app.signedIn(customer, '/account/security');
    const there = await app.signedIn(customer, '/account/members', {
      userAgent: `${attack} ${'x'.repeat(500)}`,
    });
    await there.page.getByRole('heading', { name: 'Invite a member' }).waitFor();
    await here.page.reload();
    await here.page.getByText('This session').waitFor();
    await here.page.getByText(attack, { exact: false }).first().waitFor();
    await here.page.getByRole('table').waitFor();
    expect(await flawsOf(here.page, 'account-security')).toEqual([]);
    await here.page.getByRole('button', { name: 'End session on Another program' }).click();
    await here.page.getByText('Session ended.').waitFor();

    // A change that was started in the meantime is refused and redirects to the sign-in once.
    await there.page.getByLabel('Email address').fill(newAddress());
    await there.page.getByLabel('Email address').press('Enter');
    await there.page.getByText('Your session has ended.').waitFor();
    expect(await flawsOf(there.page, 'sign-in-session-ended')).toEqual([]);
    await there.page.getByLabel('Email address').fill(customer.email);
    await there.page.getByLabel('Password', { exact: true }).fill(customer.password);
    await there.page.getByLabel('Password', { exact: true }).press('Enter');
    await there.page.getByRole('heading', { name: 'Invite a member' }).waitFor();
    expect(there.page.url()).toBe(`${app.url}/account/members`);

    await button(here.page, 'Sign out everywhere').click();
    await dialog(here.page).getByRole('button', { name: 'Sign out everywhere' }).click();
    await here.page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect([...here.complaints, ...there.complaints]).toEqual([]);
    await here.context.close();
    await there.context.close();
  });

  it('changes the password and the address', async () => {
    const customer = await app.customer({ credits: 0 });
    const { context, page, complaints } = await app.signedIn(customer, '/account/security');
    await tabAndType(page.getByLabel('Current password'), 'not the password');
    await tabAndType(page.getByLabel('New password'), customer.email);
    await tabAndPress(page.getByLabel('New password'));
    await page.getByText('The current password is wrong').waitFor();
    await tabAndType(page.getByLabel('Current password'), customer.password);
    await tabAndPress(page.getByLabel('New password'));
    await page
      .getByText(/address/)
      .last()
      .waitFor();
    expect(await flawsOf(page, 'account-password-refused')).toEqual([]);
    await tabAndType(page.getByLabel('New password'), password);
    await tabAndPress(page.getByLabel('New password'));
    await page.getByText('Password changed.').waitFor();
    await page.getByText('Password changed', { exact: true }).waitFor();

    await tabAndPress(
      page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'Account' }),
    );
    const next = newAddress();
    await tabAndType(page.getByLabel('New email address'), next);
    await tabAndType(page.getByLabel('Current password'), password);
    await tabAndPress(page.getByLabel('Current password'));
    await page.getByText(`We sent a link to ${next}.`).waitFor();
    await page.goto((await mailed(app.house, next)).link);
    await page.getByRole('heading', { name: 'Confirm email address' }).waitFor();
    await tabAndPress(button(page, 'Confirm email address'));
    await tabAndPress(page.getByRole('link', { name: 'Continue' }));
    await openMenu(page);
    await page.getByTitle(next).filter({ visible: true }).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('renames, exports and deletes the account', async () => {
    const customer = await app.customer({ credits: 0 });
    const { context, page, complaints } = await app.signedIn(customer, '/account/details');
    const name = `${attack}  ${'W'.repeat(140)}`;
    await tabAndType(page.getByLabel('Name', { exact: true }), name);
    await tabAndPress(button(page, 'Rename'));
    await page.getByText('Account renamed.').waitFor();
    expect(await flawsOf(page, 'account-details')).toEqual([]);
    const started = page.waitForEvent('download');
    const exporting = page.getByRole('link', { name: 'Export account' });
    expect(await exporting.getAttribute('href')).toBe(
      `/app/v1/account/export?for_account=${customer.accountId}`,
    );
    await tabAndPress(exporting);
    const exported = await readFile(await (await started).path(), 'utf8');
    expect(exported.trimEnd().split('\n').at(-1)).toContain('"complete":true');

    await tabAndPress(button(page, 'Delete account…'));
    await tabAndType(dialog(page).getByLabel('The account name'), name.replaceAll('  ', ' '));
    expect(await button(page, 'Delete permanently').isDisabled()).toBe(true);
    await tabAndType(dialog(page).getByLabel('The account name'), name);
    await tabAndType(dialog(page).getByLabel('Your password'), 'not the password');
    await tabAndPress(dialog(page).getByLabel('Your password'));
    await dialog(page).getByText('The current password is wrong').waitFor();
    expect(await flawsOf(page, 'account-delete')).toEqual([]);
    await tabAndType(dialog(page).getByLabel('Your password'), customer.password);
    await tabAndPress(dialog(page).getByLabel('Your password'));
    await page.getByText('The account is deleted').waitFor();
    await tabAndType(page.getByLabel('Email address'), customer.email);
    await tabAndType(page.getByLabel('Password', { exact: true }), customer.password);
    await tabAndPress(page.getByLabel('Password', { exact: true }));
    await page.getByRole('alert').getByText('The email address or the password is wrong').waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });
});
