import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/project-root.ts';

/** Signs in source text that it may read a stream. */
const signs =
  /\bfor await \(|\.on\(\s*['"](?:data|readable)['"]|\bTextDecoder\(|\bStringDecoder\b|\bcreateInterface\b|\bTransform\b|\bBuffer\.concat\b|\.getReader\(|\bonResponseData\b|\.iterator\(|\[Symbol\.asyncIterator\]|node:stream\/consumers/;

/** Files with such a sign that need no feed, and why. */
export const exemptions: readonly { readonly why: string; readonly files: readonly string[] }[] = [
  {
    why: 'It decodes what another reader has gathered whole, within a bound.',
    files: [
      'packages/service-kit/src/net/public-pages.ts',
      'packages/service-kit/src/sealing/sealer.ts',
      'services/enrichment/src/adapters/outside/ask-provider.ts',
      'services/mcp-server/src/adapters/undici/fetch-metadata-document.ts',
      'services/validation-engine/src/adapters/dns/read-response.ts',
      'services/validation-engine/src/cli/refresh-lists/read-source.ts',
      'services/validation-engine/src/domain/catch-all/third-party-sources.ts',
      'services/validation-engine/src/domain/catch-all/web-sources.ts',
      'services/webhook-dispatcher/src/adapters/mail-providers/delivery-status.ts',
      'services/webhook-dispatcher/src/adapters/salesforce/guarded-exchange.ts',
      'services/webhook-dispatcher/src/domain/push/send-test-row.ts',
    ],
  },
  {
    why: 'It takes rows, records or pages one by one, from another reader or from our own store.',
    files: [
      'packages/service-kit/src/http/follow-changes.ts',
      'services/enrichment/src/adapters/postgres/people-import-store.ts',
      'services/enrichment/src/domain/import/import-file.ts',
      'services/enrichment/src/domain/people-import/read-upload.ts',
      'services/gateway/src/domain/billing/receive-payment.ts',
      'services/gateway/src/domain/outcomes/upload-outcomes.ts',
      'services/gateway/src/ops/deletion-commands.ts',
      'services/validation-engine/src/cli/validate/address-list.ts',
      'services/validation-engine/src/cli/validate/run-validate.ts',
      'services/validation-engine/src/domain/concurrency/for-each-row.ts',
      'services/validation-engine/src/domain/intake/open-json.ts',
      'services/validation-engine/src/domain/intake/recount-job.ts',
      'services/validation-engine/src/domain/intake/receive-list.ts',
      'services/webhook-dispatcher/src/domain/crm/imports/read-into-list.ts',
      'services/webhook-dispatcher/src/domain/crm/imports/read-records.ts',
      'services/webhook-dispatcher/src/domain/csv/encode-text.ts',
      'services/webhook-dispatcher/src/domain/csv/write-csv.ts',
      'services/webhook-dispatcher/src/domain/workbook/write-workbook.ts',
      'services/webhook-dispatcher/src/http/export-downloads.ts',
    ],
  },
  {
    why: 'It joins a fixed number of pieces that we made ourselves.',
    files: [
      'packages/mail-lab/src/dns/zones.ts',
      'packages/mail-lab/src/web/openpgp-key.ts',
      'services/enrichment/src/adapters/lookalike-worker/model-store.ts',
      'services/gateway/src/domain/charging/idempotency.ts',
      'services/gateway/src/http/page-cursors.ts',
    ],
  },
  {
    why: 'It passes portions on as they are, and keeps none.',
    files: [
      'services/validation-engine/src/domain/intake/accept-job.ts',
      'packages/service-kit/src/http/answer-stream.ts',
      'services/enrichment/src/adapters/files/open-upload.ts',
      'services/mcp-server/src/http/message.ts',
      'services/validation-engine/src/domain/intake/upload-slots.ts',
    ],
  },
  {
    why: 'It reads a file of this machine in large portions whose size we choose, or what is unpacked from it.',
    files: [
      'packages/service-kit/src/workbook/open-package.ts',
      'packages/service-kit/src/workbook/open-sheet.ts',
      'packages/service-kit/src/workbook/read-sheet.ts',
      'packages/service-kit/src/workbook/read-xml.ts',
      'packages/service-kit/src/workbook/shared-strings.ts',
      'services/enrichment/src/adapters/files/read-octets.ts',
    ],
  },
  {
    why: 'It is a command of a developer, which reads one answer within a bound.',
    files: ['packages/dev-house/src/images/registry.ts'],
  },
  {
    why: 'It reads a password that the operator types.',
    files: ['services/gateway/src/ops/owner-option.ts'],
  },
  {
    why: 'It is a tool of tests and of the demonstration, on loopback.',
    files: [
      'packages/dev-house/src/demo-account.ts',
      'packages/dev-house/src/demo-profiles.ts',
      'packages/dev-house/src/run-step.ts',
      'packages/dev-house/src/webhook-receiver.ts',
      'packages/dev-house/src/workbooks.ts',
      'packages/mail-lab/src/smtp/session.ts',
      'packages/mail-lab/src/submission/submission-host.ts',
      'packages/reliability/src/attacks/attacker.ts',
      'packages/reliability/src/tcp-proxy.ts',
    ],
  },
];

/** Returns source files, relative to the project root, without tests and generated files. */
export function sourceFiles(): string[] {
  return globSync('{packages,services}/*/src/**/*.{ts,tsx}', { cwd: projectRoot })
    .filter(file => !/\.test\.tsx?$|\/(?:testing|generated)\//.test(file))
    .sort();
}

export function filesThatMayRead(): string[] {
  return sourceFiles().filter(file => signs.test(textOf(file)));
}

export function textOf(file: string): string {
  return readFileSync(join(projectRoot, file), 'utf8');
}
