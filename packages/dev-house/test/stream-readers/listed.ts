import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../src/project-root.ts';

/** How source text shows that it may read a stream. */
const signs =
  /\bfor await \(|\.on\(\s*['"](?:data|readable)['"]|\bTextDecoder\(|\bStringDecoder\b|\bcreateInterface\b|\bTransform\b|\bBuffer\.concat\b|\.getReader\(|\bonResponseData\b|\.iterator\(|\[Symbol\.asyncIterator\]|node:stream\/consumers/;

/** Why a file that shows such a sign has no feed of its own. */
export const exemptions: readonly { readonly why: string; readonly files: readonly string[] }[] = [
  {
    why: 'It decodes what another reader has gathered whole, within a bound.',
    files: [
      'packages/service-kit/src/sealing/sealer.ts',
      'services/enrichment/src/adapters/outside/ask-provider.ts',
      'services/enrichment/src/adapters/outside/public-page-source.ts',
      'services/enrichment/src/adapters/outside/robots.ts',
      'services/mcp-server/src/adapters/undici/fetch-metadata-document.ts',
      'services/validation-engine/src/adapters/dns/find-records.ts',
      'services/validation-engine/src/cli/refresh-lists/read-source.ts',
      'services/validation-engine/src/domain/catch-all/key-server.ts',
      'services/validation-engine/src/domain/catch-all/web-key-directory.ts',
      'services/validation-engine/src/domain/catch-all/webfinger.ts',
      'services/webhook-dispatcher/src/adapters/salesforce/guarded-exchange.ts',
      'services/webhook-dispatcher/src/domain/push/send-test-row.ts',
    ],
  },
  {
    why: 'It takes rows, records or pages one by one, from another reader or from our own store.',
    files: [
      'packages/service-kit/src/http/follow-changes.ts',
      'services/enrichment/src/domain/import/import-file.ts',
      'services/gateway/src/domain/outcomes/upload-outcomes.ts',
      'services/gateway/src/ops/deletion-commands.ts',
      'services/validation-engine/src/cli/validate/address-list.ts',
      'services/validation-engine/src/cli/validate/run-validate.ts',
      'services/validation-engine/src/domain/for-each-row.ts',
      'services/validation-engine/src/domain/intake/recount-job.ts',
      'services/validation-engine/src/domain/intake/take-in.ts',
      'services/webhook-dispatcher/src/domain/csv/write-csv.ts',
      'services/webhook-dispatcher/src/http/download-export.ts',
      'services/webhook-dispatcher/src/http/download-failed-rows.ts',
    ],
  },
  {
    why: 'It joins a fixed number of pieces that we made ourselves.',
    files: [
      'packages/mail-lab/src/dns/mailbox-records.ts',
      'packages/mail-lab/src/web/openpgp-key.ts',
      'services/enrichment/src/adapters/lookalike-worker/model-store.ts',
      'services/gateway/src/domain/charging/idempotency.ts',
    ],
  },
  {
    why: 'It passes portions on as they are, and keeps none.',
    files: [
      'packages/service-kit/src/http/answer-stream.ts',
      'services/mcp-server/src/http/serve-message.ts',
      'services/validation-engine/src/domain/intake/upload-places.ts',
    ],
  },
  {
    why: 'It reads a file of this machine in large portions whose size we choose.',
    files: ['services/enrichment/src/adapters/files/read-octets.ts'],
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
      'packages/dev-house/src/operate.ts',
      'packages/dev-house/src/run-step.ts',
      'packages/dev-house/src/webhook-receiver.ts',
      'packages/mail-lab/src/smtp/session.ts',
      'packages/mail-lab/src/submission/submission-host.ts',
      'packages/reliability/src/attacks/attacker.ts',
      'packages/reliability/src/tcp-proxy.ts',
    ],
  },
];

/** Source files from the root of the project on, without tests and what is generated. */
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
