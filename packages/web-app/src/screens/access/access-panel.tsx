import { type ReactNode, useEffect, useRef } from 'react';
import { classes } from '../../design/classes.ts';
import { Mark } from '../../shell/mark.tsx';
import styles from './access.module.css';

interface AccessPanelProps {
  readonly title: string;
  readonly lead?: ReactNode;
  /** For more than a form of a few fields. */
  readonly isWide?: boolean;
  readonly children?: ReactNode;
  /** Other ways from here. */
  readonly links?: ReactNode;
  /** Below the panel: for whoever came for something else. */
  readonly foot?: ReactNode;
}

/** What whoever has not signed in sees: one panel with one thing to do. */
export function AccessPanel({ title, lead, isWide, children, links, foot }: AccessPanelProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // What was pressed before is gone: screen readers say where one is now, and the keyboard goes on from there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another title is another panel.
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus();
  }, [title]);
  return (
    <main className={styles.frame}>
      <title>{`${title} · Mailproof`}</title>
      <div className={styles.brand}>
        <Mark size={30} />
        Mailproof
      </div>
      <div className={classes(styles.panel, isWide && styles.wide)}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {lead && <p className={styles.lead}>{lead}</p>}
        {children}
        {links && <div className={styles.links}>{links}</div>}
      </div>
      {foot && <div className={styles.foot}>{foot}</div>}
    </main>
  );
}
