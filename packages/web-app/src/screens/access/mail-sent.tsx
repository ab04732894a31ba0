import { MailCheck } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../design/button.tsx';
import styles from './access.module.css';
import { AccessPanel } from './access-panel.tsx';

interface MailSentProps {
  readonly to: string;
  /** What the mail is for, and how long its link works. */
  readonly children: ReactNode;
  readonly onAgain: () => void;
  readonly links?: ReactNode;
}

/** After a mail was asked for: what to do now, and what to do if nothing comes. */
export function MailSent({ to, children, onAgain, links }: MailSentProps) {
  return (
    <AccessPanel title="Look into your mail" links={links}>
      <MailCheck size={40} className={styles.sign} aria-hidden />
      <p role="status">
        A mail is on its way to <strong>{to}</strong>. {children}
      </p>
      <p className={styles.lead}>Nothing after some minutes? Look among the unwanted mail, or try again.</p>
      <Button onClick={onAgain}>Use another address, or send it again</Button>
    </AccessPanel>
  );
}
