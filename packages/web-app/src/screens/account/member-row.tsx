import { Ellipsis, UserRound } from 'lucide-react';
import { useState } from 'react';
import { api, type Schema } from '../../api/client.ts';
import { Badge } from '../../design/badge.tsx';
import { IconButton } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { formatDay } from '../../design/format.ts';
import { Menu, MenuItem } from '../../design/menu.tsx';
import { announce } from '../../design/toasts.tsx';
import styles from './account.module.css';
import { accountChanged, membersChanged } from './changed.ts';

type Member = Schema['Member'];

/** Somebody who belongs to the account, with what an owner can do about it. */
export function MemberRow({ member, isMe }: { readonly member: Member; readonly isMe: boolean }) {
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
        <span className={styles.small}>Since {formatDay(created_at)}</span>
      </div>
      <Menu
        trigger={
          <IconButton name={`What to do about ${email}`}>
            <Ellipsis size={18} aria-hidden />
          </IconButton>
        }
      >
        <MenuItem onSelect={() => setAsked('role')}>
          {role === 'owner' ? 'Make an ordinary member' : 'Make an owner'}
        </MenuItem>
        <MenuItem onSelect={() => setAsked('remove')}>{isMe ? 'Leave the account' : 'Remove'}</MenuItem>
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
    announce(`${email} is ${next === 'owner' ? 'an owner' : 'a member'} now.`);
    // Who gives up the own role may not read the list any more.
    await (isMe ? accountChanged() : membersChanged());
  }
  return (
    <Confirm
      title={next === 'owner' ? 'Make an owner?' : 'Make an ordinary member?'}
      lead={
        next === 'owner'
          ? `${who} can then do everything: see the API key, change the plan, invite and remove others, and delete the account.`
          : `${who} can then do everything but what concerns the plan, the API key, members and safety.`
      }
      verb={next === 'owner' ? 'Make an owner' : 'Make a member'}
      open={open}
      onOpenChange={isOpen => !isOpen && onClose()}
      onConfirm={change}
    />
  );
}

function Remove({ member: { user_id, email }, isMe, open, onClose }: ChangeProps) {
  async function remove() {
    await api.DELETE('/members/{user_id}', { params: { path: { user_id } } });
    announce(isMe ? 'You have left the account.' : `${email} is removed.`);
    // Whoever has left is led to the sign-in by the next answer.
    await (isMe ? accountChanged() : membersChanged());
  }
  return (
    <Confirm
      title={isMe ? 'Leave the account?' : `Remove ${email}?`}
      lead={
        isMe
          ? 'You are signed out at once and cannot sign in any more. What you made stays with the account.'
          : 'Their sessions and the assistants that they connected end at once. What they made stays with the account.'
      }
      verb={isMe ? 'Leave' : 'Remove'}
      isDanger
      open={open}
      onOpenChange={isOpen => !isOpen && onClose()}
      onConfirm={remove}
    />
  );
}
