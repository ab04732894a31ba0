import { spawnSync } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import axe from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { findChromium } from './chromium-program.ts';
import { projectRoot } from './project-root.ts';

const programArguments = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const pageTimeoutMs = 20_000;

/** A Chromium of the machine or a fetched one, without a window. */
export async function openChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: await findChromium({ report: line => process.stderr.write(`${line}\n`) }),
    chromiumSandbox: maySandbox(),
    args: programArguments,
  });
}

/**
 * Chromium's own sandbox refuses root, as which machines for tests often run, and needs user namespaces, which many
 * containers forbid. The pages are our own.
 */
function maySandbox(): boolean {
  if (process.getuid?.() === 0) return false;
  if (process.platform !== 'linux') return true;
  return spawnSync('unshare', ['--user', '--map-root-user', 'true'], { timeout: 5_000 }).status === 0;
}

export interface OpenPage {
  readonly context: BrowserContext;
  readonly page: Page;
  /** What the browser complains about: violations of the policy, scripts, anything that did not load. */
  readonly complaints: string[];
}

/** A page with cookies of its own. */
export async function openPage(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<OpenPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', message => {
    // An answer that refuses is noted by Chromium as a fault of a resource.
    if (!/status of (4\d\d)/.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', error => complaints.push(String(error)));
  page.on('requestfailed', request => {
    // What was under way when somebody went elsewhere.
    const isGivenUp = request.failure()?.errorText === 'net::ERR_ABORTED' && request.url().startsWith('http');
    if (!isGivenUp) complaints.push(`${request.url()} failed`);
  });
  page.setDefaultTimeout(pageTimeoutMs);
  return { context, page, complaints };
}

/** What is wrong with a page as it is seen. */
export interface Sight {
  /** Pixels by which it is wider than its window. */
  readonly overflow: number;
  /** Violations that axe has found. */
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null | undefined;
    readonly targets: readonly unknown[];
  }[];
}

/**
 * Looks at the page as it is: leaves its picture under `test-output/<folder>/`, and has axe judge it, by all of its rules,
 * by those alone that are named, or by all without some.
 */
export async function look(
  page: Page,
  folder: string,
  name: string,
  rules: { readonly only?: readonly string[]; readonly without?: readonly string[] } = {},
): Promise<Sight> {
  const output = join(projectRoot, 'test-output', folder);
  await mkdir(output, { recursive: true });
  await page.screenshot({ path: join(output, `${name}.png`), fullPage: true });
  // In the browser's own language, which is not that of this file.
  const overflow = await page.evaluate<number>(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  // Through the debugger, which the page's policy does not hold back.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe.source);
  const options = {
    resultTypes: ['violations'],
    ...(rules.only && { runOnly: rules.only }),
    rules: Object.fromEntries((rules.without ?? []).map(rule => [rule, { enabled: false }])),
  };
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(${JSON.stringify(options)})`);
  return {
    overflow,
    violations: violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      targets: nodes.map(node => node.target),
    })),
  };
}
