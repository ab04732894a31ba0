import { MailCheck } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../../design/button.tsx';
import { Mark, WindowTitle } from '../../design/layout.tsx';
import { classes } from '../../design/looks.ts';
import styles from './access-panel.module.css';

interface AccessPanelProps {
  readonly title: string;
  readonly lead?: ReactNode;
  /** Makes room for more than a short form. */
  readonly isWide?: boolean;
  readonly children?: ReactNode;
  /** Links to related screens. */
  readonly links?: ReactNode;
  /** Below the panel: links for other visitors. */
  readonly foot?: ReactNode;
}

/** A screen for visitors without a session: one panel with one action. */
export function AccessPanel({ title, lead, isWide, children, links, foot }: AccessPanelProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // The pressed element has disappeared. Focuses the heading, so that screen readers read it and Tab continues from
  // there.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new title means a new panel.
  useEffect(() => {
    if (document.activeElement === document.body) heading.current?.focus();
  }, [title]);
  return (
    <main className={styles.frame}>
      <WindowTitle title={title} />
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

interface MailSentProps {
  readonly to: string;
  /** What the mail is for, and how long its link works. */
  readonly children: ReactNode;
  readonly onAgain: () => void;
  readonly links?: ReactNode;
}

/** Shown after a mail was requested: what to do now, and what to do if no mail arrives. */
export function MailSent({ to, children, onAgain, links }: MailSentProps) {
  return (
    <AccessPanel title="Check your email" links={links}>
      <MailCheck size={40} className={styles.sign} aria-hidden />
      <p role="status">
        We sent an email to <strong>{to}</strong>. {children}
      </p>
      <p className={styles.lead}>No email after a few minutes? Check your spam folder, or try again.</p>
      <Button onClick={onAgain}>Use another address, or resend</Button>
    </AccessPanel>
  );
}
