import { $api } from '../../api/client.ts';
import { AnchorButton } from '../../design/button.tsx';
import { Card } from '../../design/layout.tsx';
import styles from './home.module.css';

/** For whoever writes code. */
export function DevelopersCard() {
  const { data: standing } = $api.useQuery('get', '/plan');
  const example = [
    `curl ${window.location.origin}/api/v1/validate-single-email \\`,
    `  -H 'X-Api-Key: …' -H 'Content-Type: application/json' \\`,
    `  -d '{"email": "ada@company.com"}'`,
  ].join('\n');
  return (
    <Card
      title="For developers"
      actions={
        <AnchorButton href="/docs" target="_blank" rel="noreferrer">
          API documentation
        </AnchorButton>
      }
    >
      {standing?.plan.api_access === false ? (
        <p className={styles.soft}>
          Your plan has no API key. With a larger one, your own programs can do what these pages do.
        </p>
      ) : (
        <>
          <p className={styles.soft}>
            The same from your own programs, with your account’s API key. An owner of the account can see it.
          </p>
          <pre className={styles.example}>{example}</pre>
        </>
      )}
    </Card>
  );
}
