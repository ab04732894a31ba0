import type { ReactNode } from 'react';
import { Select } from '../../design/field.tsx';
import { Page } from '../../design/layout.tsx';
import { TabLink, TabLinks } from '../../design/tabs.tsx';
import { type Period, periodDefault, periods, readPeriod } from '../../ledger/spending.ts';
import styles from './usage.module.css';

interface UsageFrameProps {
  /** The heading and the window title. */
  readonly title: string;
  readonly lead: string;
  readonly period: Period | undefined;
  readonly onPeriod: (period: Period | undefined) => void;
  /** Other controls next to the period. */
  readonly choices?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of the usage screens: the tabs and the period. */
export function UsageFrame({ title, lead, period, onPeriod, choices, actions, children }: UsageFrameProps) {
  return (
    <Page title={title} lead={lead} actions={actions}>
      <TabLinks name="Usage sections">
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
