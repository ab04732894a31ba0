import { gmail, providerTable } from './find-provider.ts';
import type { ProviderKind } from './provider.ts';
import { mailboxSpfNames, sendingSpfNames } from './spf-names.ts';

const titles: Readonly<Record<ProviderKind, string>> = {
  gateway: 'Secure email gateways',
  mailbox_host: 'Mailbox hosts',
  forwarder: 'Forwarders',
  inbound_application: 'Inbound applications',
};

/** The list of provider identifiers as Markdown, generated from the provider table. */
export function providersPage(): string {
  const chapters = providerTable.map(([kind, entries]) => {
    const rows = entries.map(({ id, name, suffixes }) => row(id, name, listed(suffixes)));
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

${behindGateways()}
`;
}

/** Describes the basis of the field `mailbox_provider` in the details. */
function behindGateways(): string {
  const names = new Map(providerTable.flatMap(([, entries]) => entries.map(({ id, name }) => [id, name])));
  const rows = Object.entries(mailboxSpfNames).map(([id, spfNames]) =>
    row(id, names.get(id) ?? id, listed(spfNames)),
  );
  return `## Mailbox hosts behind a gateway

Where the preferred mail host is a gateway, \`mailbox_provider\` of the details names who keeps the mailboxes, if that can be inferred: from another published mail host of the domain (\`mx\`), else from a name in its SPF record (\`spf\`). It is left out where two would fit. These names count in an SPF record:

${rows.join('\n')}

Services that only send, or whose name does not tell, never count: ${listed(sendingSpfNames)}.`;
}

function listed(names: readonly string[]): string {
  return names.map(name => `\`${name}\``).join(', ');
}

function row(id: string, name: string, hosts: string): string {
  return `- \`${id}\`: ${name} (${hosts})`;
}
