/**
 * How the blocks of a guide are run or checked: by a test that reads the guide, or not at all, with the reason. A test
 * takes all blocks of a language, or a number of them, of those that are run at all; `plain` is a block without a
 * language. The numbers add up, so that a new block needs a test or a reason.
 */
export type BlockRule =
  | { readonly by: string; readonly runs: Readonly<Record<string, number | 'all'>> }
  /** The blocks that begin with one of these texts are run nowhere. */
  | { readonly except: readonly string[]; readonly because: string };

const needsDocker = 'it needs Docker; `pnpm images` and `pnpm chart` test what the command calls';
const ofCompose = 'a trial of `pnpm compose:try` reads the page and runs it';
const ofCluster = 'a trial of `pnpm cluster` reads the page and runs it';
const needsCluster = 'it needs a cluster; `pnpm chart` renders and checks what the command installs';
const isLong = 'it is a test program of this repository that takes minutes or hours';

/** Each page of `docs/` with blocks, and what runs them. */
export const guideBlocks: Readonly<Record<string, readonly BlockRule[]>> = {
  'ARCHITECTURE.md': [
    { except: ['flowchart', 'src/main.ts'], because: 'it is a drawing of services or of folders' },
  ],
  'backup-and-restore.md': [
    { by: 'services/gateway/test/backup-and-restore.long.ts', runs: { sh: 2 } },
    { by: 'services/gateway/test/guide-blocks.test.ts', runs: { sh: 1 } },
    { except: ['kubectl', 'helm upgrade'], because: ofCluster },
    { except: ['docker'], because: ofCompose },
  ],
  'command-line.md': [
    { by: 'services/validation-engine/test/cli-docs.test.ts', runs: { console: 'all' } },
    {
      except: ['npx pnpm validate ada@company.example', 'VALIDATION_LISTS_DIR', 'DATABASE_URL='],
      because: 'it asks real DNS, mail hosts and websites; the same commands are tested on the lab',
    },
  ],
  'connect-a-crm.md': [
    { by: 'services/gateway/test/connect-a-crm-page.test.ts', runs: { sh: 'all', plain: 'all' } },
  ],
  'connect-an-assistant.md': [
    { by: 'services/mcp-server/test/connect-guide.test.ts', runs: { ts: 'all' } },
    {
      except: ['http', 'claude', 'npx', '{', 'import asyncio'],
      because: 'it is a setting of a client of another maker; `pnpm test:clients` connects these clients',
    },
  ],
  'find-leads.md': [{ by: 'services/gateway/test/guide-blocks.test.ts', runs: { sh: 'all', csv: 1 } }],
  'how-lookalikes-are-ranked.md': [
    {
      except: ['CREATE EXTENSION vector'],
      because: 'it needs pgvector; `pnpm test:pgvector` runs it where it is installed',
    },
  ],
  'install-with-helm.md': [
    {
      except: [
        'sh deploy/build-images.sh',
        'kubectl',
        'helm install',
        'publicUrl:',
        'pods:',
        'searchEngine:',
      ],
      because: needsCluster,
    },
  ],
  'load-your-data.md': [
    { by: 'services/gateway/test/guide-blocks.test.ts', runs: { sh: 'all' } },
    { except: ['docker'], because: needsDocker },
    { except: ['POD='], because: needsCluster },
  ],
  'no-code-tools.md': [{ by: 'services/gateway/test/google-sheets.test.ts', runs: { sh: 1, text: 1 } }],
  'payment.md': [
    { by: 'services/gateway/test/guide-blocks.test.ts', runs: { sh: 1 } },
    { by: 'services/gateway/test/stripe-payment.test.ts', runs: { sh: 1 } },
  ],
  'port-25-and-sender-reputation.md': [
    {
      except: ['npx pnpm run doctor'],
      because: 'it asks real DNS and mail hosts; `doctor --lab` is tested with its output',
    },
  ],
  'privacy.md': [{ by: 'services/gateway/test/guide-blocks.test.ts', runs: { sh: 1 } }],
  'profile-enrichment.md': [
    { by: 'services/enrichment/test/profile-enrichment-page.test.ts', runs: { json: 3 } },
    { by: 'services/gateway/test/guide-blocks.test.ts', runs: { sh: 'all' } },
  ],
  'push-rows.md': [
    { by: 'services/webhook-dispatcher/test/push-rows-page.test.ts', runs: { js: 2 } },
    { by: 'services/gateway/test/guide-blocks.test.ts', runs: { sh: 'all' } },
  ],
  'quick-start.md': [
    { by: 'services/gateway/test/quick-start-page.test.ts', runs: { sh: 3, ts: 3, python: 3, csv: 1 } },
    { by: 'services/gateway/test/guide-blocks.test.ts', runs: { sh: 1, bash: 1 } },
  ],
  'receive-events.md': [
    { by: 'services/gateway/test/receive-events-page.test.ts', runs: { sh: 'all', ts: 1, json: 1 } },
  ],
  'reliability.md': [{ except: ['npx pnpm faults', 'npx pnpm load'], because: isLong }],
  'report-outcomes.md': [
    { by: 'services/gateway/test/report-outcomes-page.test.ts', runs: { sh: 4, json: 1 } },
    { except: ['poll imap'], because: 'it is a setting of fetchmail, which needs a mailbox' },
  ],
  'run-with-compose.md': [
    { except: ['sh deploy/build-images.sh', 'docker compose exec'], because: ofCompose },
    { except: ['sh deploy/write-env.sh', 'docker compose run', 'COMPOSE_PROFILES'], because: needsDocker },
  ],
  'sandbox.md': [
    { by: 'services/gateway/test/sandbox.test.ts', runs: { sh: 1 } },
    { by: 'services/gateway/test/sandbox-jobs.test.ts', runs: { sh: 1 } },
    { by: 'services/gateway/test/sandbox-people.test.ts', runs: { sh: 3 } },
    { by: 'services/mcp-server/test/connect-guide.test.ts', runs: { ts: 1 } },
  ],
  'scaling-out.md': [{ except: ['docker'], because: needsDocker }],
  'secrets-rotation.md': [
    { by: 'services/gateway/test/secrets-rotation.long.ts', runs: { sql: 2, redis: 1 } },
    { by: 'services/gateway/test/guide-blocks.test.ts', runs: { sh: 'all' } },
    { except: ['new="k2026-11'], because: ofCluster },
    { except: ['docker'], because: needsDocker },
  ],
  'telemetry.md': [
    {
      except: ['OTEL_METRICS_EXPORTER'],
      because: 'it is `npm start` with a setting; the tests of telemetry start services with it',
    },
  ],
  'threat-model.md': [{ except: ['flowchart'], because: 'it is a drawing' }],
  'upgrading.md': [
    { except: ['git pull\ndocker'], because: ofCompose },
    { except: ['git pull\nhelm', 'git pull\nnpm'], because: 'it changes the checkout' },
    { except: ['docker'], because: needsDocker },
    { except: ['npx pnpm test:earlier-release'], because: isLong },
  ],
  'validate-a-list.md': [
    { by: 'services/gateway/test/validate-a-list-page.test.ts', runs: { sh: 'all', json: 3, csv: 2 } },
  ],
};
