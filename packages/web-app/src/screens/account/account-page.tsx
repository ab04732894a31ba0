import type { ReactNode } from 'react';
import { $api, queryClient } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { formatSeconds } from '../../design/format.ts';
import { Page } from '../../design/layout.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import { TabLink, TabLinks } from '../../design/tabs.tsx';

interface AccountPageProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** A page of the account area, with tabs for the others. */
export function AccountPage({ children, ...rest }: AccountPageProps) {
  return (
    <Page {...rest}>
      <TabLinks name="Account">
        <TabLink to="/account" activeOptions={{ exact: true }}>
          Plan
        </TabLink>
        <TabLink to="/account/api-key">API keys</TabLink>
        <TabLink to="/account/members">Members</TabLink>
        <TabLink to="/account/security">Security</TabLink>
        <TabLink to="/account/notices">Notices</TabLink>
        <TabLink to="/account/details">Account</TabLink>
      </TabLinks>
      {children}
    </Page>
  );
}

/** Shown in place of controls that only owners can use. */
export function OwnersOnly({ children }: { readonly children: ReactNode }) {
  return <Notice tone="neutral">{children}</Notice>;
}

/** Refetches the members and the security events. */
export async function membersChanged(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: $api.queryOptions('get', '/members').queryKey }),
    queryClient.invalidateQueries({ queryKey: ['get', '/security-events'] }),
  ]);
}

/** Refetches the named API keys and the security events. */
export async function namedKeysChanged(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: $api.queryOptions('get', '/api-keys').queryKey }),
    queryClient.invalidateQueries({ queryKey: ['get', '/security-events'] }),
  ]);
}

/** Refetches the session, the profile and the list of sessions. */
export async function accountChanged(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: $api.queryOptions('get', '/session').queryKey }),
    queryClient.invalidateQueries({ queryKey: $api.queryOptions('get', '/profile').queryKey }),
    queryClient.invalidateQueries({ queryKey: $api.queryOptions('get', '/sessions').queryKey }),
    queryClient.invalidateQueries({ queryKey: ['get', '/security-events'] }),
  ]);
}

/** Shows why an action that requires the password failed. */
export function PasswordFailure({ error }: { readonly error: unknown }) {
  const { code, retryAfterMs } = asProblem(error);
  if (code === 'wrong_password') {
    return (
      <Notice tone="bad" title="The current password is wrong" alert>
        <span>Your settings are unchanged. Try again, or sign out and reset your password.</span>
      </Notice>
    );
  }
  if (code === 'signing_in_locked') {
    return (
      <Notice tone="caution" title="Too many wrong passwords" alert>
        <span>
          Your settings are unchanged. Try again
          {retryAfterMs === undefined ? ' later' : ` in ${formatSeconds(Math.ceil(retryAfterMs / 1_000))}`}.
        </span>
      </Notice>
    );
  }
  return <Failure error={error} />;
}
