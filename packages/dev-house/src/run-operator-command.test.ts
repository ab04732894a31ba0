import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { projectRoot } from './project-root.ts';
import { serviceOfCommand } from './run-operator-command.ts';

test.each([
  [['account', 'create'], 'gateway'],
  [['key', 'revoke'], 'gateway'],
  [['--help'], 'gateway'],
  [[], 'gateway'],
  [['do-not-probe', 'list'], 'validation-engine'],
  [['ledger', 'audit'], 'credit-ledger'],
  [['signing-keys', 'rotate'], 'mcp-server'],
  [['lookalikes', 'build'], 'enrichment'],
  [['people-index', 'rebuild'], 'enrichment'],
  [['import', 'companies'], 'enrichment'],
  [['synthesize', 'people'], 'enrichment'],
  [['subjects', 'show'], 'enrichment'],
  [['suppressions', 'count'], 'enrichment'],
])('the command %j is carried out by the %s', (args, service) => {
  expect(serviceOfCommand(args)).toBe(service);
  expect(existsSync(join(projectRoot, 'services', service, 'src/ops/main.ts'))).toBe(true);
});
