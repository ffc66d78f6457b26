// What the event of a reload tells: the settings that can change while the engine runs, as they are now.
import { hostname } from 'node:os'
import type { LiveConfig } from '../../config.ts'

export const describeReload = ({ engine, isDebugging, shutdownSeconds }: LiveConfig): Record<string, string> => ({
  name: hostname(),
  debug: String(isDebugging),
  labels: JSON.stringify(engine.labels),
  'builder-version': engine.builderVersion,
  'registry-mirrors': JSON.stringify(engine.registry.mirrors),
  'insecure-registries': JSON.stringify(engine.registry.insecure),
  'shutdown-timeout': String(shutdownSeconds),
  'live-restore': 'true',
})
