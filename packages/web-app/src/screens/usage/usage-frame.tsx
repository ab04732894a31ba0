import type { ReactNode } from 'react';
import { Select } from '../../design/field.tsx';
import { Page } from '../../design/layout.tsx';
import { TabLink, TabLinks } from '../../design/tabs.tsx';
import { type Period, periodDefault, periods, readPeriod } from '../../ledger/period.ts';
import styles from './usage.module.css';

interface UsageFrameProps {
  readonly period: Period | undefined;
  readonly onPeriod: (period: Period | undefined) => void;
  /** What is chosen beside the period. */
  readonly choices?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** What the parts of the area have in common: where one is, and which period one looks at. */
export function UsageFrame({ period, onPeriod, choices, actions, children }: UsageFrameProps) {
  return (
    <Page title="Usage" lead="What was spent, on what, and where every credit went." actions={actions}>
      <TabLinks name="Parts of the usage">
        <TabLink to="/usage" search={{ period }} activeOptions={{ exact: true, includeSearch: false }}>
          Overview
        </TabLink>
        <TabLink to="/usage/statement" search={{ period, show: undefined }}>
          Statement
        </TabLink>
        <TabLink to="/usage/receipts" search={{ period }} activeOptions={{ includeSearch: false }}>
          Receipts
        </TabLink>
      </TabLinks>
      <div className={styles.choices}>
        <Select
          label="Period"
          value={period ?? periodDefault}
          onChange={({ target }) => {
            const chosen = readPeriod(target.value);
            onPeriod(chosen === periodDefault ? undefined : chosen);
          }}
        >
          {Object.entries(periods).map(([value, { label }]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
        {choices}
      </div>
      {children}
    </Page>
  );
}
