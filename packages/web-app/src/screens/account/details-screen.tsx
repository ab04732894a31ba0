import { useSession } from '../../api/session.ts';
import { Stack } from '../../design/layout.tsx';
import { AccountPage, OwnersOnly } from './account-page.tsx';
import { DeleteCard } from './delete-card.tsx';
import { EmailCard } from './email-card.tsx';
import { ExportCard } from './export-card.tsx';
import { NameCard } from './name-card.tsx';

/** The account's name, its user's address, what is kept of it, and its end. */
export function DetailsScreen() {
  const isOwner = useSession().role === 'owner';
  return (
    <AccountPage title="Account" lead="Names, addresses, and what is kept of you.">
      <Stack>
        {isOwner && <NameCard />}
        <EmailCard />
        {isOwner ? (
          <>
            <ExportCard />
            <DeleteCard />
          </>
        ) : (
          <OwnersOnly>Owners of the account rename it, export what is kept of it, and delete it.</OwnersOnly>
        )}
      </Stack>
    </AccountPage>
  );
}
