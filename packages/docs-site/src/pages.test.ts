import { globSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { packedReadme } from '@mailproof/dev-house';
import { assistantsList } from './assistants-list.ts';
import { addressOf, groupsOf, pageOf, readGuides, root } from './pages.ts';

const { pages, files } = readGuides();
const [home] = pages;
const groups = groupsOf(home.text);
const listed = groups.flatMap(({ links }) => links.map(({ address }) => address));

describe('the list of guides', () => {
  it('has every guide once, under a kind of reader', () => {
    const guides = globSync('docs/*.md', { cwd: root })
      .filter(file => !file.endsWith('README.md'))
      .map(addressOf);
    expect(guides.length).toBeGreaterThan(25);
    expect(listed).toEqual(expect.arrayContaining(guides));
    expect(new Set(listed).size).toBe(listed.length);
    expect(groups.map(({ title }) => title)).toEqual([
      'For integrators',
      'For list users',
      'For assistants',
      'For operators',
    ]);
  });

  it('is what assistants get, with the Markdown of each guide', () => {
    const text = assistantsList(groups, home);
    expect(text).toMatch(
      /^# Mailproof\n\n> Mailproof validates email addresses.*Assistants find the list at \/llms\.txt\.\n\n## /,
    );
    for (const other of ['/docs/reference', '/docs/mailproof.postman_collection.json', '/status']) {
      expect(text).toContain(`](${other}): `);
    }
    for (const address of listed) expect(text).toContain(`](${address}.md)`);
  });
});

describe.each(['packages/cli', 'packages/sdk-typescript', 'sdks/n8n', 'sdks/python'])(
  'the README of %s, as a registry shows it',
  folder => {
    it('links to no file of the checkout, and names pages that each installation serves', () => {
      const packed = packedReadme(folder);
      const targets = [...packed.matchAll(/\]\(([^)]*)\)/g)].map(([, target = '']) => target);
      expect(targets.filter(target => !target.startsWith('https://'))).toEqual([]);
      const named = [...packed.matchAll(/`(\/docs\/[^`#]+)(#[^`]+)?` of your installation/g)];
      expect(named.length).toBeGreaterThan(0);
      for (const [, address, hash = ''] of named) {
        const page = pages.find(each => each.address === address);
        const anchors = (page?.text.match(/^#+ .+$/gm) ?? []).map(
          heading =>
            `#${heading
              .replace(/^#+ /, '')
              .toLowerCase()
              .replace(/[^\w]+/g, '-')}`,
        );
        expect([address, page?.address, hash === '' || anchors.includes(hash)]).toEqual([
          address,
          address,
          true,
        ]);
      }
    });
  },
);

describe('a page', () => {
  it('links to served pages only, and keeps the names of what is read in a checkout', () => {
    const linked = pages.flatMap(({ text }) =>
      [...text.matchAll(/\]\((\/docs\/[^)#\s]+)\.md/g)].map(([, to]) => to),
    );
    const addresses = new Set(pages.map(({ address }) => address));
    expect(linked.length).toBeGreaterThan(300);
    expect(linked.filter(to => !addresses.has(to ?? ''))).toEqual([]);
    const architecture = pages.find(({ address }) => address === '/docs/architecture');
    expect(architecture?.text).toContain('(ADR 0004)');
    expect(pages.flatMap(({ text }) => text.match(/\]\(\.\.?\//g) ?? [])).toEqual([]);
    expect([...files].sort()).toEqual([
      'docs/lookalike-reliability.svg',
      'sdks/google-sheets/Mailproof.js',
      'sdks/google-sheets/appsscript.json',
    ]);
    const sheets = pages.find(({ address }) => address === '/docs/sdks/google-sheets');
    expect(sheets?.text).toContain('[Mailproof.js](/docs/sdks/google-sheets/mailproof.js)');
    expect(sheets?.text).toContain('[appsscript.json](/docs/sdks/google-sheets/appsscript.json)');
  });

  it('has its title and its first sentences as plain text, cut between words', () => {
    const text = `# Use \`it\`\n\n\`\`\`sh\n# not a title\n\`\`\`\n\nSay **this** and [that](/docs/that.md). ${'Word '.repeat(60)}`;
    const { title, description } = pageOf('/docs/it', text);
    expect(title).toBe('Use it');
    expect(description).toMatch(/^Say this and that\. Word (Word )*Word…$/);
    expect(description.length).toBeLessThanOrEqual(160);
  });
});
