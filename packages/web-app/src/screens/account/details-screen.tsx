import { limits } from '@mailproof/shared-types';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { addressWithAccount } from '../../api/browser-session.ts';
import { $api, api, type Schema } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { Button } from '../../design/button.tsx';
import { TypedConfirm } from '../../design/dialog.tsx';
import { DownloadLink } from '../../design/downloads.tsx';
import { PasswordInput, PasswordOwner, TextInput } from '../../design/field.tsx';
import { Card, Facts, Row, Stack } from '../../design/layout.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { endedHere, useSession } from '../../shell/session.ts';
import styles from './account.module.css';
import { AccountPage, accountChanged, OwnersOnly, PasswordFailure } from './account-page.tsx';

/** The account's name, the user's email address, the data export, and the deletion of the account. */
export function DetailsScreen() {
  const isOwner = useSession().role === 'owner';
  return (
    <AccountPage title="Account details" lead="Name, email address and account data.">
      <Stack>
        {isOwner && <NameCard />}
        <EmailCard />
        {isOwner ? (
          <>
            <ExportCard />
            <DeleteCard />
          </>
        ) : (
          <OwnersOnly>Only owners can rename, export or delete the account.</OwnersOnly>
        )}
      </Stack>
    </AccountPage>
  );
}

/** The name of the account. */
function NameCard() {
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
          announce('Account renamed.');
          reset({ name: renamed.name });
          await accountChanged();
        },
      },
    ),
  );
  const isWrong = rename.isError && asProblem(rename.error).code === 'invalid_request';
  return (
    <Card title="Account name">
      <form onSubmit={submit} className={styles.form}>
        <TextInput
          label="Name"
          hint="Visible to members and to people you invite."
          autoComplete="organization"
          maxLength={limits.accountNameCharactersMax}
          error={isWrong ? 'Enter the name on one line, without control characters.' : undefined}
          required
          {...register('name')}
        />
        {rename.isError && !isWrong && <Failure error={rename.error} />}
        <Button type="submit" busy={rename.isPending} disabled={!formState.isDirty}>
          Rename
        </Button>
      </form>
      <Facts facts={[['Account ID', <code key="id">{account.account_id}</code>]]} />
    </Card>
  );
}

/** The email address with which the user signs in. */
function EmailCard() {
  const { email } = useSession();
  const { register, handleSubmit, reset } = useForm<Schema['EmailChangeRequest']>();
  const ask = $api.useMutation('post', '/email-changes');
  const submit = handleSubmit(body => ask.mutate({ body }, { onSuccess: () => reset() }));
  return (
    <Card title="Your email address">
      <p className={styles.soft}>
        You sign in with <strong>{email}</strong>. To change it, follow the link that we send to the new
        address.
      </p>
      {ask.data && (
        <Notice tone="good" title="Check your email" alert>
          <span>
            We sent a link to {ask.data.sent_to}. Until you follow it, nothing changes; it works for 24 hours.
          </span>
        </Notice>
      )}
      <form onSubmit={submit} className={styles.form}>
        <TextInput
          label="New email address"
          type="email"
          autoComplete="email"
          required
          {...register('email')}
        />
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          {...register('current_password')}
        />
        {ask.isError && <PasswordFailure error={ask.error} />}
        <Button type="submit" busy={ask.isPending}>
          Send link
        </Button>
      </form>
    </Card>
  );
}

/** Exports all stored data of the account as a file. */
function ExportCard() {
  return (
    <Card title="Export your data">
      <p className={styles.soft}>
        All data of the account, as one newline-delimited JSON file. Passwords and keys are not included. The
        last line contains <code>"complete": true</code>; a file without it is incomplete. The export is
        recorded in the security events.
      </p>
      <Row>
        <DownloadLink href={addressWithAccount('/account/export')}>Export account</DownloadLink>
      </Row>
    </Card>
  );
}

/** Deletes the account. */
function DeleteCard() {
  const { account, email } = useSession();
  const [isAsked, setAsked] = useState(false);
  const [password, setPassword] = useState('');
  async function remove() {
    try {
      await api.DELETE('/account', { body: { password, account_name: account.name } });
    } catch (error) {
      if (asProblem(error).code === 'wrong_password') setPassword('');
      throw error;
    }
    endedHere('deleted');
  }
  return (
    <Card title="Delete account" className={styles.danger}>
      <p className={styles.soft}>
        Permanently closes the account: all users are signed out, the API key stops working, remaining credits
        expire, and lists, results and saved people are deleted. This cannot be undone.
      </p>
      <Row>
        <Button
          look="danger"
          onClick={() => {
            setPassword('');
            setAsked(true);
          }}
        >
          Delete account…
        </Button>
      </Row>
      <TypedConfirm
        title="Delete the account permanently?"
        lead="Everything in it is deleted for all its users. This cannot be undone."
        verb="Delete permanently"
        wanted={account.name}
        wantedName="the account name"
        open={isAsked}
        onOpenChange={setAsked}
        onConfirm={remove}
      >
        <PasswordOwner email={email} />
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          required
          value={password}
          onChange={event => setPassword(event.target.value)}
        />
      </TypedConfirm>
    </Card>
  );
}
