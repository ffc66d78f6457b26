// What the gateway and the threads that run transforms say to each other.

/** The module is made ready: types stripped, evaluated once, the function to call found. */
interface PrepareTask {
  kind: 'prepare'
  source: string
  isTypeScript: boolean
  /** The first that is a function is the transform. */
  exportNames: readonly string[]
}

interface CallTask {
  kind: 'call'
  code: string
  exportName: string
  /** A GuestRequest as JSON. */
  input: string
}

export type SandboxTask = PrepareTask | CallTask
export type SandboxQuestion = SandboxTask & { id: number }

/** What guest-input.ts makes the transform's argument of. */
export interface GuestRequest {
  payload: Record<string, unknown>
  headers: Record<string, string>
  path: string
  origin: string
  pathname: string
  search: string
  query: [string, string][]
}

export type SandboxOutcome =
  | { kind: 'prepared'; code: string; exportName: string }
  /** JSON of what the function returned; absent: it returned nothing. */
  | { kind: 'result'; json?: string }
  /** The module's fault, in words. */
  | { kind: 'problem'; message: string }

/** The first thing a thread says. */
export const threadReady = 'ready'

/** `isSpoiled`: the thread must not be used again. */
export type SandboxAnswer = SandboxOutcome & { id: number; isSpoiled: boolean }
