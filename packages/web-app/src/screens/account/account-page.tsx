import type { ReactNode } from 'react';
import { Page } from '../../design/layout.tsx';
import { Notice } from '../../design/states.tsx';
import { TabLink, TabLinks } from '../../design/tabs.tsx';

interface AccountPageProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A part of the account, with the way to the others. */
export function AccountPage({ children, ...rest }: AccountPageProps) {
  return (
    <Page {...rest}>
      <TabLinks name="Account">
        <TabLink to="/account" activeOptions={{ exact: true }}>
          Plan
        </TabLink>
        <TabLink to="/account/api-key">API key</TabLink>
        <TabLink to="/account/members">Members</TabLink>
        <TabLink to="/account/security">Security</TabLink>
        <TabLink to="/account/details">Account</TabLink>
      </TabLinks>
      {children}
    </Page>
  );
}

/** In place of what owners alone may do. */
export function OwnersOnly({ children }: { readonly children: ReactNode }) {
  return <Notice tone="neutral">{children}</Notice>;
}
