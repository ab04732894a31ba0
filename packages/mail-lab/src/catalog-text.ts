import { catalog, chapters } from './catalog.ts';
import { type DomainScript, isSmtpScript } from './script.ts';

/** The catalog as fixed-width text: one line per expected verdict. */
export function catalogAsTable(): string {
  const rows = catalog.flatMap(({ domain, story, expected }) =>
    expected.map(({ address, result, reason }, index) => [
      index === 0 ? domain : '',
      address,
      result,
      reason,
      index === 0 ? story : '',
    ]),
  );
  const table = [['Domain', 'Address', 'Result', 'Reason', 'Story'], ...rows];
  const widths = [0, 1, 2, 3].map(column => Math.max(...table.map(row => row[column]?.length ?? 0)));
  return table
    .map(
      row =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** The catalog as the Markdown page `CATALOG.md`. */
export function catalogAsMarkdown(): string {
  const parts = chapters.map(([title, domains]) => `## ${title}\n\n${domains.map(section).join('\n')}`);
  return `${introduction}\n${parts.join('\n')}`;
}

const introduction = `# The lab's domains

Written by \`node src/write-catalog.ts\` from \`src/catalog.ts\`; do not edit.

A verdict here is what an honest validator answers on the evidence of DNS, SMTP and the domain's own web
hosts. Patience may resolve a greylisted \`unknown\`.
`;

function section(script: DomainScript): string {
  const expected = script.expected.map(
    ({ address, result, reason }) => `- \`${address}\` → ${result} (\`${reason}\`)\n`,
  );
  const where = hosts(script).map(host => `- ${host}\n`);
  return `### ${script.domain}\n\n${script.story}\n\n${where.join('')}${expected.join('')}`;
}

function hosts({ dns, hosts: scripted = {}, web = {} }: DomainScript): string[] {
  if (typeof dns === 'string') return [`DNS: ${dns}`];
  const lines = Object.entries(scripted).map(([name, host]) => {
    if (isSmtpScript(host)) return `Mail host ${name}`;
    return `Mail host ${name} (${typeof host === 'string' ? host.replaceAll('_', ' ') : host.address})`;
  });
  const alias = dns.cname === undefined ? [] : [`CNAME of ${dns.cname}`];
  return [...alias, ...lines, ...Object.keys(web).map(name => `Web host ${name}`)];
}
