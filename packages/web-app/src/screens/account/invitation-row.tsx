import { Mail } from 'lucide-react';
import { useState } from 'react';
import { api, type Schema } from '../../api/client.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { formatMoment } from '../../design/format.ts';
import { announce } from '../../design/toasts.tsx';
import styles from './account.module.css';
import { membersChanged } from './changed.ts';

/** Somebody who was asked and has not come yet. */
export function InvitationRow({ invitation }: { readonly invitation: Schema['Invitation'] }) {
  const { invitation_id, email, role, expires_at } = invitation;
  const [isAsked, setAsked] = useState(false);
  async function withdraw() {
    await api.DELETE('/members/invitations/{invitation_id}', { params: { path: { invitation_id } } });
    announce(`The invitation to ${email} is withdrawn.`);
    await membersChanged();
  }
  return (
    <li className={styles.item}>
      <Mail size={20} aria-hidden />
      <div className={styles.itemText}>
        <span className={styles.itemTitle}>
          {email} {role === 'owner' && <Badge>Owner</Badge>}
        </span>
        <span className={styles.small}>The link works until {formatMoment(expires_at)}</span>
      </div>
      <Button onClick={() => setAsked(true)}>
        Withdraw<span className="visually-hidden"> the invitation to {email}</span>
      </Button>
      <Confirm
        title="Withdraw the invitation?"
        lead={`The link in the mail to ${email} does not work any more then.`}
        verb="Withdraw"
        isDanger
        open={isAsked}
        onOpenChange={setAsked}
        onConfirm={withdraw}
      />
    </li>
  );
}
