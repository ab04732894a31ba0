import { useEffect, useRef } from 'react';
import { AnchorButton, Button, LinkButton } from '../../design/button.tsx';
import { Facts, Row } from '../../design/layout.tsx';
import { Failure, Loading, Notice } from '../../design/states.tsx';
import { ExportProgress } from './export-progress.tsx';
import styles from './exports.module.css';
import { SecretText } from './secret-text.tsx';
import { download, fileOf, useExport } from './use-export.ts';

interface BegunExportProps {
  readonly exportId: string;
  readonly signingSecret: string | undefined;
  readonly onClose: () => void;
}

/** An export that has just begun: a file is downloaded as soon as it is there, a push can be followed. */
export function BegunExport({ exportId, signingSecret, onClose }: BegunExportProps) {
  const { data: record, isPending, isError, error, refetch } = useExport(exportId);
  const isFile = record?.target === 'csv';
  const isReady = isFile && record.status === 'succeeded';
  const wasDownloaded = useRef(false);
  useEffect(() => {
    if (!isReady || wasDownloaded.current) return;
    wasDownloaded.current = true;
    download(fileOf(exportId));
  }, [isReady, exportId]);
  if (isPending) return <Loading />;
  if (isError) return <Failure error={error} onRetry={refetch} />;
  return (
    <div className={styles.form}>
      {isReady && (
        <Notice tone="good" title="Your file is on its way" alert>
          If your browser has not downloaded it, do it yourself.
        </Notice>
      )}
      {!isReady && record.status !== 'failed' && (
        <Notice tone="good" title={isFile ? 'Your file is being made' : 'The push has begun'} alert>
          It goes on when you close this.
        </Notice>
      )}
      <ExportProgress record={record} />
      {signingSecret && (
        <>
          <Facts facts={[['Rows are signed with', <SecretText key="secret" secret={signingSecret} />]]} />
          <p className={styles.soft}>
            Take the secret along if your receiver checks it: it is not shown again.
          </p>
        </>
      )}
      <Row>
        {isReady && (
          <AnchorButton look="primary" href={fileOf(exportId)} download>
            Download again
          </AnchorButton>
        )}
        <LinkButton
          look={isReady ? 'secondary' : 'primary'}
          to="/exports/$exportId"
          params={{ exportId }}
          search={{ rows: undefined, action: undefined }}
          onClick={onClose}
        >
          {isFile ? 'See the export' : 'Follow the push'}
        </LinkButton>
        <Button look="quiet" onClick={onClose}>
          Close
        </Button>
      </Row>
    </div>
  );
}
