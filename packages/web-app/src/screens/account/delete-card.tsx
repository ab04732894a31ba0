import { useState } from 'react';
import { api } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { Card, Row } from '../../design/layout.tsx';
import { PasswordInput, PasswordOwner } from '../../design/password-input.tsx';
import { TypedConfirm } from '../../design/typed-confirm.tsx';
import { endedHere } from '../../shell/session-changes.ts';
import styles from './account.module.css';

/** The end of the account. */
export function DeleteCard() {
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
    <Card title="Delete the account" className={styles.danger}>
      <p className={styles.soft}>
        Closes it at once and for good: everybody is signed out, the API key stops, what is left of the
        credits ends, and lists, results and people who were saved are deleted. Nobody can bring it back.
      </p>
      <Row>
        <Button
          look="danger"
          onClick={() => {
            setPassword('');
            setAsked(true);
          }}
        >
          Delete the account…
        </Button>
      </Row>
      <TypedConfirm
        title="Delete the account for good?"
        lead="Everything in it is deleted, for everybody who belongs to it. This cannot be taken back."
        verb="Delete for good"
        wanted={account.name}
        wantedName="the account’s name"
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
