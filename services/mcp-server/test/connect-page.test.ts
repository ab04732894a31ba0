import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectRoot } from '@mailproof/dev-house';
import { limits, oauthScopeNames } from '@mailproof/shared-types';
import { accessTokenSeconds } from '../src/domain/access-token.ts';
import { lifetimes } from '../src/domain/oauth/lifetimes.ts';
import { allPrompts } from '../src/domain/prompts.ts';
import { allTools } from '../src/domain/tools/tools.ts';
import { consentPage } from '../src/pages/sign-in-page.ts';

const page = readFileSync(join(projectRoot, 'docs/connect-an-assistant.md'), 'utf8');

/** The second cell of the row whose first cell is `first`. */
function cell(first: string): string {
  const row = page.split('\n').find(line => line.startsWith(`| ${first} `));
  if (!row) throw new Error(`The page has no row "${first}".`);
  return row.split('|')[2]?.trim() ?? '';
}

const day = 86_400;

describe('the page on connecting an assistant', () => {
  it.each([
    ['the pages, once opened', `${lifetimes.signInSeconds / 60} minutes`],
    ['an access token', `${accessTokenSeconds / 60} minutes`],
    ['a refresh token', `${lifetimes.refreshTokenSeconds / day} days`],
  ])('says how long %s lasts', (what, words) => {
    expect(cell(what)).toMatch(new RegExp(`^${words}`));
  });

  it('writes in words what lasts one of something', () => {
    expect(cell('the code in the redirect')).toMatch(/^one minute/);
    expect(lifetimes.authorizationCodeSeconds).toBe(60);
    expect(cell('the connection')).toMatch(/^a year/);
    expect(lifetimes.connectionSeconds).toBe(365 * day);
    expect(cell('a client that is never connected')).toMatch(/^a day/);
    expect(lifetimes.unusedClientSeconds).toBe(day);
  });

  it('names every scope and tool, and the limit', () => {
    for (const scope of oauthScopeNames) expect(cell(`\`${scope}\``)).not.toBe('');
    for (const { name } of allTools) expect(page).toContain(`\`${name}\``);
    expect(page).toContain(`more than ${limits.requestsPerSecondDefault} requests per second`);
  });

  it('names every prompt, and the credits after which the user is asked', () => {
    for (const { name } of allPrompts) expect(cell(`\`${name}\``)).not.toBe('');
    expect(page).toContain(`${limits.assistantCreditsUnasked} credits per hour`);
    expect(limits.assistantCreditsWindowMs).toBe(3_600_000);
  });

  it('names the same page to disconnect as the consent page and the README, and the application has it', () => {
    const consent = consentPage({
      path: '/sign-in/1',
      csrfToken: 'token',
      clientName: 'A client',
      verifiedHost: undefined,
      redirectUri: 'https://client.example/callback',
      redirectKind: 'https',
      scopes: ['account.read'],
      accountName: 'An account',
      email: 'ada@ordinary.example',
      applicationUrl: 'https://mailproof.example',
      formActions: [],
    });
    expect(consent.main).toContain('href="https://mailproof.example/app/integrations"');
    expect(page).toContain('Integrations (`/app/integrations`)');
    expect(readFileSync(join(projectRoot, 'README.md'), 'utf8')).toContain(
      'Integrations (`/app/integrations`)',
    );
    const routes = join(projectRoot, 'packages/web-app/src/screens/integrations/routes.tsx');
    expect(readFileSync(routes, 'utf8')).toContain("path: '/integrations',");
  });

  it('shows configurations that are JSON', () => {
    const blocks = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, block = '']) => block);
    expect(blocks.length).toBeGreaterThanOrEqual(3);
    for (const block of blocks) {
      expect(JSON.stringify(JSON.parse(block))).toContain('https://mcp.example.com/mcp');
    }
  });
});
