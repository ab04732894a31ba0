import type { Calibration } from './calibration.ts';

export const shippedCalibration: Calibration = {
  source: 'shipped',
  curves: [{ seedsFrom: 1, weights: [-2, 4, 0, 0], line: { values: [-2, 2], outcomes: [0, 1] } }],
};
