import { useSession } from '../../api/session.ts';
import { Stack } from '../../design/layout.tsx';
import { AccountPage, OwnersOnly } from './account-page.tsx';
import { PasswordCard } from './password-card.tsx';
import { SecurityEvents } from './security-events.tsx';
import { SessionsCard } from './sessions-card.tsx';

/** Where one is signed in, the password, and what happened. */
export function SecurityScreen() {
  const isOwner = useSession().role === 'owner';
  return (
    <AccountPage
      title="Security"
      lead="Where you are signed in, your password, and what happened to the account."
    >
      <Stack>
        <SessionsCard />
        <PasswordCard />
        {isOwner ? (
          <SecurityEvents />
        ) : (
          <OwnersOnly>What happened to the safety of the account is listed for its owners.</OwnersOnly>
        )}
      </Stack>
    </AccountPage>
  );
}
