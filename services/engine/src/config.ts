// What can be set about the engine.
import { z } from 'zod'
import { RegistrySettings } from './images/registry/settings.ts'

export const EngineConfig = z.strictObject({
  /** Where it listens; `<data>/engine.sock` unless told. */
  socket: z.string().min(1).optional(),
  /** Also over TCP, for everybody who can reach it: `127.0.0.1:2375`. */
  tcp: z
    .string()
    .regex(/^\[?[0-9A-Za-z.:-]+\]?:\d{1,5}$/)
    .meta({ expects: 'an address and a port, as 127.0.0.1:2375' })
    .optional(),
  /** Runs containers unless they name another. */
  runtime: z.string().min(1).default('crun'),
  /** Further runtimes by name: paths of their programs. */
  runtimes: z.record(z.string(), z.string().min(1)).default({}),
  /** Of containers that do not say (ENG-143). */
  ipcMode: z.enum(['private', 'shareable']).default('private'),
  registry: RegistrySettings.prefault({}),
})

export type EngineConfig = z.infer<typeof EngineConfig>
