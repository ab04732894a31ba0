import type { ReactNode } from 'react';
import { $api } from '../../api/client.ts';
import { Answered } from '../../design/answered.tsx';
import { Button } from '../../design/button.tsx';
import { Cost } from '../../design/credits.tsx';
import { Card, Row } from '../../design/layout.tsx';
import { Failure } from '../../design/states.tsx';
import { PreviewMeter, previewPrice } from './preview-meter.tsx';

interface ShowPeopleProps {
  readonly title: string;
  /** Whether there is somebody to be shown. */
  readonly canShow: boolean;
  readonly preview: { readonly isPending: boolean; readonly isError: boolean; readonly error: unknown };
  /** Is told what the preview may cost. */
  readonly onShow: (creditsMax: number) => void;
  /** What else there is to choose. */
  readonly children: ReactNode;
  readonly otherwise?: ReactNode;
}

/** Shows the first people whom filters find, at the price that it says. */
export function ShowPeople({ title, canShow, preview, onShow, children, otherwise }: ShowPeopleProps) {
  const balance = $api.useQuery('get', '/balance');
  return (
    <Card title={title}>
      <Answered question={balance} loading="Loading the price">
        {known => {
          const price = previewPrice(known);
          return (
            <>
              <PreviewMeter balance={known} />
              {children}
              <Cost max={price} note={price === 0 ? '· uses one of the free previews' : 'for this preview'} />
              {preview.isError && <Failure error={preview.error} />}
              <Row>
                <Button
                  look="primary"
                  busy={preview.isPending}
                  disabled={!canShow || known.available < price}
                  onClick={() => onShow(price)}
                >
                  Show people
                </Button>
                {otherwise}
              </Row>
            </>
          );
        }}
      </Answered>
    </Card>
  );
}
