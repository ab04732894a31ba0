import { createLink } from '@tanstack/react-router';
import { Tabs as Parts } from 'radix-ui';
import type { AnchorHTMLAttributes, ReactNode, Ref } from 'react';
import styles from './tabs.module.css';

interface TabsProps {
  readonly name: string;
  readonly tabs: readonly { readonly value: string; readonly label: string; readonly content: ReactNode }[];
  readonly defaultValue?: string;
}

/** Alternative ways to do one thing, one visible at a time. */
export function Tabs({ name, tabs, defaultValue }: TabsProps) {
  return (
    <Parts.Root defaultValue={defaultValue ?? tabs[0]?.value ?? ''}>
      <Parts.List className={styles.tabs} aria-label={name}>
        {tabs.map(({ value, label }) => (
          <Parts.Trigger key={value} value={value} className={styles.tab}>
            {label}
          </Parts.Trigger>
        ))}
      </Parts.List>
      {tabs.map(({ value, content }) => (
        <Parts.Content key={value} value={value} className={styles.content}>
          {content}
        </Parts.Content>
      ))}
    </Parts.Root>
  );
}

/** Tabs whose parts each have a URL. */
export function TabLinks({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <nav className={styles.tabs} aria-label={name}>
      {children}
    </nav>
  );
}

/** A tab with a URL; the router determines which one is active. */
export const TabLink = createLink(
  ({ children, ...rest }: AnchorHTMLAttributes<HTMLAnchorElement> & { ref?: Ref<HTMLAnchorElement> }) => (
    <a {...rest} className={styles.tab}>
      {children}
    </a>
  ),
);
