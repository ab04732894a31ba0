import { Download } from 'lucide-react';
import { addressWithAccount } from '../../api/shown-user.ts';
import { AnchorButton } from '../../design/button.tsx';
import { Card, Row } from '../../design/layout.tsx';
import styles from './account.module.css';

/** Everything that is kept of the account, as a file. */
export function ExportCard() {
  return (
    <Card title="Take your data along">
      <p className={styles.soft}>
        Everything that is kept of the account, as one file of JSON lines. Passwords and keys are not in it.
        The last line says <code>"complete": true</code>; a file without it broke off. That it was taken is
        noted among the security events.
      </p>
      <Row>
        <AnchorButton href={addressWithAccount('/account/export')} download>
          <Download size={16} aria-hidden />
          Export the account
        </AnchorButton>
      </Row>
    </Card>
  );
}
