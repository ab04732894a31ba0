import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AppHouse, flawsOf, openFilters, openMenu, openSharedAppHouse } from './app-house.ts';

describe('the keyboard', () => {
  let app: AppHouse;

  beforeAll(async () => {
    app = await openSharedAppHouse();
  });

  afterAll(() => app?.stop());

  it('goes to any page by a part of its name, and back to where it was', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    const entry = page.getByRole('combobox', { name: 'Page' });
    await entry.waitFor();
    expect(await page.getByRole('option').count()).toBeGreaterThan(20);
    expect(await flawsOf(page, 'palette')).toEqual([]);
    await page.keyboard.type('sav');
    const chosen = () => page.getByRole('option', { selected: true }).textContent();
    expect(await chosen()).toContain('Saved');
    await page.keyboard.press('ArrowDown');
    expect(await chosen()).toBe('Saved companies');
    await page.keyboard.press('ArrowDown');
    expect(await chosen()).toBe('Saved lists');
    for (const key of ['ArrowUp', 'ArrowUp', 'ArrowUp']) await page.keyboard.press(key);
    expect(await chosen()).toBe('Search saved lists for “sav”');
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown']) await page.keyboard.press(key);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Saved lists' }).waitFor();
    await entry.waitFor({ state: 'detached' });
    expect(await page.title()).toBe('Saved lists · Mailproof');
    // The focus is on the heading of the new page.
    await page.waitForFunction("document.activeElement?.tagName === 'H1'");
    expect(await flawsOf(page, 'lists-empty')).toEqual([]);

    await page.keyboard.press('Meta+k');
    await page.keyboard.type('no such page');
    await page.getByText('No page or action has such a name.').waitFor();
    expect(await flawsOf(page, 'palette-nothing')).toEqual([]);
    await page.keyboard.press('Escape');
    await entry.waitFor({ state: 'detached' });
    await page.waitForFunction("document.activeElement?.tagName === 'H1'");
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('starts actions and searches for a text', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('new look');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'New lookalike search' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    await page.keyboard.press('Control+k');
    await page.keyboard.type(' ada lovelace ');
    expect(await page.getByRole('option').allTextContents()).toEqual([
      'Search saved people for “ada lovelace”',
      'Find people named “ada lovelace”',
      'Search saved companies for “ada lovelace”',
      'Search saved lists for “ada lovelace”',
    ]);
    expect(await flawsOf(page, 'palette-search')).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove Name: ada lovelace' }).waitFor();

    await page.keyboard.press('Control+k');
    await page.keyboard.type('ada lovelace');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/saved\?text=ada/);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('has shortcuts that are listed, that text fields ignore, and that can be turned off', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/check');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.getByRole('textbox').first().focus();
    await page.keyboard.type('g?u');
    expect(await page.getByRole('textbox').first().inputValue()).toBe('g?u');
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('textbox').first().fill('');
    await page.getByRole('heading', { level: 1 }).focus();
    await page.keyboard.press('g');
    await page.keyboard.press('u');
    await page.getByRole('heading', { level: 1, name: 'Usage' }).waitFor();
    expect(await page.title()).toBe('Usage · Mailproof');
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await page.getByRole('heading', { name: 'No searches yet' }).waitFor();
    expect(await flawsOf(page, 'people-none')).toEqual([]);

    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.getByText('Go to: Usage').waitFor();
    await dialog.getByText('Go to a page, start an action, or search').waitFor();
    expect(await flawsOf(page, 'shortcuts')).toEqual([]);
    // The first field of the dialog has the focus.
    await page.keyboard.press('Space');
    expect(await dialog.getByRole('checkbox', { name: 'Use single keys' }).isChecked()).toBe(false);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Page' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/app/people');
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await openMenu(page);
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('menuitem', { name: /^Keyboard shortcuts/ }).click();
    await dialog.getByRole('checkbox', { name: 'Use single keys' }).check();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await dialog.waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('leads from the menu of a phone to the heading of the next page', async () => {
    const { context, page, complaints } = await app.signedIn(await app.customer(), '/', {
      viewport: { width: 390, height: 844 },
    });
    await page.getByRole('button', { name: 'Menu', exact: true }).press('Enter');
    const menu = page.getByRole('dialog', { name: 'Mailproof' });
    await menu.getByRole('link', { name: 'Usage', exact: true }).press('Enter');
    await menu.waitFor({ state: 'detached' });
    await page.locator('h1:focus', { hasText: 'Usage' }).waitFor();
    // Without going anywhere, back to the button.
    await page.getByRole('button', { name: 'Menu', exact: true }).press('Enter');
    await menu.waitFor();
    expect(await flawsOf(page, 'menu')).toEqual([]);
    await page.keyboard.press('Escape');
    await page
      .locator(':focus')
      .and(page.getByRole('button', { name: 'Menu', exact: true }))
      .waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('never moves the focus under the bar of a phone', async () => {
    const { context, page } = await app.signedIn(await app.customer(), '/people/new', {
      viewport: { width: 390, height: 600 },
    });
    await openFilters(page);
    await page.getByRole('button', { name: 'Saved list' }).focus();
    const bar = await page.getByRole('banner').boundingBox();
    const tops: number[] = [];
    for (let presses = 0; presses < 20; presses += 1) {
      await page.keyboard.press('Shift+Tab');
      tops.push((await page.locator(':focus').boundingBox())?.y ?? 0);
    }
    expect(Math.min(...tops)).toBeGreaterThanOrEqual(bar?.height ?? Number.POSITIVE_INFINITY);
    await context.close();
  });
});
