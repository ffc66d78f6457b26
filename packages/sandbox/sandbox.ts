// The sandbox port: Python that nobody has to trust. A session keeps its variables and files until it is closed or
// has been idle too long; it reaches neither the network nor the machine's files, and has limits on everything.
export interface SandboxFile {
  /** Its path below the session's folder: `report.csv`, or `out/report.csv` when the code made a folder. */
  name: string
  bytes: Uint8Array
}

/** An image that the code wrote has the name of its file; one that it only showed is in no file: `figure-1.png`. */
export type SandboxOutput = { type: 'logs'; logs: string } | { type: 'image'; name: string; bytes: Uint8Array }

export interface SandboxResult {
  /** What was printed, the value of the last expression, errors as Python words them; images in the order they came. */
  outputs: SandboxOutput[]
  /** Files that this run wrote or changed in the session's folder, images among them. */
  files: SandboxFile[]
  /**
   * Absent when the code ended by itself, even with an error of its own. After any of these the session is gone, and
   * the last of the logs says why in words.
   */
  stopped?: 'time' | 'memory' | 'output' | 'died'
}

export interface SandboxSession {
  /** Where files lie for the code: `/mnt/data`. */
  readonly folder: string
  /** The name is a plain one, without a path. */
  put(file: SandboxFile): Promise<void>
  /** One at a time; others wait. */
  run(code: string, options: { signal: AbortSignal; onLogs?: (text: string) => void }): Promise<SandboxResult>
  close(): Promise<void>
}

export interface Sandbox {
  /** The session of that name, or a new one; `isNew` tells that files must be put into it. */
  session(name: string): Promise<{ session: SandboxSession; isNew: boolean }>
  close(): Promise<void>
}

/** What a caller can understand: no session is free, a file is too large, the session was closed meanwhile. */
export class SandboxProblem extends Error {
  override readonly name = 'SandboxProblem'
}
