// What can be set about the engine.
import { z } from 'zod'
import { RegistrySettings } from './images/registry/settings.ts'
import { BridgeSettings } from './network/bridge-settings.ts'
import { readGenericResources } from './swarm/generic-resources.ts'
import { OutsideEtcdSettings } from './swarm/store/outside-etcd-settings.ts'

export const EngineConfig = z.strictObject({
  /** Where it listens; `<data>/engine.sock` unless told. */
  socket: z.string().min(1).optional(),
  /** Also over TCP, for everybody who can reach it: `127.0.0.1:2375`. */
  tcp: z
    .string()
    .regex(/^\[?[0-9A-Za-z.:-]+\]?:\d{1,5}$/)
    .meta({ expects: 'an address and a port, as 127.0.0.1:2375' })
    .optional(),
  /** Paths of PEM files for `tcp`. With `ca`, only clients with a certificate of that authority are let in. */
  tls: z.strictObject({ ca: z.string().min(1).optional(), cert: z.string().min(1), key: z.string().min(1) }).optional(),
  /** Further names by which clients may call it over TCP without TLS: `docker.example.com`. */
  hosts: z.array(z.string().min(1)).default([]),
  /** The network of containers that name none; chosen at the first start unless told. */
  bridge: BridgeSettings.prefault({}),
  /** Runs containers unless they name another. */
  runtime: z.string().min(1).default('crun'),
  /** Further runtimes by name: paths of their programs. */
  runtimes: z.record(z.string(), z.string().min(1)).default({}),
  /** Of containers that do not say (ENG-143). */
  ipcMode: z.enum(['private', 'shareable']).default('private'),
  /** What `docker info` tells of this machine: `zone=cellar`. */
  labels: z
    .array(
      z
        .string()
        .max(1_024)
        .regex(/^[^=\s]+=/)
        .meta({ expects: 'a label like zone=cellar' }),
    )
    .max(1_000)
    .default([]),
  /** What tasks of a swarm may reserve here: `GPU=card0`, a name for each, or `licence=3`, a number. */
  genericResources: z
    .array(
      z
        .string()
        .max(256)
        .regex(/^[\w.-]+=[\w.:-]+$/)
        .meta({ expects: 'a resource like GPU=card0 or licence=3' }),
    )
    .max(1_000)
    .default([])
    .transform((lines, context) => {
      const read = readGenericResources(lines)
      if (typeof read !== 'string') return read
      context.addIssue({ code: 'custom', message: read })
      return z.NEVER
    }),
  /** An etcd that swarms are kept in, instead of one that the engine runs. */
  swarmStore: OutsideEtcdSettings.optional(),
  /** What clients are told to build with (ENG-025, ENG-037): the classic interface, or BuildKit's. */
  builderVersion: z.enum(['1', '2']).meta({ expects: '"1" or "2"' }).default('2'),
  registry: RegistrySettings.prefault({}),
})

export type EngineConfig = z.infer<typeof EngineConfig>

/** The configuration that holds now: it may be another after a reload. */
export interface LiveConfig {
  engine: EngineConfig
  isDebugging: boolean
  /** How long a stop of the engine may take. */
  shutdownSeconds: number
}

/** What a reload takes on. The rest of a new configuration waits for the next start. */
export const reloadableSettings = ['labels', 'builderVersion', 'registry.mirrors', 'registry.insecure'] as const

export function withReloadable(now: LiveConfig, { engine, ...others }: LiveConfig): LiveConfig {
  const { labels, builderVersion, registry } = engine
  const { mirrors, insecure } = registry
  const kept = { ...now.engine.registry, mirrors, insecure }
  return { ...others, engine: { ...now.engine, labels, builderVersion, registry: kept } }
}
