import { gmail, providerTable } from './find-provider.ts';
import type { ProviderKind } from './provider.ts';

const titles: Readonly<Record<ProviderKind, string>> = {
  gateway: 'Secure email gateways',
  mailbox_host: 'Mailbox hosts',
  forwarder: 'Forwarders',
  inbound_application: 'Inbound applications',
};

/** The list of provider identifiers as Markdown, written from the table that names them. */
export function providersPage(): string {
  const chapters = providerTable.map(([kind, entries]) => {
    const rows = entries.map(({ id, name, suffixes }) =>
      row(id, name, suffixes.map(suffix => `\`${suffix}\``).join(', ')),
    );
    if (kind === 'mailbox_host') {
      rows.unshift(
        row(gmail.id, gmail.name, 'Google’s mail hosts, for addresses at gmail.com and googlemail.com'),
      );
    }
    return [`## ${titles[kind]}`, '', ...rows].join('\n');
  });
  return `# Providers

The identifiers that \`mx_provider\` may hold, each with what the names of its mail hosts end in. They are stable. Gateways are looked for first; among the others the longest suffix wins, always at label boundaries. This page is written by \`pnpm --filter @mailproof/validation-engine run providers-page\`; a test fails while it is stale.

${chapters.join('\n\n')}
`;
}

function row(id: string, name: string, hosts: string): string {
  return `- \`${id}\`: ${name} (${hosts})`;
}
