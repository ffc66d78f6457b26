import type { ServerCheck, ServerSetting } from './schema.ts'

/** What whoever starts the server knows of it: its configuration, and the machine. */
export interface ServerFacts {
  settings(): Omit<ServerSetting, 'object'>[]
  /** May take seconds. */
  checks(): Promise<Omit<ServerCheck, 'object'>[]>
}
