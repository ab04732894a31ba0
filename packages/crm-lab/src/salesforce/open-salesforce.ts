import express from 'express';
import { type Listening, listen } from '../open-simulator.ts';

/** Salesforce, as far as it is simulated. */
export interface SalesforceSimulator extends Listening {}

export async function openSalesforce(port = 0): Promise<SalesforceSimulator> {
  return listen(express(), port);
}
