import express from 'express';
import { type Listening, listen } from '../open-simulator.ts';

/** HubSpot, as far as it is simulated. */
export interface HubSpotSimulator extends Listening {}

export async function openHubSpot(port = 0): Promise<HubSpotSimulator> {
  return listen(express(), port);
}
