import { Ellipsis, Mail, UserRound } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { $api, api, type Schema } from '../../api/client.ts';
import { Badge } from '../../design/badge.tsx';
import { Button, IconButton, LinkButton } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { Select, TextInput } from '../../design/field.tsx';
import { countOf, formatDay, formatMoment } from '../../design/format.ts';
import { Card, Stack } from '../../design/layout.tsx';
import { Menu, MenuItem } from '../../design/menu.tsx';
import { Answered, Failure, Notice } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { useSession } from '../../shell/session.ts';
import styles from './account.module.css';
import { AccountPage, accountChanged, membersChanged, OwnersOnly } from './account-page.tsx';

/** The members of the account and the pending invitations. */
export function MembersScreen() {
  const isOwner = useSession().role === 'owner';
  return (
    <AccountPage
      title="Members"
      lead="All members share the account’s credits. Owners can also view the API key, change the plan and invite members."
    >
      {isOwner ? <Members /> : <OwnersOnly>Only owners can see and invite members.</OwnersOnly>}
    </AccountPage>
  );
}

function Members() {
  return (
    <Answered question={$api.useQuery('get', '/members')} lines={4} loading="Loading members">
      {members => <Listed {...members} />}
    </Answered>
  );
}

function Listed({ members, invitations, members_max: max }: Schema['Members']) {
  const { user_id: mine } = useSession();
  const taken = members.length + invitations.length;
  return (
    <Stack>
      <Card title="Invite a member">
        <p className={styles.soft}>
          {`${taken} of ${countOf(max, 'member')} in your plan`}
          {invitations.length > 0 && `, including ${countOf(invitations.length, 'open invitation')}`}.
        </p>
        {taken >= max ? (
          <Notice tone="neutral" title="Your plan’s member limit is reached">
            <span>Remove a member, withdraw an invitation, or choose a plan with more members.</span>
            <LinkButton to="/account">See plans</LinkButton>
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

/** Invites a person by a mail with a link that makes them a member. */
function InviteForm() {
  const { register, handleSubmit, reset } = useForm<Schema['InvitationRequest']>({
    defaultValues: { role: 'member' },
  });
  const invite = $api.useMutation('post', '/members/invitations');
  const submit = handleSubmit(body =>
    invite.mutate(
      { body },
      {
        async onSuccess({ email }) {
          announce(`Invitation sent to ${email}.`);
          reset();
          await membersChanged();
        },
      },
    ),
  );
  return (
    <form onSubmit={submit} className={styles.form}>
      <TextInput label="Email address" type="email" autoComplete="off" required {...register('email')} />
      <Select label="Role" hint="You can change it at any time." {...register('role')}>
        <option value="member">Member: everything except plan, API key, members and security</option>
        <option value="owner">Owner: full access</option>
      </Select>
      {invite.isError && <Failure error={invite.error} />}
      <Button type="submit" look="primary" busy={invite.isPending}>
        Invite
      </Button>
    </form>
  );
}

type Member = Schema['Member'];

/** A member of the account, with the actions of an owner. */
function MemberRow({ member, isMe }: { readonly member: Member; readonly isMe: boolean }) {
  const { email, role, created_at } = member;
  const [asked, setAsked] = useState<'role' | 'remove'>();
  return (
    <li className={styles.item}>
      <UserRound size={20} aria-hidden />
      <div className={styles.itemText}>
        <span className={styles.itemTitle}>
          {email}
          <Badge tone={role === 'owner' ? 'good' : 'neutral'}>{role === 'owner' ? 'Owner' : 'Member'}</Badge>
          {isMe && <Badge>You</Badge>}
        </span>
        <span className={styles.small}>Joined {formatDay(created_at)}</span>
      </div>
      <Menu
        trigger={
          <IconButton name={`Actions for ${email}`}>
            <Ellipsis size={18} aria-hidden />
          </IconButton>
        }
      >
        <MenuItem onSelect={() => setAsked('role')}>
          {role === 'owner' ? 'Make member' : 'Make owner'}
        </MenuItem>
        <MenuItem onSelect={() => setAsked('remove')}>{isMe ? 'Leave account' : 'Remove'}</MenuItem>
      </Menu>
      <ChangeRole {...{ member, isMe }} open={asked === 'role'} onClose={() => setAsked(undefined)} />
      <Remove {...{ member, isMe }} open={asked === 'remove'} onClose={() => setAsked(undefined)} />
    </li>
  );
}

interface ChangeProps {
  readonly member: Member;
  readonly isMe: boolean;
  readonly open: boolean;
  readonly onClose: () => void;
}

function ChangeRole({ member: { user_id, email, role }, isMe, open, onClose }: ChangeProps) {
  const next = role === 'owner' ? 'member' : 'owner';
  const who = isMe ? 'You' : email;
  async function change() {
    await api.PUT('/members/{user_id}', { params: { path: { user_id } }, body: { role: next } });
    announce(`${email} is now ${next === 'owner' ? 'an owner' : 'a member'}.`);
    // A user who gives up the owner role may no longer read the list.
    await (isMe ? accountChanged() : membersChanged());
  }
  return (
    <Confirm
      title={next === 'owner' ? 'Make owner?' : 'Make member?'}
      lead={
        next === 'owner'
          ? `${who} will have full access: view the API key, change the plan, invite and remove members, and delete the account.`
          : `${who} will have full access except to the plan, the API key, members and security. If they have seen API keys, replace these.`
      }
      verb={next === 'owner' ? 'Make owner' : 'Make member'}
      open={open}
      onOpenChange={isOpen => !isOpen && onClose()}
      onConfirm={change}
    />
  );
}

function Remove({ member: { user_id, email, role }, isMe, open, onClose }: ChangeProps) {
  async function remove() {
    await api.DELETE('/members/{user_id}', { params: { path: { user_id } } });
    announce(isMe ? 'You have left the account.' : `${email} removed.`);
    // For a user who has left, the next response redirects to the sign-in.
    await (isMe ? accountChanged() : membersChanged());
  }
  return (
    <Confirm
      title={isMe ? 'Leave this account?' : `Remove ${email}?`}
      lead={
        isMe
          ? 'You are signed out immediately and cannot sign in again. What you created stays in the account.'
          : `Their sessions and assistants end immediately. What they created stays in the account.${role === 'owner' ? ' If they have seen API keys, replace these.' : ''}`
      }
      verb={isMe ? 'Leave account' : 'Remove'}
      isDanger
      open={open}
      onOpenChange={isOpen => !isOpen && onClose()}
      onConfirm={remove}
    />
  );
}

/** A pending invitation. */
function InvitationRow({ invitation }: { readonly invitation: Schema['Invitation'] }) {
  const { invitation_id, email, role, expires_at } = invitation;
  const [isAsked, setAsked] = useState(false);
  async function withdraw() {
    await api.DELETE('/members/invitations/{invitation_id}', { params: { path: { invitation_id } } });
    announce(`Invitation to ${email} withdrawn.`);
    await membersChanged();
  }
  return (
    <li className={styles.item}>
      <Mail size={20} aria-hidden />
      <div className={styles.itemText}>
        <span className={styles.itemTitle}>
          {email} {role === 'owner' && <Badge>Owner</Badge>}
        </span>
        <span className={styles.small}>Expires {formatMoment(expires_at)}</span>
      </div>
      <Button onClick={() => setAsked(true)}>
        Withdraw<span className="visually-hidden"> the invitation to {email}</span>
      </Button>
      <Confirm
        title="Withdraw this invitation?"
        lead={`The link in the email to ${email} will stop working.`}
        verb="Withdraw invitation"
        isDanger
        open={isAsked}
        onOpenChange={setAsked}
        onConfirm={withdraw}
      />
    </li>
  );
}
