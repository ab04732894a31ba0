import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core';
import { projectRoot } from './project-root.ts';
import { findSystemProgram, type ProgramSearch } from './system-program.ts';

const programArguments = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // No page reaches the internet.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1',
];

const pageTimeoutMs = 60_000;

/** Starts Chromium without a window: the machine's own, or a downloaded one. */
export async function openChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: await findChromium({ report: line => process.stderr.write(`${line}\n`) }),
    chromiumSandbox: maySandbox(),
    args: programArguments,
  });
}

/**
 * Whether Chromium's sandbox works here. It refuses root, often the user on test machines, and needs user namespaces,
 * which many containers forbid. Running without it is safe, because the pages are our own.
 */
function maySandbox(): boolean {
  if (process.getuid?.() === 0) return false;
  if (process.platform !== 'linux') return true;
  return spawnSync('unshare', ['--user', '--map-root-user', 'true'], { timeout: 5_000 }).status === 0;
}

export interface OpenPage {
  readonly context: BrowserContext;
  readonly page: Page;
  /** The browser's complaints: policy violations, script errors, anything that did not load. */
  readonly complaints: string[];
}

/** The page of a phone in the dark theme: `APP_SIGHT=phone`; by default that of a desk, in the light theme. */
function sightOf(sight = 'desk'): BrowserContextOptions {
  if (sight === 'desk') return {};
  if (sight === 'phone') return { viewport: { width: 390, height: 844 }, colorScheme: 'dark' };
  throw new Error('APP_SIGHT is "desk" or "phone".');
}

/** Opens a page with its own cookies. */
export async function openPage(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<OpenPage> {
  const context = await browser.newContext({ ...sightOf(process.env['APP_SIGHT']), ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', message => {
    // Chromium logs an answer with a 4xx status as a resource error.
    if (!/status of (4\d\d)/.test(message.text())) complaints.push(message.text());
  });
  page.on('pageerror', error => complaints.push(String(error)));
  page.on('requestfailed', request => {
    // A navigation aborted this request.
    const isGivenUp = request.failure()?.errorText === 'net::ERR_ABORTED' && request.url().startsWith('http');
    if (!isGivenUp) complaints.push(`${request.url()} failed`);
  });
  page.setDefaultTimeout(pageTimeoutMs);
  return { context, page, complaints };
}

/** The faults of a rendered page. */
export interface Sight {
  /** How many pixels the page, or a dialog on it, is wider than its window. */
  readonly overflow: number;
  /** Violations found by axe. */
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null | undefined;
    readonly targets: readonly unknown[];
  }[];
}

/** The variable that saves a screenshot of every state that is checked, not only of those with faults. */
const screenshotsVariable = 'MAILPROOF_SCREENSHOTS';

/**
 * Resolves when the page is drawn with its fonts and its transitions have ended: a color on the way has a contrast that
 * is not meant. As a string: this code runs in the browser.
 */
const drawn = `document.fonts.ready
  .then(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))))
  .then(() => Promise.allSettled(document.getAnimations()
    .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
    .map(({ finished }) => finished)))
  .then(() => undefined)`;

/**
 * Checks the page in its current state, and runs axe with all rules, with only the given rules, or without some of them.
 * A state with faults is saved as a screenshot under `test-output/<folder>/`; drawing and compressing one takes as much
 * CPU time as axe.
 */
export async function look(
  page: Page,
  folder: string,
  name: string,
  rules: { readonly only?: readonly string[]; readonly without?: readonly string[] } = {},
): Promise<Sight> {
  await page.evaluate(drawn);
  // As a string: this code runs in the browser, whose types the compiler does not know here.
  const overflow = await page.evaluate<number>(
    `Math.max(...[document.documentElement, ...document.querySelectorAll('[role="dialog"]')].map(
      each => each.scrollWidth - each.clientWidth))`,
  );
  // Through the debugger, to which the page's content security policy does not apply.
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe.source);
  const options = {
    resultTypes: ['violations'],
    ...(rules.only && { runOnly: rules.only }),
    rules: Object.fromEntries((rules.without ?? []).map(rule => [rule, { enabled: false }])),
  };
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(${JSON.stringify(options)})`);
  if (overflow > 0 || violations.length > 0 || process.env[screenshotsVariable] === 'true') {
    await page.screenshot({ path: join(projectRoot, 'test-output', folder, `${name}.png`), fullPage: true });
  }
  return {
    overflow,
    violations: violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      targets: nodes.map(node => node.target),
    })),
  };
}

const chromiumProgram = {
  title: 'Chromium',
  // The headless shell opens a page in a third of the CPU time: in Chromium itself, the toolbar of each is a page too.
  names: ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'],
  // Not Debian's wrapper script, which reads the settings of the machine's Chromium.
  debian: { name: 'chromium-headless-shell', program: 'usr/lib/chromium/chromium-headless-shell' },
  brewPackage: 'chromium',
  advice:
    'Chromium not found: install it (Debian, Ubuntu: apt-get install chromium), or set CHROMIUM_PROGRAM.',
} as const;

/**
 * Returns the path of Chromium: the value of `CHROMIUM_PROGRAM`, the machine's own, or a downloaded one.
 *
 * @throws Error if there is none, with instructions to install it
 */
export async function findChromium(search: ProgramSearch): Promise<string> {
  const named = process.env['CHROMIUM_PROGRAM'];
  if (!named) return findSystemProgram(chromiumProgram, search);
  if (!existsSync(named)) throw new Error(`CHROMIUM_PROGRAM names ${named}, which does not exist.`);
  return named;
}
