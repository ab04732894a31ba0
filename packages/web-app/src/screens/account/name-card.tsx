import { limits } from '@mailproof/shared-types';
import { useForm } from 'react-hook-form';
import { $api, type Schema } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { TextInput } from '../../design/field.tsx';
import { Card, Facts } from '../../design/layout.tsx';
import { Failure } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import styles from './account.module.css';
import { accountChanged } from './changed.ts';

/** What the account is called. */
export function NameCard() {
  const { account } = useSession();
  const { register, handleSubmit, formState, reset } = useForm<{ name: string }>({
    defaultValues: { name: account.name },
  });
  const rename = $api.useMutation('put', '/account/name');
  const submit = handleSubmit(body =>
    rename.mutate(
      { body },
      {
        async onSuccess({ account: renamed }: Schema['Profile']) {
          announce('The account has its new name.');
          reset({ name: renamed.name });
          await accountChanged();
        },
      },
    ),
  );
  const isWrong = rename.isError && asProblem(rename.error).code === 'invalid_request';
  return (
    <Card title="Name of the account">
      <form onSubmit={submit} className={styles.form}>
        <TextInput
          label="Name"
          hint="Your members see it, and people whom you invite."
          autoComplete="organization"
          maxLength={limits.accountNameCharactersMax}
          error={isWrong ? 'The name must be one line of ordinary characters.' : undefined}
          required
          {...register('name')}
        />
        {rename.isError && !isWrong && <Failure error={rename.error} />}
        <Button type="submit" busy={rename.isPending} disabled={!formState.isDirty}>
          Rename
        </Button>
      </form>
      <Facts facts={[['Id of the account', <code key="id">{account.account_id}</code>]]} />
    </Card>
  );
}
