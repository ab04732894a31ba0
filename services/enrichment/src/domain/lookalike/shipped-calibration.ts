import type { Calibration } from './calibration.ts';

/**
 * For stores in which too few companies bear an industry. Fitted once to several thousand listed companies with
 * descriptions of a paragraph; elsewhere strengths are in the right order, but less exact than fitted ones.
 */
export const shippedCalibration: Calibration = {
  source: 'shipped',
  curves: [
    {
      seedsFrom: 1,
      weights: [-7.34, 5.37, -1.55, -0.17],
      line: {
        values: [
          -6.92, -5.03, -4.29, -2.63, -1.95, -1.31, -0.86, -0.45, -0.07, 0.21, 0.54, 0.83, 1.02, 1.33, 2.07,
        ],
        outcomes: [0.001, 0.007, 0.011, 0.07, 0.15, 0.22, 0.28, 0.38, 0.46, 0.55, 0.62, 0.75, 0.81, 0.91, 1],
      },
    },
    {
      seedsFrom: 2,
      weights: [-8.2, 6.91, -1.38, -0.13],
      line: {
        values: [
          -7.93, -4.63, -4.43, -2.61, -1.8, -1.42, -0.91, -0.33, 0.26, 0.56, 0.85, 1.24, 1.53, 1.92, 2.9,
        ],
        outcomes: [0, 0.009, 0.018, 0.08, 0.15, 0.21, 0.28, 0.41, 0.54, 0.61, 0.7, 0.77, 0.85, 0.92, 1],
      },
    },
    {
      seedsFrom: 4,
      weights: [-8.64, 7.12, -1.42, -0.12],
      line: {
        values: [-8.5, -5.52, -4.52, -2.78, -1.88, -1.43, -0.87, -0.46, 0, 0.39, 0.88, 1.24, 1.6, 2.08, 3.75],
        outcomes: [0, 0.004, 0.01, 0.08, 0.14, 0.21, 0.29, 0.36, 0.5, 0.56, 0.69, 0.76, 0.85, 0.95, 1],
      },
    },
  ],
};
