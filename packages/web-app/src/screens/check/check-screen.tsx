import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Card, Page } from '../../design/layout.tsx';
import { sentenceOf } from '../../verdicts/headlines.ts';
import { askAbout, useAddressChecks } from './address-checks.ts';
import styles from './check.module.css';
import { type AddressForm, CheckForm } from './check-form.tsx';
import { CheckOutcome } from './check-outcome.tsx';
import { RecentChecks } from './recent-checks.tsx';

/** Whether mail to one address will arrive, and why that is believed. */
export function CheckScreen() {
  const checks = useAddressChecks();
  const [chosen, setChosen] = useState<string>();
  const form = useForm<AddressForm>({ defaultValues: { email: '' } });
  const shown = checks.find(({ id }) => id === chosen) ?? checks[0];
  function ask(email: string) {
    form.setValue('email', email);
    setChosen(askAbout(email));
  }
  return (
    <Page
      title="Check one address"
      lead="Whether mail to it will arrive, and why. We ask the mail servers of its domain; no mail is sent."
    >
      {/* For whoever does not see it come: the focus stays where it is, perhaps in the next address. */}
      <p className="visually-hidden" role="status">
        {shown?.answer && sentenceOf(shown.answer.result, shown.answer.email)}
      </p>
      <div className={styles.columns}>
        <div className={styles.main}>
          <Card>
            <CheckForm form={form} onAsk={ask} isRunning={shown?.state === 'running'} />
          </Card>
          {shown && <CheckOutcome key={shown.id} check={shown} onAsk={ask} />}
        </div>
        <RecentChecks checks={checks} shown={shown?.id} onChoose={setChosen} />
      </div>
    </Page>
  );
}
