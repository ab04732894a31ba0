import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { projectRoot } from '../src/project-root.ts';

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly labels: { readonly severity: string };
      readonly annotations: Readonly<Record<'summary' | 'description' | 'runbook', string>>;
    }[];
  }[];
}

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly targets: readonly { readonly expr: string }[];
  }[];
}

const textOf = (path: string) => readFileSync(join(projectRoot, path), 'utf8');
const alerts = (parse(textOf('deploy/prometheus/rules/mailproof.yaml')) as Rules).groups.flatMap(
  ({ rules }) => rules,
);
const pages = readdirSync(join(projectRoot, 'docs/runbooks')).filter(file => file !== 'README.md');
const dashboards = readdirSync(join(projectRoot, 'deploy/grafana/dashboards')).map(file => ({
  file,
  content: JSON.parse(textOf(`deploy/grafana/dashboards/${file}`)) as Dashboard,
}));

describe('alerts', () => {
  it('have a page each, and each page has its alert and its line in the list', () => {
    expect(alerts.length).toBeGreaterThan(10);
    expect(alerts.map(({ annotations }) => basename(annotations.runbook)).sort()).toEqual(pages.sort());
    // Tables are padded to equal widths.
    const list = textOf('docs/runbooks/README.md').replaceAll(/ +/g, ' ');
    for (const { alert, labels, annotations } of alerts) {
      expect(list).toContain(`| [${alert}](${basename(annotations.runbook)}) | ${labels.severity}`);
    }
  });

  it.each(alerts)('$alert says what it is, and its page what to do', ({ alert, labels, annotations }) => {
    expect(alert).toMatch(/^Mailproof[A-Z]/);
    expect(['warning', 'critical']).toContain(labels.severity);
    expect(annotations.summary).toMatch(/\.$/);
    expect(annotations.description).toMatch(/\.$/);
    const page = textOf(annotations.runbook);
    expect(page.split('\n')[0]).toBe(`# ${alert}`);
    expect([...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title)).toEqual([
      'Check',
      'Respond',
      'When it resolves',
    ]);
  });
});

describe('the alert about memory', () => {
  const { services } = parse(textOf('helm/mailproof/values.yaml')) as {
    services: Readonly<
      Record<string, { readonly resources: { readonly limits: { readonly memory: string } } }>
    >;
  };
  const { expr = '' } = alerts.find(({ alert }) => alert === 'MailproofMemoryHigh') ?? {};
  const thresholds = new Map(
    [...expr.matchAll(/\{service_name=~?"([^"]+)"\} > (\d+) \* 2\^20/g)].flatMap(
      ([, names = '', mebibytes]) => names.split('|').map(name => [name, Number(mebibytes)] as const),
    ),
  );

  it('fires for every service at three quarters of its memory limit in the chart', () => {
    const limits = Object.entries(services).map(([name, { resources }]) => {
      const [, amount, unit] = /^(\d+)([MG])i$/.exec(resources.limits.memory) ?? [];
      return [name, Number(amount) * (unit === 'G' ? 1024 : 1) * 0.75] as const;
    });
    expect(limits.length).toBeGreaterThan(5);
    expect(thresholds).toEqual(new Map(limits));
  });
});

describe('dashboards', () => {
  it.each(dashboards)('$file can be provisioned with the others', ({ file, content }) => {
    expect(`${content.uid}.json`).toBe(file);
    expect(content.panels.length).toBeGreaterThan(5);
    expect(new Set(content.panels.map(({ id }) => id)).size).toBe(content.panels.length);
    for (const { title, targets } of content.panels) {
      expect([title, targets.length > 0 && targets.every(({ expr }) => expr !== '')]).toEqual([title, true]);
    }
  });

  it('do not sum metrics that all replicas report for a shared resource', () => {
    const shared = /mailproof_(?:queue|outbox)_/;
    const asked = [
      ...dashboards.flatMap(({ content }) => content.panels.flatMap(({ targets }) => targets)),
      ...alerts,
    ].map(({ expr }) => expr);
    const ofShared = asked.filter(expr => shared.test(expr));
    expect(ofShared.length).toBeGreaterThan(5);
    expect(ofShared.filter(expr => !expr.startsWith('max'))).toEqual([]);
  });
});
