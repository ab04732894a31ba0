import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { TabLink, TabLinks } from '../../design/tabs.tsx';
import { AccessPanel } from '../access/access-panel.tsx';

interface OptOutPanelProps {
  readonly title: string;
  readonly lead: ReactNode;
  readonly children: ReactNode;
}

/** Two ways of being left alone: as a person, and as whoever runs a domain. */
export function OptOutPanel({ title, lead, children }: OptOutPanelProps) {
  return (
    <AccessPanel
      title={title}
      lead={lead}
      isWide
      foot={
        <>
          A customer? <Link to="/sign-in">Sign in</Link>
        </>
      }
    >
      <TabLinks name="Who you are">
        <TabLink to="/opt-out" activeOptions={{ exact: true }}>
          I am a person
        </TabLink>
        <TabLink to="/opt-out/domain">I run a domain or a mail host</TabLink>
      </TabLinks>
      {children}
    </AccessPanel>
  );
}
