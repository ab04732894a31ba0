import { useForm } from 'react-hook-form';
import { $api, type Schema } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
import { Select, TextInput } from '../../design/field.tsx';
import { Failure } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import styles from './account.module.css';
import { membersChanged } from './changed.ts';

/** Sends somebody a mail with a link that makes them a member. */
export function InviteForm() {
  const { register, handleSubmit, reset } = useForm<Schema['InvitationRequest']>({
    defaultValues: { role: 'member' },
  });
  const invite = $api.useMutation('post', '/members/invitations');
  const submit = handleSubmit(body =>
    invite.mutate(
      { body },
      {
        async onSuccess({ email }) {
          announce(`A mail with an invitation is on its way to ${email}.`);
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
        <option value="member">Member: everything but plan, key, members and safety</option>
        <option value="owner">Owner: everything</option>
      </Select>
      {invite.isError && <Failure error={invite.error} />}
      <Button type="submit" look="primary" busy={invite.isPending}>
        Invite
      </Button>
    </form>
  );
}
