// What a caller lends to steps while they run. Nothing of it is kept, and nothing depends on what it says.
export interface StepOffers {
  /** Undefined: the caller has none of that name. */
  secret(id: string, signal: AbortSignal): Promise<Uint8Array | undefined>
  /** Makes a socket at the path that leads to the caller's agent, until it is closed. Undefined: there is none. */
  agent(id: string, socketPath: string, signal: AbortSignal): Promise<(() => Promise<void>) | undefined>
}
