import { $api, type Schema } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { Answered } from '../../design/answered.tsx';
import { LinkButton } from '../../design/button.tsx';
import { countOf } from '../../design/format.ts';
import { Card, Stack } from '../../design/layout.tsx';
import { Notice } from '../../design/states.tsx';
import styles from './account.module.css';
import { AccountPage, OwnersOnly } from './account-page.tsx';
import { InvitationRow } from './invitation-row.tsx';
import { InviteForm } from './invite-form.tsx';
import { MemberRow } from './member-row.tsx';

/** Who belongs to the account, and who is asked to. */
export function MembersScreen() {
  const isOwner = useSession().role === 'owner';
  return (
    <AccountPage
      title="Members"
      lead="Everybody here works with the same credits. Owners also see the key, choose the plan and invite others."
    >
      {isOwner ? <Members /> : <OwnersOnly>Owners of the account see and invite its members.</OwnersOnly>}
    </AccountPage>
  );
}

function Members() {
  return (
    <Answered question={$api.useQuery('get', '/members')} lines={4} loading="Loading the members">
      {members => <Listed {...members} />}
    </Answered>
  );
}

function Listed({ members, invitations, members_max: max }: Schema['Members']) {
  const { user_id: mine } = useSession();
  const taken = members.length + invitations.length;
  return (
    <Stack>
      <Card title="Invite somebody">
        <p className={styles.soft}>
          {`${taken} of ${countOf(max, 'place')} of your plan ${taken === 1 ? 'is' : 'are'} taken`}
          {invitations.length > 0 && `, ${invitations.length} of them by open invitations`}.
        </p>
        {taken >= max ? (
          <Notice tone="neutral" title="Your plan has no room for another member">
            <span>Remove a member, withdraw an invitation, or choose a plan with more members.</span>
            <LinkButton to="/account">Look at the plans</LinkButton>
          </Notice>
        ) : (
          <InviteForm />
        )}
      </Card>
      {invitations.length > 0 && (
        <Card title="Open invitations">
          <ul className={styles.list}>
            {invitations.map(each => (
              <InvitationRow key={each.invitation_id} invitation={each} />
            ))}
          </ul>
        </Card>
      )}
      <Card title={countOf(members.length, 'member')}>
        <ul className={styles.list}>
          {members.map(each => (
            <MemberRow key={each.user_id} member={each} isMe={each.user_id === mine} />
          ))}
        </ul>
      </Card>
    </Stack>
  );
}
