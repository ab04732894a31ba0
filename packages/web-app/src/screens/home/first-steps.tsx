import { prices } from '@mailproof/shared-types';
import { ListChecks, MailSearch, UsersRound } from 'lucide-react';
import { LinkButton } from '../../design/button.tsx';
import { formatCredits } from '../../design/format.ts';
import { Card } from '../../design/layout.tsx';
import styles from './home.module.css';

/** For somebody who has begun nothing yet: the three things that one comes for. */
export function FirstSteps() {
  return (
    <Card title="First steps">
      <ol className={styles.steps}>
        <li>
          <MailSearch size={26} aria-hidden />
          <h3>Check an address</h3>
          <p>
            Will mail to it arrive? You get a plain answer in seconds, and why.{' '}
            {formatCredits(prices.validation)}, free when it cannot be told.
          </p>
          <LinkButton to="/check">Check one address</LinkButton>
        </li>
        <li>
          <ListChecks size={26} aria-hidden />
          <h3>Drop a list</h3>
          <p>
            A CSV file, or addresses from the clipboard. You see what it will cost at most before anything is
            spent.
          </p>
          <LinkButton to="/validations/new">Validate a list</LinkButton>
        </li>
        <li>
          <UsersRound size={26} aria-hidden />
          <h3>Find people</h3>
          <p>
            Search by title, place, industry and size. Looking is free; each person whom you save costs{' '}
            {formatCredits(prices.savedPerson)}.
          </p>
          <LinkButton to="/people/new">Find people</LinkButton>
        </li>
      </ol>
    </Card>
  );
}
